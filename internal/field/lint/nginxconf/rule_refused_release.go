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
			v := newer[key]
			f := at(r, d, fmt.Sprintf("%s came with %d.%d.%d; this is %s.", d.Name, v[0], v[1], v[2], c.release), "")
			if key == "http2" && strings.EqualFold(d.Arg(0), "on") {
				c.listenWithHTTP2(&f, d.Parent)
			}
			out = append(out, f)
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

// listenWithHTTP2 adds the equivalent of `http2 on;` before 1.25.1 to a finding.
func (c *config) listenWithHTTP2(f *lint.Finding, block *nginxfile.Directive) {
	for _, s := range c.within[block] {
		for _, l := range s.listens {
			if l.d == nil || !l.has("ssl") || l.has("http2") {
				continue
			}
			line := "listen " + l.d.Joined() + " http2;"
			if f.Fix += fmt.Sprintf("\n%s   # instead of line %d", line, l.d.Line); f.Fix[0] == '\n' {
				f.Fix = f.Fix[1:]
			}
			f.Edits = append(f.Edits, lint.Edit{Kind: lint.Replace, File: l.d.File, From: l.d.From, To: l.d.To,
				Text: line, Key: keyOf(l.d)})
		}
	}
}
