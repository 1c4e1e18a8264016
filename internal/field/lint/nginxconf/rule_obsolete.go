package nginxconf

import (
	"fmt"

	"h2lab/internal/base/nginxfile"
	"h2lab/internal/field/lint"
)

// successors maps the HTTP/2 directives that 1.19.7 removed to their replacements; those of header
// sizes have one that takes other values. nginx prints a
// warning and ignores the old ones (ngx_http_v2_obsolete).
var successors = map[string]string{
	"http2_max_requests":    "keepalive_requests",
	"http2_idle_timeout":    "keepalive_timeout",
	"http2_recv_timeout":    "client_header_timeout",
	"http2_max_field_size":  "large_client_header_buffers",
	"http2_max_header_size": "large_client_header_buffers",
}

var obsolete = rule{lint.Rule{
	ID: "nginx/obsolete", Severity: lint.Warning,
	Title: "nginx ignores this directive since 1.19.7",
	Help: "http2_max_requests, http2_idle_timeout, http2_recv_timeout and the two sizes of headers were removed in " +
		"1.19.7; nginx prints a warning and uses keepalive_requests, keepalive_timeout, client_header_timeout and " +
		"large_client_header_buffers. A raised http2_max_requests is back at the default limit then.",
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
		out = append(out, c.ignored(r, d, to))
	})
	return out
}

func (c *config) ignored(r lint.Rule, d *nginxfile.Directive, to string) lint.Finding {
	why := fmt.Sprintf("nginx ignores it and uses %s.", to)
	if d.Name == "http2_max_requests" {
		why += " Unless keepalive_requests is set, the limit is nginx's default."
	}
	fix := to + " " + d.Joined() + ";"
	sizes := to == "large_client_header_buffers"
	block := d.Parent
	if block == nil {
		block = c.top
	}
	if sizes || block.First(to) != nil { // delete it: a second one would be refused
		fix = ""
	}
	f := at(r, d, why, fix)
	if sizes {
		f.Severity = lint.Note
	}
	return f
}
