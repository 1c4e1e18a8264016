package clients

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"h2lab/internal/base/child"
)

// askingTimeout is for one tool to say its version, on a busy machine.
const askingTimeout = 8 * time.Second

// hung holds the reason for every tool that did not answer in time, so that it is waited for once.
var hung sync.Map

// Lacks says why nothing of the ecosystem can run here, or nothing.
func (e Ecosystem) Lacks(ctx context.Context, env []string) string { return lacks(ctx, e.Needs, env) }

// Lacks says why this one can't, beyond what the ecosystem needs.
func (c Client) Lacks(ctx context.Context, env []string) string { return lacks(ctx, c.Needs, env) }

func lacks(ctx context.Context, needs []Need, env []string) string {
	for _, n := range needs {
		if reason := n.missing(ctx, env); reason != "" {
			return reason
		}
	}
	return ""
}

// A version is the first dotted number in a tool's own words ("v20.20.2",
// "h2load nghttp2/1.52.0"), or the first number where there is none ("openjdk
// version \"21\"").
var (
	dotted = regexp.MustCompile(`\d+(\.\d+)+`)
	single = regexp.MustCompile(`\d+`)
)

func versionIn(said string) string {
	return cmp.Or(dotted.FindString(said), single.FindString(said))
}

func (n Need) missing(ctx context.Context, env []string) string {
	path := lookIn(env, n.Tool)
	if path == "" {
		return fmt.Sprintf("%s is not here; get it with: %s", n.Tool, n.Install)
	}
	argv := append([]string{path}, n.Args...)
	if reason, ok := hung.Load(strings.Join(argv, " ")); ok {
		return reason.(string)
	}
	r, err := child.Run(ctx, child.Spec{Argv: argv, Env: env}, child.Limits{Within: askingTimeout})
	if err != nil {
		asked := n.Tool + " " + strings.Join(n.Args, " ")
		reason := fmt.Sprintf("%s: %v; get it anew with: %s", asked, err, n.Install)
		var exit *child.ExitError
		if errors.As(err, &exit) {
			reason = fmt.Sprintf("%s %s%s; get it anew with: %s", asked, exit.Child.Ending(), exit.Child.Tail().LastLine(), n.Install)
		}
		var late *child.HungError
		if errors.As(err, &late) {
			hung.Store(strings.Join(argv, " "), reason)
		}
		return reason
	}
	found := versionIn(r.Stdout + r.Stderr)
	if older(found, n.Least) {
		return fmt.Sprintf("%s is %s, but %s or newer is needed; get it with: %s", n.Tool, orUnknown(found), n.Least, n.Install)
	}
	return ""
}

func orUnknown(v string) string {
	if v == "" {
		return "of an unknown version"
	}
	return v
}

// older compares dotted numbers; what isn't there counts as 0.
func older(v, least string) bool {
	a, b := strings.Split(v, "."), strings.Split(least, ".")
	for i := range max(len(a), len(b)) {
		var x, y int
		if i < len(a) {
			x, _ = strconv.Atoi(a[i])
		}
		if i < len(b) {
			y, _ = strconv.Atoi(b[i])
		}
		if x != y {
			return x < y
		}
	}
	return false
}
