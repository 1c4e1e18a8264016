package layout

import (
	"go/ast"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/text/width"
)

// A reader sees a whole function on one screen, in height and in width, and reads a file in one sitting.
const (
	maxFunctionLines = 60
	maxFileLines     = 800
	maxColumns       = 140
	maxFiles         = 15 // of a package, and as many of its tests
)

func TestPackagesHaveFewFiles(t *testing.T) {
	count := map[[2]string]int{}
	for _, f := range goFiles(t) {
		kind := "files"
		if strings.HasSuffix(f.name, "_test.go") {
			kind = "files of tests"
		}
		count[[2]string{filepath.Dir(f.name), kind}]++
	}
	for of, n := range count {
		if n > maxFiles {
			t.Errorf("%s has %d %s: at most %d, more are two jobs", of[0], n, of[1], maxFiles)
		}
	}
}

// Struct tags, which Go can't split, may be wider, and tests, whose tables of long messages are easier to compare unbroken.
func TestLinesAndFunctionsFitAScreenAndFilesAreShort(t *testing.T) {
	for _, f := range goFiles(t) {
		lines := strings.Split(f.text, "\n")
		if n := len(lines) - 1; n > maxFileLines {
			t.Errorf("%s has %d lines, more than %d: split it by job", f.name, n, maxFileLines)
		}
		for i, line := range lines {
			if n := columns(line); n > maxColumns && !strings.Contains(line, "`") && !strings.HasSuffix(f.name, "_test.go") {
				t.Errorf("%s:%d has %d columns, more than %d", f.name, i+1, n, maxColumns)
			}
		}
		for _, decl := range f.tree.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok {
				if n := f.lines.Position(fn.End()).Line - f.lines.Position(fn.Pos()).Line + 1; n > maxFunctionLines {
					t.Errorf("%s: %s has %d lines, more than %d", f.name, fn.Name.Name, n, maxFunctionLines)
				}
			}
		}
	}
}

// columns is a line's width, with tabs of four columns and wide characters (CJK) of two.
func columns(line string) (n int) {
	for _, r := range line {
		switch {
		case r == '\t':
			n += 4
		case width.LookupRune(r).Kind() == width.EastAsianWide, width.LookupRune(r).Kind() == width.EastAsianFullwidth:
			n += 2
		default:
			n++
		}
	}
	return n
}
