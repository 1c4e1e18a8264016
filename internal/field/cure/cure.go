// Package cure holds the configuration changes that the field tools offer: one cause has one change,
// with the same text and the same number from every verb. cures.toml has them.
package cure

import (
	"cmp"
	_ "embed"
	"strconv"
	"strings"
	"sync"

	"github.com/BurntSushi/toml"

	"h2lab/internal/base/text"
	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
)

// Change is a change to one configuration.
type Change struct {
	// For is the product, Where the place in its configuration.
	For   texts.Sentence `json:"for"`
	Where texts.Sentence `json:"where"`
	// Line is the text to paste there; it may have several lines.
	Line texts.Sentence `json:"line"`
	Why  texts.Sentence `json:"why"`
}

// The servers with settings of their own that the tools name; families have more (internal/field/family).
const (
	Nginx   = "nginx"
	Go      = "go"
	Envoy   = "envoy"
	HAProxy = "haproxy"
	Apache  = "apache"
	H2O     = "h2o"
	Nghttpx = "nghttpx"
	GRPCGo  = "grpc-go"

	// IngressNginx and Traefik are built on nginx and Go, with configurations of their own; so is Caddy.
	IngressNginx = "ingress-nginx"
	Traefik      = "traefik"
	Caddy        = "caddy"

	// Unknown is a server whose name nothing shows, so nothing is offered for it.
	Unknown = "unknown"
)

//go:embed cures.toml
var data string

type table map[string][]string

// book is cures.toml.
type book struct {
	Change           map[string]Change
	Limit, Age, Idle table
	LimitHTTP1       table `toml:"limit-http1"`
	Error            table
	Show             map[string]string
}

var cures = sync.OnceValue(func() (b book) {
	if _, err := toml.Decode(data, &b); err != nil {
		panic(err) // the file is embedded, and tests read it
	}
	return b
})

// changes are those of these names, with the request limit to set.
func changes(limit int, names []string) []Change {
	var out []Change
	for _, n := range names {
		c := cures().Change[n]
		if words := c.Line.String(); strings.Contains(words, "%d") {
			c.Line = texts.Sentence(facts.Verbatim(strings.Replace(words, "%d", strconv.Itoa(limit), 1)))
		}
		out = append(out, c)
	}
	return out
}

// leastRequests is the limit that the lab measured as sufficient: `make fixed` sets it.
const leastRequests = 100_000

// Requests is the request limit to set where connections end at the limit met; 0 is an unknown one.
func Requests(met int) int { return max(leastRequests, 10*met) }

// RequestLimit is what to change on a server whose connections end after met requests. It is nil
// for a server without such a setting.
func RequestLimit(server string, met int, overHTTP1 bool) []Change {
	names, differs := cures().LimitHTTP1[server]
	if !overHTTP1 || !differs {
		names = cures().Limit[server]
	}
	return changes(Requests(met), names)
}

// Age is what to change on a server that ends connections at an age, however many requests they
// carried. It is nil for a server without such a setting.
func Age(server string) []Change { return changes(0, cures().Age[server]) }

// Idle is what to change on a server that closes unused connections early.
func Idle(server string) []Change { return changes(0, cures().Idle[server]) }

// OneDial is what to change in a client that dials once for each waiting request. In Go it holds for as
// many requests in flight as one connection has streams.
func OneDial() Change { return cures().Change["one-dial"] }

// Of is what to change where a server refuses or ends for one of these reasons: "pings" of a client that come too often,
// "resets" of too many streams, a "circuit-breaker" of Envoy or Istio (response flag UO), too many "streams" at once.
func Of(reason string) []Change { return changes(0, cures().Error[reason]) }

// Title names the configuration, the place in it and the reason: what stands before the line to paste.
func (c Change) Title() facts.Text {
	return facts.Join("join.colon", facts.Join("join.comma", facts.Text(c.For), facts.Text(c.Where)), facts.Text(c.Why))
}

// Show is a command that finds the line to change in a server's configuration.
func Show(server string) string {
	return cmp.Or(cures().Show[server], "nginx -vT 2>&1 | h2lab lint -")
}

// EnvoyAt is Show of the Envoy whose admin endpoint is at this address. Its config_dump also has what a control plane
// sent.
func EnvoyAt(admin string) string {
	return "curl -s " + text.ShellWord(admin+"/config_dump") + " | h2lab lint --kind envoy -"
}
