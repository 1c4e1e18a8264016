package nginxconf

import "h2lab/internal/field/lint"

var minTimeout = rule{lint.Rule{
	ID: "nginx/min-timeout", Severity: lint.Note,
	Title: "keepalive_min_timeout has no effect on HTTP/2",
	Help: "keepalive_min_timeout (since 1.27.4) delays the close of idle HTTP/1 connections. Nothing in src/http/v2 " +
		"looks at it. For HTTP/2 only keepalive_timeout, keepalive_requests and keepalive_time count.",
	Docs: docs + "ngx_http_core_module.html#keepalive_min_timeout",
}, checkMinTimeout}

func checkMinTimeout(c *config, r lint.Rule) []lint.Finding {
	var out []lint.Finding
	if !c.release.known("keepalive_min_timeout") { // nginx rejects it; refused-release reports that
		return nil
	}
	for _, p := range c.h2Places() {
		if v, ok := p.rules.find("keepalive_min_timeout"); ok {
			out = append(out, in(r, v.d, "It keeps idle HTTP/1 connections open during a shutdown of workers; HTTP/2 "+
				"connections are closed as if it weren't there.", ""))
		}
	}
	return out
}
