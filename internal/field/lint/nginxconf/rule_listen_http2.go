package nginxconf

import (
	"fmt"
	"strings"

	"h2lab/internal/field/lint"
)

var listenHTTP2 = rule{lint.Rule{
	ID: "nginx/listen-http2", Severity: lint.Note,
	Title: "`listen … http2` is deprecated since 1.25.1",
	Help: "Since 1.25.1 HTTP/2 is a server's own: `http2 on;`. The parameter of listen still works, for every server " +
		"of that socket, and prints a warning.",
	Docs: docs + "ngx_http_v2_module.html#http2",
}, checkListenHTTP2}

func checkListenHTTP2(c *config, r lint.Rule) []lint.Finding {
	var out []lint.Finding
	if !c.release.AtLeast(1, 25, 1) {
		return nil
	}
	for _, s := range c.servers {
		for _, l := range s.listens {
			if !l.has("http2") || l.d == nil {
				continue
			}
			var rest []string
			for _, w := range l.d.Args {
				if w.Text != "http2" {
					rest = append(rest, w.Text)
				}
			}
			fix := fmt.Sprintf("listen %s;", strings.Join(rest, " "))
			if s.d.First("http2") == nil {
				fix += "\nhttp2 on;"
			}
			out = append(out, at(r, l.d, "nginx warns about it at each start.", fix))
		}
	}
	return out
}
