package nginxconf

import (
	"fmt"
	"strings"

	"h2lab/internal/field/lint"
)

var upstreamCloses = rule{lint.Rule{
	ID: "nginx/upstream-closes", Severity: lint.Warning,
	Title: "`keepalive` in the upstream has no effect: each request asks for a close",
	Help: "Before 1.29.7 nginx speaks HTTP/1.0 to upstreams and sends `Connection: close`. Kept connections need " +
		"`proxy_http_version 1.1;` and `proxy_set_header Connection \"\";` where the proxy_pass stands; a " +
		"proxy_set_header in a location drops those of the server. A map of $http_upgrade that says close for " +
		"ordinary requests closes too: give them the empty value.",
	Docs: docs + "ngx_http_upstream_module.html#keepalive",
}, checkUpstreamCloses}

func checkUpstreamCloses(c *config, r lint.Rule) []lint.Finding {
	var out []lint.Finding
	for _, p := range c.passes {
		if p.d.Name != "proxy_pass" || p.pool == nil || c.kept(p.pool).connections == 0 {
			continue
		}
		version, by := c.httpVersion(p)
		closes := c.closes(p)
		var why string
		switch {
		case version == "1.0":
			why = fmt.Sprintf("Requests to %q go out as HTTP/1.0", p.pool.name)
			if by == nil {
				why += " (the default before 1.29.7)"
			}
		case version == "1.1" && closes.is:
			why = fmt.Sprintf("Requests to %q carry `Connection: close`", p.pool.name)
			if closes.header == nil {
				why += " (the default before 1.29.7)"
			} else if e := closes.entry; e != nil {
				why += fmt.Sprintf(" when they ask for no upgrade (%s is set at %s:%d)", closes.header.Arg(1), e.File, e.Line)
			}
		default:
			continue
		}
		s := &surroundings{c: c, p: p, headers: map[string]string{}}
		s.keep()
		s.addHeaders()
		lines, edits := s.done()
		f := in(r, p.d, why+": the upstream closes each connection after one answer.", strings.Join(lines, "\n"))
		f.Edits = edits
		out = append(out, f)
	}
	return out
}
