package nginxconf

import (
	"fmt"

	"h2lab/internal/field/lint"
)

// floodAt is the highest limit that this rule reports: its flood allowance is 200 frames.
const floodAt = 20

var flood = rule{lint.Rule{
	ID: "nginx/flood-allowance", Severity: lint.Warning,
	Title: "The limit is so low that nginx may take a client for a flood",
	Help: "nginx allows ten times the request limit in frames without a new request and then ends the connection " +
		"with \"http2 flood detected\" (level info). PING, WINDOW_UPDATE and PRIORITY all count. Raise the limit.",
	Docs: "nginx src/http/v2/ngx_http_v2.c: \"http2 flood detected\"",
}, checkFlood}

func checkFlood(c *config, r lint.Rule) []lint.Finding {
	var out []lint.Finding
	if !c.release.AtLeast(1, 17, 3) {
		return nil
	}
	for _, g := range c.byLimit() {
		if n := g.places[0].limit.Requests; n != nil && *n <= floodAt {
			why := fmt.Sprintf("The limit of %d also sets the flood allowance: after %d frames without a new request "+
				"nginx closes the connection.", *n, 10**n)
			out = append(out, g.finding(r, why, c.requestLimit(*n)))
		}
	}
	return out
}
