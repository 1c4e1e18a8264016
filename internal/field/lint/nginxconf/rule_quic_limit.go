package nginxconf

import (
	"fmt"

	"h2lab/internal/field/lint"
)

var quicLimit = rule{lint.Rule{
	ID: "nginx/http3-limit", Severity: lint.Note,
	Title: "HTTP/3 connections have the same limit",
	Help: "keepalive_requests counts HTTP/3 requests as well. nginx announces the end with GOAWAY, rejects what " +
		"comes after it so that clients can send it again, and past twice the limit closes with H3_EXCESSIVE_LOAD.",
	Docs: "nginx src/http/v3/ngx_http_v3_request.c: ngx_http_v3_init_request_stream",
}, checkQuicLimit}

func checkQuicLimit(c *config, r lint.Rule) []lint.Finding {
	var out []lint.Finding
	if !c.release.AtLeast(1, 25, 0) { // nginx rejects HTTP/3; refused-release reports that
		return nil
	}
	for _, p := range c.places {
		n := p.limit.Requests
		if !p.k.quic || p.l.d == nil || n == nil || lint.Weigh(*n, c.inFlight) == lint.Note {
			continue
		}
		out = append(out, in(r, p.l.d, fmt.Sprintf("At %d requests (%s) a QUIC connection is ended too; requests "+
			"after that are rejected and can be sent again, not dropped.", *n, p.limit.From), ""))
	}
	return out
}
