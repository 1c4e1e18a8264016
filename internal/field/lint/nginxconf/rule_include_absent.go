package nginxconf

import (
	"fmt"

	"h2lab/internal/base/nginxfile"
	"h2lab/internal/base/textwrap"
	"h2lab/internal/field/lint"
)

var includeAbsent = rule{lint.Rule{
	ID: "nginx/include-absent", Severity: lint.Warning,
	Title: "An included file isn't there",
	Help: "nginx refuses to start without it. When this is a copy of a configuration, limits that the file sets were " +
		"not seen: lint the output of `nginx -vT 2>&1` of the machine itself.",
	Docs: "https://nginx.org/en/docs/ngx_core_module.html#include",
}, func(c *config, r lint.Rule) []lint.Finding {
	return includes(r, c.load.Absent, "%s was not found: nginx would refuse to start, and what it sets was not seen.")
}}

func includes(r lint.Rule, list []*nginxfile.Directive, why string) []lint.Finding {
	var out []lint.Finding
	for _, d := range list {
		out = append(out, in(r, d, fmt.Sprintf(why, textwrap.Clip(d.Arg(0), lint.LongestWord)), ""))
	}
	return out
}
