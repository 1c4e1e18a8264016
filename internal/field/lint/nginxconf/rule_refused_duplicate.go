package nginxconf

import (
	"fmt"

	"h2lab/internal/base/nginxfile"
	"h2lab/internal/field/lint"
)

var refusedDuplicate = rule{lint.Rule{
	ID: "nginx/refused-duplicate", Severity: lint.Error,
	Title: "nginx refuses a directive that stands twice in one block",
	Help: "nginx doesn't let the last one win: it says \"directive is duplicate\" and doesn't start. Keep one of " +
		"them. An include may have brought the other.",
	Docs: "nginx src/core/ngx_conf_file.c: ngx_conf_set_num_slot",
}, checkRefusedDuplicate}

func checkRefusedDuplicate(c *config, r lint.Rule) []lint.Finding {
	var out []lint.Finding
	type key struct {
		block *nginxfile.Directive
		name  string
	}
	first := map[key]*nginxfile.Directive{}
	c.shaped(func(d *nginxfile.Directive, _ shape) {
		if successors[d.Name] != "" && c.release.AtLeast(1, 19, 7) {
			return // nginx ignores it, however often it is there
		}
		k := key{d.Parent, d.Name}
		if was := first[k]; was != nil {
			out = append(out, at(r, d, fmt.Sprintf("%s stands in the same block at %s:%d already.", d.Name, was.File,
				was.Line), ""))
			return
		}
		first[k] = d
	})
	return out
}
