package layout

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
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
	count := map[string][2]int{}
	for _, file := range goFiles(t) {
		n, kind := count[filepath.Dir(file)], 0
		if strings.HasSuffix(file, "_test.go") {
			kind = 1
		}
		n[kind]++
		count[filepath.Dir(file)] = n
	}
	for dir, n := range count {
		if max(n[0], n[1]) > maxFiles {
			t.Errorf("%s has %d files and %d of tests: at most %d of each, more are two jobs", dir, n[0], n[1], maxFiles)
		}
	}
}

// TestLinesFitAScreen passes over struct tags, which Go can't split, and over tests, whose tables
// of long messages are easier to compare unbroken.
func TestLinesFitAScreen(t *testing.T) {
	for _, file := range goFiles(t) {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		for i, line := range strings.Split(read(t, file), "\n") {
			if n := columns(line); n > maxColumns && !strings.Contains(line, "`") {
				t.Errorf("%s:%d has %d columns, more than %d", file, i+1, n, maxColumns)
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

func TestFunctionsFitAScreenAndFilesAreShort(t *testing.T) {
	for _, file := range goFiles(t) {
		src, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(src, []byte("\n")); n > maxFileLines {
			t.Errorf("%s has %d lines, more than %d: split it by job", file, n, maxFileLines)
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, file, src, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range f.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			if n := fset.Position(fn.End()).Line - fset.Position(fn.Pos()).Line + 1; n > maxFunctionLines {
				t.Errorf("%s: %s has %d lines, more than %d", file, fn.Name.Name, n, maxFunctionLines)
			}
		}
	}
}
