package nginxconf

import (
	"fmt"

	"h2lab/internal/field/lint"
)

var streamsLow = rule{lint.Rule{
	ID: "nginx/streams-low", Severity: lint.Warning,
	Title: "Fewer streams than requests in flight",
	Help: "A client with more requests than http2_max_concurrent_streams waits or opens more connections. The default " +
		"is 128; RFC 9113 section 6.5.2 recommends at least 100.",
	Docs: docs + "ngx_http_v2_module.html#http2_max_concurrent_streams",
}, checkStreamsLow}

func checkStreamsLow(c *config, r lint.Rule) []lint.Finding {
	var out []lint.Finding
	for _, p := range c.h2Places() {
		v, set := p.rules.find("http2_max_concurrent_streams")
		n := c.concurrency(p.rules).Requests
		if !set || n == nil || *n >= int64(c.inFlight) {
			continue
		}
		out = append(out, at(r, v.d, fmt.Sprintf("%d streams at once, for clients with %d requests in flight.", *n,
			c.inFlight), fmt.Sprintf("http2_max_concurrent_streams %d;", max(128, c.inFlight))))
	}
	return out
}
