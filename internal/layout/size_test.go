package layout

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"testing"
)

// A reader sees a whole function on one screen, and reads a file in one sitting.
const (
	maxFunctionLines = 60
	maxFileLines     = 300
)

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
