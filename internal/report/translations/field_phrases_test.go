package translations

import (
	"go/ast"
	"regexp"
	"slices"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
)

// fieldSources are the files whose constants probe, trace, logs and watch print.
var fieldSources = map[string]*regexp.Regexp{
	"../../field/family":         regexp.MustCompile(`.`),
	"../../field/probe/document": regexp.MustCompile(`.`),
}

// unprinted are calls whose texts are errors, which stay English, and fields that text output leaves out.
var (
	unprinted = []string{"Errorf", "New", "WrongUsage", "panic", "Contains", "HasPrefix", "startsWith", "Command", "Lacks",
		"neverCounted", "speaksAgainst"}
	unprintedField = []string{"denies", "source", "Source", "find", "row", "lacking", "aboutCrossing"}
	// otherwise are texts of JSON alone, and those whose numbers have forms of their own.
	otherwise = []string{"every number is exact", "% by %, every %", "No single limit: connections ended after %, %"}
)

// constants returns the texts of a file that are printed.
func constants(f *ast.File) (out []string) {
	visit := func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec, *ast.Field:
			return false
		case *ast.CallExpr:
			name := ""
			switch fun := n.Fun.(type) {
			case *ast.SelectorExpr:
				name = fun.Sel.Name
			case *ast.Ident:
				name = fun.Name
			}
			if slices.Contains(unprinted, name) {
				return false
			}
		case *ast.ValueSpec:
			if slices.Contains(unprintedField, n.Names[0].Name) {
				return false
			}
		case *ast.KeyValueExpr:
			if key, ok := n.Key.(*ast.Ident); ok && slices.Contains(unprintedField, key.Name) {
				return false
			}
		case ast.Expr:
			if s, ok := labtest.Constant(n); ok {
				out = append(out, s)
				return false
			}
		}
		return true
	}
	ast.Inspect(f, visit)
	return out
}

var anyVerb = regexp.MustCompile(`%[-+# 0]*\*?\d*(?:\.\d*)?(?:\[\d+\])?[a-zA-Z]`)

// plainForm is a format without the kinds of its verbs.
func plainForm(format string) string {
	return anyVerb.ReplaceAllString(strings.ReplaceAll(format, "`", ""), "%")
}

var separator = regexp.MustCompile(`[.?] |\n|; `)

// separate returns the sentences and clauses of a text that are English prose, and of a command its remark.
func separate(s string) (out []string) {
	if _, remark, ok := strings.Cut(s, "   # "); ok {
		s = remark
	}
	for _, part := range separator.Split(plainForm(s), -1) {
		if part = strings.Trim(part, " .?"); labtest.English(" "+part+" ") != "" {
			out = append(out, part)
		}
	}
	return out
}

// A text is translated where it is a phrase, or a part of one that is put together.
func TestEveryTextOfTheToolsForServersIsTranslated(t *testing.T) {
	var keys []string
	for english := range fieldTexts() {
		keys = append(keys, plainForm(string(english)))
	}
	joined := strings.Join(keys, "\n")
	said := 0
	for room, files := range fieldSources {
		fset, parsed := parsed(t, room)
		for _, f := range parsed {
			if !files.MatchString(fset.Position(f.Pos()).Filename) {
				continue
			}
			for _, s := range constants(f) {
				for _, part := range separate(s) {
					if said++; !slices.Contains(otherwise, part) && !strings.Contains(joined, part) {
						t.Errorf("%s prints %q, of which %q isn't translated", fset.Position(f.Pos()).Filename, s, part)
					}
				}
			}
		}
	}
	if said < 200 {
		t.Errorf("only %d texts found: the search is broken", said)
	}
}
