package nginxconf

import (
	"fmt"

	"h2lab/internal/field/lint"
)

var upstreamOutlives = rule{lint.Rule{
	ID: "nginx/upstream-outlives", Severity: lint.Warning,
	Title: "nginx keeps upstream connections longer than the server behind them",
	Help: "When the server behind closes first, nginx's next request can meet the close on its way and fails with " +
		"502, or is sent again to another server. Keep nginx's keepalive_timeout and keepalive_requests in the " +
		"upstream block below those of the server it leads to.",
	Docs: docs + "ngx_http_upstream_module.html#keepalive_timeout",
}, checkUpstreamOutlives}

// checkUpstreamOutlives compares only with servers of this same configuration: the settings of others
// are unknown.
func checkUpstreamOutlives(c *config, r lint.Rule) []lint.Finding {
	var out []lint.Finding
	for _, p := range c.passes {
		if p.pool == nil {
			continue
		}
		k := c.kept(p.pool)
		if k.connections == 0 {
			continue
		}
		for _, b := range c.behind(p) {
			behind := c.idle(b.rules, isH2(b.protocols))
			if k.idle.Seconds == nil || behind.Seconds == nil || *behind.Seconds == 0 ||
				*k.idle.Seconds < *behind.Seconds {
				continue
			}
			why := fmt.Sprintf("%q is kept %s without a request (%s), but %s:%d behind it closes after %s (%s).",
				p.pool.name, time(*k.idle.Seconds), k.idle.From, b.s.d.File, b.s.d.Line, time(*behind.Seconds),
				behind.From)
			out = append(out, c.poolLine(r, p.pool, "keepalive_timeout", why, time(max(*behind.Seconds/2, 1))))
		}
	}
	return out
}

// poolLine is a finding at a directive of an upstream block, or at the block when the directive is
// absent. A release that doesn't know the directive gets no fix.
func (c *config) poolLine(r lint.Rule, u *pool, name, why, value string) lint.Finding {
	fix := name + " " + value + ";"
	if d := u.d.First(name); d != nil {
		return at(r, d, why, fix)
	}
	if !c.release.known("upstream/" + name) {
		fix = ""
	}
	return in(r, u.d, why, fix)
}
