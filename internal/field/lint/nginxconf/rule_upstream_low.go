package nginxconf

import (
	"fmt"

	"h2lab/internal/field/lint"
)

var upstreamLow = rule{lint.Rule{
	ID: "nginx/upstream-low", Severity: lint.Note,
	Title: "Connections to the upstream are renewed often",
	Help: "The keepalive_requests of an upstream block limits how many requests nginx sends on one connection; the " +
		"default was 100 until 1.19.10. nginx stops by itself, so nothing is lost, but each renewal is a connection " +
		"and, with TLS, a handshake.",
	Docs: docs + "ngx_http_upstream_module.html#keepalive_requests",
}, checkUpstreamLow}

func checkUpstreamLow(c *config, r lint.Rule) []lint.Finding {
	var out []lint.Finding
	seen := map[*pool]bool{}
	for _, p := range c.passes {
		if p.pool == nil || seen[p.pool] {
			continue
		}
		seen[p.pool] = true
		k := c.kept(p.pool)
		if k.connections == 0 || k.requests.Requests == nil || *k.requests.Requests > 100 {
			continue
		}
		why := fmt.Sprintf("nginx opens a connection to %q for every %d requests (%s).", p.pool.name,
			*k.requests.Requests, k.requests.From)
		if d := p.pool.d.First("keepalive_requests"); d != nil {
			out = append(out, at(r, d, why, "keepalive_requests 1000;"))
			continue
		}
		out = append(out, in(r, p.pool.d, why, "keepalive_requests 1000;"))
	}
	return out
}
