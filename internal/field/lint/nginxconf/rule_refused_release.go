package nginxconf

import (
	"fmt"
	"strings"

	"h2lab/internal/base/nginxfile"
	"h2lab/internal/field/lint"
)

var refusedRelease = rule{lint.Rule{
	ID: "nginx/refused-release", Severity: lint.Error,
	Title: "This release of nginx doesn't know the directive or value yet",
	Help: "nginx says \"unknown directive\" or \"invalid value\" and doesn't start. Upgrade, or write it as the " +
		"older release wants it. Said only when the version is known.",
	Docs: "https://nginx.org/en/CHANGES",
}, checkRefusedRelease}

func checkRefusedRelease(c *config, r lint.Rule) []lint.Finding {
	var out []lint.Finding
	if !c.release.told {
		return nil
	}
	c.shaped(func(d *nginxfile.Directive, _ shape) {
		if key := c.key(d); !c.release.known(key) {
			fix := ""
			if key == "http2" && d.Parent != nil {
				fix = listenWithHTTP2(d.Parent)
			}
			v := newer[key]
			out = append(out, at(r, d, fmt.Sprintf("%s came with %d.%d.%d; this is %s.", d.Name, v[0], v[1], v[2],
				c.release), fix))
		}
		if d.Name == "proxy_http_version" && d.Arg(0) == "2" && !c.release.AtLeast(1, 29, 4) {
			out = append(out, at(r, d, fmt.Sprintf("HTTP/2 to upstreams came with 1.29.4; this is %s.", c.release),
				"proxy_http_version 1.1;"))
		}
	})
	for _, p := range c.places {
		if p.k.quic && p.l.d != nil && !c.release.AtLeast(1, 25, 0) {
			out = append(out, at(r, p.l.d, fmt.Sprintf("QUIC came with 1.25.0; this is %s.", c.release), ""))
		}
	}
	return out
}

// listenWithHTTP2 is the equivalent of `http2 on;` before 1.25.1.
func listenWithHTTP2(block *nginxfile.Directive) string {
	for _, l := range block.All("listen") {
		args := l.Joined()
		if strings.Contains(args, "ssl") && !strings.Contains(args, "http2") {
			return fmt.Sprintf("# instead of line %d:\nlisten %s http2;", l.Line, args)
		}
	}
	return ""
}
