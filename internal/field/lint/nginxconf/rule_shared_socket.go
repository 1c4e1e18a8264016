package nginxconf

import (
	"fmt"
	"slices"

	"h2lab/internal/field/lint"
)

var sharedSocket = rule{lint.Rule{
	ID: "nginx/shared-socket", Severity: lint.Note,
	Title: "Servers on one socket have different limits",
	Help: "The default server's limits apply to connections without SNI, and to all cleartext HTTP/2, whichever " +
		"server the Host header chooses afterwards. Set the limit in the http block, so that it is the same for all.",
	Docs: docs + "server_names.html",
}, checkSharedSocket}

func checkSharedSocket(c *config, r lint.Rule) []lint.Finding {
	var out []lint.Finding
	for _, p := range c.h2Places() {
		own, by := c.limit(p.s, true)
		first, _ := c.limit(p.k.chosen, true)
		if p.k.chosen == p.s || own.Requests == nil || first.Requests == nil || *own.Requests == *first.Requests {
			continue
		}
		d := by
		if d == nil || d.Parent != p.s.d {
			d = p.s.d
		}
		who := "A client without SNI on " + p.l.address
		severity := r.Severity
		if slices.Contains(p.protocols, "h2c") {
			who, severity = "Every client on "+p.l.address+", which has no TLS and so no SNI,", lint.Warning
		}
		f := in(r, d, fmt.Sprintf("%s gets the default server's limit of %d (%s:%d), and not the %d of this server.",
			who, *first.Requests, p.k.chosen.d.File, p.k.chosen.d.Line, *own.Requests), "")
		f.Severity = severity
		out = append(out, f)
	}
	return out
}
