package nginxconf

import (
	"fmt"
	"slices"

	"h2lab/internal/base/nginxfile"
	"h2lab/internal/field/lint"
)

var locationIgnored = rule{lint.Rule{
	ID: "nginx/location-ignored", Severity: lint.Warning,
	Title: "A limit in a location has no effect on HTTP/2",
	Help: "HTTP/2 connections take keepalive_requests, keepalive_time and keepalive_timeout from the server, before " +
		"a location is known (hc->conf_ctx in ngx_http_v2.c). In a location they govern HTTP/1.1 alone. Put the line " +
		"into the server block.",
	Docs: "nginx src/http/v2/ngx_http_v2.c: ngx_http_v2_state_headers",
}, checkLocationIgnored}

func checkLocationIgnored(c *config, r lint.Rule) []lint.Finding {
	var out []lint.Finding
	seen := map[*server]bool{}
	for _, p := range c.h2Places() {
		if seen[p.s] {
			continue
		}
		seen[p.s] = true
		p.s.d.Walk(func(d *nginxfile.Directive) {
			if !slices.Contains([]string{"keepalive_requests", "keepalive_time", "keepalive_timeout"}, d.Name) ||
				d.Parent == nil || d.Parent.Name != "location" {
				return
			}
			why := fmt.Sprintf("HTTP/2 connections here go by the server's own value, not by this one, which "+
				"HTTP/1.1 requests alone obey. If it is meant for HTTP/2, move it into the server block of line %d.",
				p.s.d.Line)
			out = append(out, in(r, d, why, ""))
		})
	}
	return out
}
