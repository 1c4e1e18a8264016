package nginxconf

import (
	"fmt"

	"h2lab/internal/base/nginxfile"
	"h2lab/internal/field/lint"
)

// successors maps the HTTP/2 directives that 1.19.7 removed to their replacements. nginx prints a
// warning and ignores the old ones (ngx_http_v2_obsolete).
var successors = map[string]string{
	"http2_max_requests": "keepalive_requests",
	"http2_idle_timeout": "keepalive_timeout",
	"http2_recv_timeout": "client_header_timeout",
}

var obsolete = rule{lint.Rule{
	ID: "nginx/obsolete", Severity: lint.Warning,
	Title: "nginx ignores this directive since 1.19.7",
	Help: "http2_max_requests, http2_idle_timeout and http2_recv_timeout were removed in 1.19.7; nginx prints a " +
		"warning and goes by keepalive_requests, keepalive_timeout and client_header_timeout. A raised " +
		"http2_max_requests is back at the default limit then.",
	Docs: "https://nginx.org/en/CHANGES (1.19.7)",
}, checkObsolete}

func checkObsolete(c *config, r lint.Rule) []lint.Finding {
	var out []lint.Finding
	if !c.release.AtLeast(1, 19, 7) {
		return nil
	}
	c.top.Walk(func(d *nginxfile.Directive) {
		to, old := successors[d.Name]
		if !old || !c.directivePlace(d) {
			return
		}
		why := fmt.Sprintf("It is ignored: %s says what it said.", to)
		if d.Name == "http2_max_requests" {
			why += " Unless keepalive_requests is set, the limit is nginx's default."
		}
		out = append(out, at(r, d, why, to+" "+d.Joined()+";"))
	})
	return out
}
