package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/base/texts"
	"h2lab/internal/field/lint"
	"h2lab/internal/field/lint/check"
)

const lintDir = "../../internal/field/lint"

// Findings with parts that no source file has as a whole: each configuration of the rules' tests, for several releases.
func TestLintsOutputIsTranslated(t *testing.T) {
	missing, linted := untranslated{}, 0
	files, err := filepath.Glob(lintDir + "/*/testdata/corpus/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		for _, version := range []string{"", "1.18.0"} {
			r, err := check.Run(t.Context(), []string{file}, "", lint.Options{Version: version})
			if err != nil {
				continue // a file that lint refuses, in English
			}
			linted++
			if err := r.WriteText(io.Discard, texts.Chinese, missing.say); err != nil {
				t.Fatal(err)
			}
		}
	}
	if linted < 100 {
		t.Fatalf("only %d configurations were linted", linted)
	}
	missing.report(t)
}

// Each text of the sources is translated, also what no configuration of the tests meets.
func TestLintsSourcesAreTranslated(t *testing.T) {
	missing, texts := untranslated{}, 0
	err := filepath.WalkDir(lintDir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
			texts += missing.sayFormats(t, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if texts < 20 {
		t.Fatalf("only %d texts found: the search is broken", texts)
	}
	missing.report(t)
}

// sayFormats translates the titles of rules and the format strings that findings and reports are made of.
func (u untranslated) sayFormats(t *testing.T, file string) (texts int) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(f, func(n ast.Node) bool {
		for _, e := range formats(n) {
			if text := strings.TrimSpace(sampled(pattern(e))); labtest.English(text) != "" {
				texts++
				u.say(wholeOf(text))
			}
		}
		return true
	})
	return texts
}

// pattern is a string that is put together, with a verb for each value.
func pattern(e ast.Expr) string {
	if sum, ok := e.(*ast.BinaryExpr); ok {
		return pattern(sum.X) + pattern(sum.Y)
	}
	if text, ok := labtest.Constant(e); ok {
		return text
	}
	return "%s"
}

// wholeOf is a whole sentence of a part that is added to one.
func wholeOf(part string) string {
	switch {
	case strings.HasPrefix(part, "in one stage"):
		return "x answers with GOAWAY " + part + "."
	case strings.HasPrefix(part, "it "), strings.HasPrefix(part, "nginx takes it "):
		return "x sets x: " + part
	case strings.HasPrefix(part, ", a link to "):
		return "x" + part + " was not found, so what it sets was not seen."
	case strings.HasPrefix(part, "x: the upstream closes"):
		return `Requests to "x" go out as HTTP/1.0` + strings.TrimPrefix(part, "x")
	case strings.HasSuffix(part, " in memory, and x"):
		return part + " makes it: change x"
	}
	return part
}

// formats are a title, a reason of a finding and what is added to it.
func formats(n ast.Node) []ast.Expr {
	switch n := n.(type) {
	case *ast.KeyValueExpr:
		if key, ok := n.Key.(*ast.Ident); ok && key.Name == "Title" {
			return []ast.Expr{n.Value}
		}
	case *ast.AssignStmt:
		if n.Tok == token.ADD_ASSIGN {
			return n.Rhs
		}
	case *ast.CallExpr:
		if of, ok := n.Fun.(*ast.SelectorExpr); ok && (of.Sel.Name == "find" || of.Sel.Name == "say") {
			return n.Args
		}
		if of, ok := n.Fun.(*ast.Ident); ok && (of.Name == "at" || of.Name == "in" || of.Name == "append") {
			return n.Args
		}
	}
	return nil
}

// sampled is what a format can produce.
func sampled(format string) string {
	return labtest.Verb.ReplaceAllStringFunc(format, func(verb string) string {
		switch verb[len(verb)-1] {
		case 'd':
			return "7"
		case 'q':
			return `"x"`
		case '%':
			return "%"
		}
		return "x"
	})
}
