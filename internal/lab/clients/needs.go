package clients

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"h2lab/internal/base/child"
	"h2lab/internal/base/versions"
)

// askingTimeout bounds the wait for one tool to print its version, on a busy machine.
const askingTimeout = 8 * time.Second

// hung holds the error of every tool that did not answer in time, so that h2lab waits for it only
// once.
var hung sync.Map

// Lacks says why no client of the ecosystem can run here, or is empty.
func (e Ecosystem) Lacks(ctx context.Context, env []string) string { return lacks(ctx, e.Needs, env) }

// Lacks says why this client can't run, beyond the needs of its ecosystem.
func (c Client) Lacks(ctx context.Context, env []string) string { return lacks(ctx, c.Needs, env) }

func lacks(ctx context.Context, needs []Need, env []string) string {
	for _, n := range needs {
		if reason := n.missing(ctx, env); reason != "" {
			return reason
		}
	}
	return ""
}

func (n Need) missing(ctx context.Context, env []string) string {
	path := lookIn(env, n.Tool)
	if path == "" {
		return fmt.Sprintf("%s is missing; install it with: %s", n.Tool, n.Install)
	}
	argv := append([]string{path}, n.Args...)
	if reason, ok := hung.Load(strings.Join(argv, " ")); ok {
		return reason.(string)
	}
	r, err := child.Run(ctx, child.Spec{Argv: argv, Env: env}, child.Limits{Within: askingTimeout})
	if err != nil {
		asked := n.Tool + " " + strings.Join(n.Args, " ")
		reason := fmt.Sprintf("%s: %v; reinstall it with: %s", asked, err, n.Install)
		var exit *child.ExitError
		if errors.As(err, &exit) {
			reason = fmt.Sprintf("%s %s%s; reinstall it with: %s", asked, exit.Child.Ending(),
				exit.Child.Tail().LastLine(), n.Install)
		}
		var late *child.HungError
		if errors.As(err, &late) {
			hung.Store(strings.Join(argv, " "), reason)
		}
		return reason
	}
	found, _ := versions.Of(n.Tool, r.Stdout+r.Stderr)
	if least, _ := versions.Of("", n.Least); found.Less(least) {
		return fmt.Sprintf("%s is %s, but %s or newer is required; install it with: %s", n.Tool, orUnknown(found.Text),
			n.Least, n.Install)
	}
	return ""
}

func orUnknown(v string) string {
	if v == "" {
		return "of an unknown version"
	}
	return v
}
