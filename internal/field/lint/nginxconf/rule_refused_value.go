package nginxconf

import (
	"fmt"
	"slices"
	"strings"

	"h2lab/internal/base/nginxfile"
	"h2lab/internal/base/text"
	"h2lab/internal/field/cure"
	"h2lab/internal/field/lint"
)

var refusedValue = rule{lint.Rule{
	ID: "nginx/refused-value", Severity: lint.Error,
	Title: "nginx refuses this value",
	Help: "Numbers are digits alone: no unit, no sign, no variable. Times are numbers with units, the greater before " +
		"the smaller: 75s, 1h30m, 500ms. nginx doesn't start, and a reload keeps the old configuration.",
	Docs: "https://nginx.org/en/docs/syntax.html",
}, checkRefusedValue}

// usual are valid values to paste in place of a rejected one.
var usual = map[string]string{
	"keepalive_requests": fmt.Sprint(cure.Requests(0)), "keepalive_time": "1h", "keepalive_timeout": "75s", "keepalive_min_timeout": "0",
	"http2": "on", "http2_max_concurrent_streams": "128", "keepalive": "32", "worker_connections": "4096",
}

func checkRefusedValue(c *config, r lint.Rule) []lint.Finding {
	var out []lint.Finding
	c.shaped(func(d *nginxfile.Directive, s shape) {
		if c.release.AtLeast(1, 19, 7) && successors[d.Name] != "" {
			return // nginx ignores it without reading the value
		}
		why := c.refusal(d, s)
		if why == "" {
			return
		}
		fix := ""
		if v, ok := usual[d.Name]; ok {
			fix = d.Name + " " + v + ";"
		}
		out = append(out, at(r, d, why, fix))
	})
	return out
}

// refusal is the reason why nginx rejects a directive's arguments; "" when it accepts them.
func (c *config) refusal(d *nginxfile.Directive, s shape) string {
	if d.Name == "keepalive" && c.release.AtLeast(1, 29, 7) {
		s.most = 2 // keepalive 32 local
	}
	if n := len(d.Args); n == 0 || n > s.most {
		return fmt.Sprintf("%s takes %s, here are %d: nginx says \"invalid number of arguments\".", d.Name,
			arguments(s.most), n)
	}
	value := d.Arg(0)
	if strings.Contains(value, "$") && s.kind != aVersion {
		return fmt.Sprintf("%s is read when nginx starts, so it can't be a variable: %s is refused.", d.Name,
			text.ClipLine(value, lint.LongestWord))
	}
	var ok bool
	switch s.kind {
	case aNumber:
		n, is := number(value)
		zero := d.Name == "keepalive" && n == 0 && !c.release.AtLeast(1, 29, 7) ||
			d.Name == "worker_connections" && n == 0
		if ok = is && !zero; !ok {
			return fmt.Sprintf("%q is no number that %s takes: digits alone%s.", text.ClipLine(value, lint.LongestWord),
				d.Name, above(is && zero))
		}
	case aTime:
		for i, w := range d.Args {
			// The second time of keepalive_timeout is for a header, in whole seconds.
			if _, ok = seconds(w.Text, i > 0); !ok {
				return fmt.Sprintf("%q is no time: a number with units, the greater before the smaller, as in "+
					"75s or 1h30m.", text.ClipLine(w.Text, lint.LongestWord))
			}
		}
	case aVersion:
		if !slices.Contains([]string{"1.0", "1.1", "2"}, value) { // when 2 is too new, refused-release reports it
			return fmt.Sprintf("%q is none of 1.0, 1.1 and 2.", text.ClipLine(value, lint.LongestWord))
		}
	case aFlag:
		if ok = strings.EqualFold(value, "on") || strings.EqualFold(value, "off"); !ok {
			return fmt.Sprintf("%q is neither \"on\" nor \"off\".", text.ClipLine(value, lint.LongestWord))
		}
	}
	return ""
}

func above(zero bool) string {
	if zero {
		return ", above 0"
	}
	return ""
}

func arguments(most int) string {
	if most == 1 {
		return "one argument"
	}
	return fmt.Sprintf("one or %d arguments", most)
}
