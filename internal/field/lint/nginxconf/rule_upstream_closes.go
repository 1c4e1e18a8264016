package nginxconf

import (
	"fmt"

	"h2lab/internal/field/lint"
)

var upstreamCloses = rule{lint.Rule{
	ID: "nginx/upstream-closes", Severity: lint.Warning,
	Title: "`keepalive` in the upstream has no effect: each request asks for a close",
	Help: "Before 1.29.7 nginx speaks HTTP/1.0 to upstreams and sends `Connection: close`. Kept connections need " +
		"`proxy_http_version 1.1;` and `proxy_set_header Connection \"\";` where the proxy_pass stands; a " +
		"proxy_set_header in a location drops those of the server.",
	Docs: docs + "ngx_http_upstream_module.html#keepalive",
}, checkUpstreamCloses}

func checkUpstreamCloses(c *config, r lint.Rule) []lint.Finding {
	var out []lint.Finding
	for _, p := range c.passes {
		if p.d.Name != "proxy_pass" || p.pool == nil || c.kept(p.pool).connections == 0 {
			continue
		}
		version, by := c.httpVersion(p)
		closes, header := c.closes(p)
		var why, fix string
		switch {
		case version == "1.0":
			why, fix = fmt.Sprintf("Requests to %q go out as HTTP/1.0", p.pool.name), "proxy_http_version 1.1;"
			if by == nil {
				why += " (the default before 1.29.7)"
			}
		case version == "1.1" && closes:
			why = fmt.Sprintf("Requests to %q carry `Connection: close`", p.pool.name)
			if header == nil {
				why += " (the default before 1.29.7)"
			}
		default:
			continue
		}
		if closes {
			if fix != "" {
				fix += "\n"
			}
			fix += `proxy_set_header Connection "";`
		}
		out = append(out, in(r, p.d, why+": the upstream closes each connection after one answer.", fix))
	}
	return out
}
