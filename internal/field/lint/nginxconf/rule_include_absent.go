package nginxconf

import (
	"fmt"
	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
	"path"
	"slices"
	"strings"

	"h2lab/internal/base/nginxfile"
	"h2lab/internal/base/text"
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

// checkIncludeAbsent has one finding for each absent file; in a copy, whose files may be on the machine, one for
// each file with such includes.
func checkIncludeAbsent(c *config, r lint.Rule) []lint.Finding {
	var out []lint.Finding
	together := map[string]int{} // which finding has the absent includes of a file
	names := map[string][]string{}
	for _, m := range c.load.Absent {
		if !c.installed && (isStock(m.Path) || loadsModules(m.At)) {
			continue
		}
		name, file := text.ClipLine(m.Path, lint.LongestLine), m.At.File
		if c.installed || m.Link != "" {
			out = append(out, c.absent(r, m, name))
			continue
		}
		i, there := together[file]
		if !there {
			together[file], names[file] = len(out), []string{name}
			out = append(out, c.absent(r, m, name))
			continue
		}
		out[i].Also = append(out[i].Also, lint.Place{File: file, Line: m.At.Line})
		if !slices.Contains(names[file], name) {
			names[file] = append(names[file], name)
			out[i].Why = texts.Sentence(facts.Verbatim(fmt.Sprintf("%s were not found, so what they set was not seen.",
				enumerated(names[file]))))
		}
	}
	return out
}

// absent is the finding of one absent file.
func (c *config) absent(r lint.Rule, m nginxfile.Missing, name string) lint.Finding {
	if m.Link != "" {
		name += ", a link to " + text.ClipLine(m.Link, lint.LongestLine) + ","
	}
	f := in(r, m.At, fmt.Sprintf("%s was not found, so what it sets was not seen.", name), "")
	if c.installed {
		f.Add(facts.Verbatim("nginx refuses to start without it."))
	} else {
		f.Severity = lint.Note
	}
	return f
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
