package nginxconf

import (
	"fmt"
	"slices"
	"strings"

	"h2lab/internal/base/nginxfile"
	"h2lab/internal/field/lint"
)

var refusedPlace = rule{lint.Rule{
	ID: "nginx/refused-place", Severity: lint.Error,
	Title: "nginx refuses this directive in this block",
	Help: "Each directive has the blocks it may stand in; nginx says \"directive is not allowed here\" and doesn't " +
		"start. Limits for HTTP/2 belong into http or server.",
	Docs: docs + "ngx_http_core_module.html",
}, checkRefusedPlace}

func checkRefusedPlace(c *config, r lint.Rule) []lint.Finding {
	var out []lint.Finding
	c.shaped(func(d *nginxfile.Directive, s shape) {
		block := c.block(d)
		if block == "" || slices.Contains(s.blocks, block) {
			return
		}
		out = append(out, at(r, d, fmt.Sprintf("%s may stand in %s, not in %s.", d.Name, strings.Join(s.blocks, ", "),
			block), ""))
	})
	return out
}
