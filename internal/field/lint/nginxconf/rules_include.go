package nginxconf

import (
	"regexp"
	"slices"
	"strings"

	"h2lab/internal/base/nginxfile"
	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/field/lint"
)

// stock are files of nginx's packages, of Debian's and of the official image, by their last part: none
// of them sets a limit. types.d/mime.types and the like, and the default type files of other builds, are stock too.
var stock = regexp.MustCompile(`(?:^|[/\\])(?:[^/\\]*mime\.types|fastcgi_params(?:\.default)?|fastcgi(?:-php)?\.conf|uwsgi_params|` +
	`scgi_params|proxy_params|snakeoil\.conf|koi-utf|koi-win|win-utf)$`)

func notStock(m nginxfile.Missing) bool { return !stock.MatchString(m.Path) }

// absentIn are the blocks that have an include of an absent file.
func absentIn(l *nginxfile.Tree) map[*nginxfile.Directive]bool {
	out := map[*nginxfile.Directive]bool{}
	for _, m := range l.Absent {
		out[m.At.Parent] = out[m.At.Parent] || notStock(m)
	}
	return out
}

// includeAbsent has one finding for each file with includes of absent files.
func includeAbsent(c *config, r lint.Rule, add func(lint.Finding)) {
	var list []*nginxfile.Directive
	names := map[*nginxfile.Directive][]string{}
	for _, m := range c.load.Absent {
		if notStock(m) && !loadsModules(m.At) {
			name := text.ClipLine(m.Path, lint.LongestLine)
			if m.Link != "" {
				name += " → " + text.ClipLine(m.Link, lint.LongestLine)
			}
			list, names[m.At] = append(list, m.At), append(names[m.At], name)
		}
	}
	byFile(r, list, names, func(all facts.Text) facts.Text { return facts.T("nginx.absent", all) }, add)
}

// oneCharacter is a class such as [.], which turns a name into a pattern, so that nginx starts without
// the file.
var oneCharacter = regexp.MustCompile(`\[[^\]*?]\]`)

// includeNothing has one finding for each file with patterns that match nothing, where the files may set what the report
// is about: in http, and outside of all blocks.
func includeNothing(c *config, r lint.Rule, add func(lint.Finding)) {
	var list []*nginxfile.Directive
	names := map[*nginxfile.Directive][]string{}
	for _, d := range c.load.Nothing {
		if (c.inHTTP(d) || d.Parent == nil && !loadsModules(d)) &&
			strings.ContainsAny(oneCharacter.ReplaceAllString(d.Arg(0), ""), "*?[") {
			list, names[d] = append(list, d), []string{text.ClipLine(d.Arg(0), lint.LongestWord)}
		}
	}
	byFile(r, list, names, func(all facts.Text) facts.Text { return facts.T("nginx.matches-nothing", all) }, add)
}

// loadsModules reports an include of load_module lines, as Debian has them (modules-enabled).
func loadsModules(d *nginxfile.Directive) bool {
	return d.Parent == nil && strings.Contains(d.Arg(0), "modules")
}

// byFile makes one finding of the includes of a file: at the first, with the others under Also.
func byFile(r lint.Rule, list []*nginxfile.Directive, names map[*nginxfile.Directive][]string, why func(facts.Text) facts.Text,
	add func(lint.Finding)) {
	for len(list) > 0 {
		first := list[0]
		f := in(r, first, "")
		var all []string
		list = slices.DeleteFunc(list, func(d *nginxfile.Directive) bool {
			if d.File != first.File {
				return false
			}
			for _, name := range names[d] {
				if !slices.Contains(all, name) {
					all = append(all, name)
				}
			}
			if at := (lint.Place{File: d.File, Line: d.Line}); d != first && !slices.Contains(f.Also, at) {
				f.Also = append(f.Also, at)
			}
			return true
		})
		f.Add(why(enumerated(all)))
		add(f)
	}
}
