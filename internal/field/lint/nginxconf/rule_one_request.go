package nginxconf

import (
	"h2lab/internal/base/nginxfile"
	"h2lab/internal/field/cure"
	"h2lab/internal/field/lint"
)

var oneRequest = rule{lint.Rule{
	ID: "nginx/one-request", Severity: lint.Error,
	Title: "keepalive_timeout 0 gives every HTTP/2 connection one request",
	Help: "With keepalive_timeout 0 nginx sends GOAWAY with the first request of an HTTP/2 connection; all others in " +
		"flight are dropped. 1.19.7 closed such connections at once. Give a time; 75s is the default.",
	Docs: docs + "ngx_http_core_module.html#keepalive_timeout",
}, checkOneRequest}

func checkOneRequest(c *config, r lint.Rule) []lint.Finding {
	var out []lint.Finding
	for _, p := range c.h2Places() {
		if p.once == nil {
			continue
		}
		why := "GOAWAY goes out with the first request of each HTTP/2 connection (since 1.19.9), so every request " +
			"needs a connection and those in flight beside it are dropped."
		if !c.release.AtLeast(1, 19, 8) {
			why = "1.19.7 closes HTTP/2 connections at once with this value (nginx trac #2142, #2155)."
		}
		out = append(out, at(r, p.once, why, idleLine))
	}
	return out
}

// idleLine is the idle timeout that every field tool offers for nginx.
var idleLine = cure.Idle(cure.Nginx)[0].Line

// once is a keepalive_timeout of 0, which ends HTTP/2 connections since 1.19.7; before, it was HTTP/1's alone.
func (c *config) once(s *server) *nginxfile.Directive {
	idle := c.idle(s, true)
	if !c.release.AtLeast(1, 19, 7) || idle.Seconds == nil || *idle.Seconds != 0 {
		return nil
	}
	v, _ := s.find("keepalive_timeout")
	return v.d
}
