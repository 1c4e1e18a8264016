package nginxconf

import (
	"fmt"
	"strings"

	"h2lab/internal/base/nginxfile"
	"h2lab/internal/field/lint"
)

var upstreamNotKept = rule{lint.Rule{
	ID: "nginx/upstream-not-kept", Severity: lint.Warning,
	Title: "Every request opens a connection to the upstream",
	Help: "nginx keeps connections to an upstream block since 1.29.7 by itself and before with `keepalive N;` only; " +
		"to an address written into proxy_pass it keeps none. Then the second hop pays for a connection with each " +
		"request, which hides behind the first hop's renewals.",
	Docs: docs + "ngx_http_upstream_module.html#keepalive",
}, checkUpstreamNotKept}

func checkUpstreamNotKept(c *config, r lint.Rule) []lint.Finding {
	var out []lint.Finding
	seen := map[*nginxfile.Directive]bool{}
	for _, p := range c.passes {
		switch {
		case p.pool == nil && p.target != "":
			f := at(r, p.d, fmt.Sprintf("%s is no upstream block, and nginx keeps connections to those alone: write "+
				"one in http and name it here.", p.target), c.poolFor(p))
			f.Severity = lint.Note
			out = append(out, f)
		case p.pool != nil && !seen[p.pool.d] && c.kept(p.pool).connections == 0:
			seen[p.pool.d] = true
			if by := c.kept(p.pool).by; by != nil {
				if c.release.AtLeast(1, 29, 7) && by.Arg(0) == "0" { // older releases reject it
					out = append(out, at(r, by, "0 turns the cache of connections off.", "keepalive 32;"))
				}
				continue
			}
			out = append(out, in(r, p.pool.d, fmt.Sprintf("Without `keepalive` nginx %s closes each connection to %q "+
				"after one request (1.29.7 and later keep 32).", c.release, p.pool.name), "keepalive 32;"))
		}
	}
	return out
}

// poolFor writes an upstream block for a pass to an address, and the pass that names the block.
func (c *config) poolFor(p *pass) string {
	lines := []string{
		fmt.Sprintf("upstream backend { server %s; keepalive 32; }   # in http", p.target),
		fmt.Sprintf("%s %s;", p.d.Name, strings.Replace(p.d.Arg(0), p.target, "backend", 1)),
	}
	if p.d.Name == "proxy_pass" && !c.release.AtLeast(1, 29, 7) {
		lines = append(lines, "proxy_http_version 1.1;", `proxy_set_header Connection "";`)
	}
	return strings.Join(lines, "\n")
}
