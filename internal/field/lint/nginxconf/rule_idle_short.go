package nginxconf

import (
	"fmt"
	stdtime "time"

	"h2lab/internal/field/lint"
)

var idleShort = rule{lint.Rule{
	ID: "nginx/idle-short", Severity: lint.Warning,
	Title: "A short pause ends the connection",
	Help: "After keepalive_timeout without a request nginx closes an HTTP/2 connection, and PINGs don't count. The " +
		"next burst begins with a dial for each of its requests. Below 10 s it is a warning, below a minute a note; " +
		"75s is the default.",
	Docs: docs + "ngx_http_core_module.html#keepalive_timeout",
}, checkIdleShort}

func checkIdleShort(c *config, r lint.Rule) []lint.Finding {
	var out []lint.Finding
	if !c.release.AtLeast(1, 19, 7) { // keepalive_timeout applied to HTTP/1 only
		return nil
	}
	for _, p := range c.h2Places() {
		v, set := p.rules.find("keepalive_timeout")
		idle := c.idle(p.rules, true).Seconds
		if !set || idle == nil || *idle == 0 || *idle >= lint.ShortIdle.Seconds() {
			continue
		}
		f := at(r, v.d, fmt.Sprintf("After %s without a request the connection ends.", time(*idle)), idleLine)
		f.WeighIdle(stdtime.Duration(*idle * float64(stdtime.Second)))
		out = append(out, f)
	}
	return out
}
