package nginxconf

import (
	"fmt"
	stdtime "time"

	"h2lab/internal/field/cure"
	"h2lab/internal/field/lint"
)

var ageShort = rule{lint.Rule{
	ID: "nginx/age-short", Severity: lint.Warning,
	Title: "keepalive_time renews connections often, whatever keepalive_requests says",
	Help: "When a request arrives on a connection older than keepalive_time, nginx answers it with GOAWAY and drops " +
		"the streams after it, as at the request limit. Give the default of an hour, unless a load balancer needs " +
		"connections to move.",
	Docs: docs + "ngx_http_core_module.html#keepalive_time",
}, checkAgeShort}

func checkAgeShort(c *config, r lint.Rule) []lint.Finding {
	var out []lint.Finding
	for _, p := range c.h2Places() {
		age := c.age(p.rules)
		if v, ok := p.rules.find("keepalive_time"); ok && age.Seconds != nil && *age.Seconds < lint.ShortAge.Seconds() {
			f := at(r, v.d, fmt.Sprintf("The first request after %s ends its connection with GOAWAY, however few it has "+
				"served.", time(*age.Seconds)), cure.Age(cure.Nginx)[0].Line)
			f.Ahead = lint.Momentary(stdtime.Duration(*age.Seconds * float64(stdtime.Second)))
			out = append(out, f)
		}
	}
	return out
}
