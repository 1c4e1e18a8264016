package nginxconf

import (
	"fmt"
	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
	"regexp"
	"slices"
	"strings"

	"h2lab/internal/base/nginxfile"
	"h2lab/internal/base/text"
	"h2lab/internal/field/lint"
)

var includeNothing = rule{lint.Rule{
	ID: "nginx/include-nothing", Severity: lint.Note,
	Title: "An include matches no file",
	Help: "nginx starts all the same. When this is a copy of a configuration, the servers of those files were not " +
		"seen: lint the output of `nginx -vT 2>&1` of the machine itself.",
	Docs: "https://nginx.org/en/docs/ngx_core_module.html#include",
}, checkIncludeNothing}

// oneCharacter is a class such as [.], which turns a name into a pattern, so that nginx starts without
// the file.
var oneCharacter = regexp.MustCompile(`\[[^\]*?]\]`)

// checkIncludeNothing has one finding for each file with such includes.
func checkIncludeNothing(c *config, r lint.Rule) []lint.Finding {
	var out []lint.Finding
	byFile := map[string][]*nginxfile.Directive{}
	var files []string
	for _, d := range c.load.Nothing {
		if !c.matters(d) || !strings.ContainsAny(oneCharacter.ReplaceAllString(d.Arg(0), ""), "*?[") {
			continue
		}
		if byFile[d.File] == nil {
			files = append(files, d.File)
		}
		byFile[d.File] = append(byFile[d.File], d)
	}
	for _, file := range files {
		list := byFile[file]
		var patterns []string
		f := in(r, list[0], "", "")
		for i, d := range list {
			if p := text.ClipLine(d.Arg(0), lint.LongestWord); !slices.Contains(patterns, p) {
				patterns = append(patterns, p)
			}
			if i > 0 {
				f.Also = append(f.Also, lint.Place{File: d.File, Line: d.Line})
			}
		}
		verb := "match"
		if len(patterns) == 1 {
			verb = "matches"
		}
		f.Why = texts.Sentence(facts.Verbatim(fmt.Sprintf("%s %s no file here: servers and settings in such files were not seen.",
			enumerated(patterns), verb)))
		out = append(out, f)
	}
	return out
}

// mostPatterns bounds the patterns and names that a finding lists.
const mostPatterns = 20

func enumerated(names []string) string {
	if n := len(names); n > mostPatterns {
		names = append(slices.Clone(names[:mostPatterns]), fmt.Sprintf("and %d more", n-mostPatterns))
	}
	return strings.Join(names, ", ")
}

// matters reports an include whose files may set what the report is about: those of http, and those outside of
// all blocks, but for load_module lines as Debian has them (modules-enabled).
func (c *config) matters(d *nginxfile.Directive) bool {
	return c.inHTTP(d) || d.Parent == nil && !loadsModules(d)
}

// loadsModules reports an include of load_module lines.
func loadsModules(d *nginxfile.Directive) bool {
	return d.Parent == nil && strings.Contains(d.Arg(0), "modules")
}

// inHTTP reports whether a directive is in the http block, or in a file that one includes.
func (c *config) inHTTP(d *nginxfile.Directive) bool {
	for up := d.Parent; up != nil; up = up.Parent {
		switch up.Name {
		case "http":
			return true
		case "events", "stream", "mail":
			return false
		}
	}
	return c.fragment
}
