package nginxconf

import (
	"fmt"

	"h2lab/internal/field/lint"
)

var beforeMerge = rule{lint.Rule{
	ID: "nginx/before-1.19.7", Severity: lint.Warning,
	Title: "Before 1.19.7 keepalive_requests doesn't govern HTTP/2",
	Help: "Until 1.19.7 HTTP/2 had directives of its own: http2_max_requests (1000) and http2_idle_timeout (3m). " +
		"keepalive_requests and keepalive_timeout governed HTTP/1.1 alone. Set both, or upgrade.",
	Docs: "https://nginx.org/en/CHANGES (1.19.7)",
}, checkBeforeMerge}

func checkBeforeMerge(c *config, r lint.Rule) []lint.Finding {
	var out []lint.Finding
	if c.release.AtLeast(1, 19, 7) || !c.release.known("http2_max_requests") {
		return nil
	}
	for _, p := range c.h2Places() {
		v, set := p.rules.find("keepalive_requests")
		if _, own := p.rules.find("http2_max_requests"); !set || own {
			continue
		}
		f := in(r, v.d, fmt.Sprintf("nginx %s goes by http2_max_requests for HTTP/2, which is not set: its "+
			"default is 1000.", c.release), "http2_max_requests "+v.d.Arg(0)+";")
		out = append(out, f)
	}
	return out
}
