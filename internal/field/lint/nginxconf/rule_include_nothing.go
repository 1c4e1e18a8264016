package nginxconf

import "h2lab/internal/field/lint"

var includeNothing = rule{lint.Rule{
	ID: "nginx/include-nothing", Severity: lint.Note,
	Title: "An include matches no file",
	Help: "nginx starts all the same. When this is a copy of a configuration, the servers of those files were not " +
		"seen: lint the output of `nginx -vT 2>&1` of the machine itself.",
	Docs: "https://nginx.org/en/docs/ngx_core_module.html#include",
}, func(c *config, r lint.Rule) []lint.Finding {
	return includes(r, c.load.Nothing, "%s matches nothing here: servers in such files were not seen.")
}}
