package nginxconf

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"h2lab/internal/base/nginxfile"
	"h2lab/internal/base/textwrap"
	"h2lab/internal/field/lint"
)

var includeAbsent = rule{lint.Rule{
	ID: "nginx/include-absent", Severity: lint.Warning,
	Title: "An included file isn't there",
	Help: "nginx refuses to start without it. When this is a copy of a configuration, limits that the file sets were " +
		"not seen: lint the output of `nginx -vT 2>&1` of the machine itself. Files that every nginx package brings " +
		"(mime.types, fastcgi_params) set no limit and are not reported in a copy.",
	Docs: "https://nginx.org/en/docs/ngx_core_module.html#include",
}, checkIncludeAbsent}

// stock are files of nginx's packages, of Debian's and of the official image, by their last part: none
// of them sets a limit.
var stock = []string{"mime.types", "fastcgi_params", "fastcgi.conf", "fastcgi-php.conf", "fastcgi_params.default",
	"uwsgi_params", "scgi_params", "proxy_params", "snakeoil.conf", "koi-utf", "koi-win", "win-utf"}

// isStock also covers types.d/mime.types and the like, and the default type files of other builds.
func isStock(name string) bool {
	base := path.Base(strings.ReplaceAll(name, `\`, "/"))
	return slices.Contains(stock, base) || strings.HasSuffix(base, "mime.types")
}

func checkIncludeAbsent(c *config, r lint.Rule) []lint.Finding {
	var out []lint.Finding
	for _, m := range c.load.Absent {
		if !c.installed && isStock(m.Path) {
			continue
		}
		what := textwrap.Clip(m.Path, lint.LongestLine)
		if m.Link != "" {
			what += ", a link to " + textwrap.Clip(m.Link, lint.LongestLine) + ","
		}
		f := in(r, m.At, fmt.Sprintf("%s was not found, so what it sets was not seen.", what), "")
		if c.installed {
			f.Why += " nginx refuses to start without it."
		} else { // a copy: the file may be on the machine
			f.Severity = lint.Note
		}
		out = append(out, f)
	}
	return out
}

func notStock(m nginxfile.Missing) bool { return !isStock(m.Path) }

// absentIn are the blocks that have an include of an absent file.
func absentIn(l *nginxfile.Tree) map[*nginxfile.Directive]bool {
	out := map[*nginxfile.Directive]bool{}
	for _, m := range l.Absent {
		out[m.At.Parent] = out[m.At.Parent] || notStock(m)
	}
	return out
}
