package nginxconf

import (
	"fmt"

	"h2lab/internal/field/lint"
)

var limitBelowInFlight = rule{lint.Rule{
	ID: "nginx/limit-below-in-flight", Severity: lint.Error,
	Title: "An HTTP/2 connection takes fewer requests than a client has in flight",
	Help: "nginx ends a connection with GOAWAY at its keepalive_requests-th request and skips every stream after it " +
		"without a word. With more requests in flight than that, each burst needs several connections, and requests " +
		"that can't be sent again fail. Raise keepalive_requests.",
	Docs: docs + "ngx_http_core_module.html#keepalive_requests",
}, func(c *config, r lint.Rule) []lint.Finding { return c.limits(r, lint.Error) }}

// limits returns a finding for each group of places whose limit has that severity.
func (c *config) limits(r lint.Rule, severity lint.Severity) []lint.Finding {
	var out []lint.Finding
	for _, g := range c.byLimit() {
		p := g.places[0]
		if p.limit.Requests == nil || lint.Weigh(*p.limit.Requests, c.streams(p.rules)) != severity {
			continue
		}
		name, n := c.countName(true), *p.limit.Requests
		why := fmt.Sprintf("%s: request %d on a connection is answered with GOAWAY, last-stream-id %d, and what the "+
			"client has sent after it is dropped. "+
			"With %d requests in flight every one of them may then dial for itself.", g.subject(name), n, 2*n-1,
			c.streams(p.rules))
		if severity == lint.Error {
			why += fmt.Sprintf(" The limit is not above the %d in flight: one burst alone reaches it.",
				c.streams(p.rules))
		}
		f := g.finding(r, why, c.requestLimit(n))
		if name != "keepalive_requests" {
			f.Docs = docs + "ngx_http_v2_module.html#http2_max_requests"
		}
		out = append(out, f)
	}
	return out
}

// subject says where the limit is set and which places it applies to.
func (g *group) subject(name string) string {
	p := g.places[0]
	out := fmt.Sprintf("%s is %d", name, *p.limit.Requests)
	if g.by == nil {
		out += " (" + p.limit.From.String() + ")"
	}
	if n := len(g.places); n > 1 {
		return fmt.Sprintf("%s at %d listeners", out, n)
	}
	return out
}
