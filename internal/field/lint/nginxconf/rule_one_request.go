package nginxconf

import "h2lab/internal/field/lint"

var oneRequest = rule{lint.Rule{
	ID: "nginx/one-request", Severity: lint.Error,
	Title: "keepalive_timeout 0 gives every HTTP/2 connection one request",
	Help: "With keepalive_timeout 0 nginx sends GOAWAY with the first request of an HTTP/2 connection; all others in " +
		"flight are dropped. 1.19.7 closed such connections at once. Give a time; 75s is the default.",
	Docs: docs + "ngx_http_core_module.html#keepalive_timeout",
}, checkOneRequest}

func checkOneRequest(c *config, r lint.Rule) []lint.Finding {
	var out []lint.Finding
	if !c.release.AtLeast(1, 19, 7) { // keepalive_timeout applied to HTTP/1 only
		return nil
	}
	for _, p := range c.h2Places() {
		idle := c.idle(p.rules, true)
		if idle.Seconds == nil || *idle.Seconds != 0 {
			continue
		}
		v, _ := p.rules.find("keepalive_timeout")
		why := "GOAWAY goes out with the first request of each HTTP/2 connection (since 1.19.9), so every request " +
			"needs a connection and those in flight beside it are dropped."
		if !c.release.AtLeast(1, 19, 8) {
			why = "1.19.7 closes HTTP/2 connections at once with this value (nginx trac #2142, #2155)."
		}
		out = append(out, at(r, v.d, why, "keepalive_timeout 75s;"))
	}
	return out
}
