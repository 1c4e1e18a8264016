package nginxconf

import (
	"strings"

	"h2lab/internal/field/lint"
)

var noResumption = rule{lint.Rule{
	ID: "nginx/no-resumption", Severity: lint.Warning,
	Title: "TLS sessions can't be resumed, so every renewal makes full handshakes",
	Help: "With ssl_session_tickets off and no shared ssl_session_cache each new connection is a whole handshake " +
		"with the certificate's key, and a renewal may be a hundred of them at once. A shared cache lets clients " +
		"resume at a fraction of the price.",
	Docs: docs + "ngx_http_ssl_module.html#ssl_session_cache",
}, checkNoResumption}

func checkNoResumption(c *config, r lint.Rule) []lint.Finding {
	var out []lint.Finding
	for _, p := range c.h2Places() {
		tickets, set := p.s.find("ssl_session_tickets")
		if !p.k.tls || !set || tickets.d.Arg(0) != "off" {
			continue
		}
		if cache, ok := p.s.find("ssl_session_cache"); ok && strings.Contains(cache.d.Joined(), "shared:") {
			continue
		}
		f := in(r, tickets.d, "Tickets are off here and there is no shared session cache: no session can be resumed.",
			"ssl_session_cache shared:TLS:10m;")
		out = append(out, f)
	}
	return out
}
