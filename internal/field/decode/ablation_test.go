package decode

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestAblation says what a step is worth: ABLATIONS='joins,differ reservation' go test -run Ablation -v prints the scores of
// TestTheCorpus with joins and differ off, then with reservation off, for texts that were read and for those that were not.
// A step that is off returns at once: what it was given, if that is what it returns, else nothing.
func TestAblation(t *testing.T) {
	for _, set := range strings.Fields(os.Getenv("ABLATIONS")) {
		overlay := overlayWithout(t, strings.Split(set, ","))
		cmd := exec.Command("go", "test", "-overlay", overlay, "-run", "^TestTheCorpus$", "-count=1", ".")
		cmd.Env = append(os.Environ(), "SCORES=1", "ABLATIONS=")
		out, _ := cmd.CombinedOutput() // a score below the bounds fails there
		fmt.Printf("without %s\n", set)
		for line := range strings.Lines(string(out)) {
			if strings.HasPrefix(line, "| ") || strings.Contains(line, ".go:") && !strings.Contains(line, "_test.go:") {
				fmt.Print(line)
			}
		}
	}
}

// overlayWithout is a file for go's -overlay that switches functions off, by their names.
func overlayWithout(t *testing.T, steps []string) string {
	t.Helper()
	dir, replaced, found := t.TempDir(), map[string]string{}, 0
	files, _ := filepath.Glob("*.go")
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, file, source, 0)
		if err != nil {
			t.Fatal(err)
		}
		text := func(n ast.Node) string {
			return string(source[set.Position(n.Pos()).Offset:set.Position(n.End()).Offset])
		}
		out := source
		for _, d := range slices.Backward(parsed.Decls) {
			f, ok := d.(*ast.FuncDecl)
			if !ok || !slices.Contains(steps, f.Name.Name) {
				continue
			}
			found++
			at := set.Position(f.Body.Lbrace).Offset + 1
			out = slices.Concat(out[:at:at], []byte("\nif true { return "+nothingOf(f, text)+" }\n"), out[at:])
		}
		if len(out) > len(source) {
			path, _ := filepath.Abs(file)
			replaced[path] = filepath.Join(dir, file)
			if err := os.WriteFile(replaced[path], out, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	if found < len(steps) {
		t.Fatalf("of %v only %d are functions of this package", steps, found)
	}
	b, _ := json.Marshal(map[string]any{"Replace": replaced})
	overlay := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(overlay, b, 0o644); err != nil {
		t.Fatal(err)
	}
	return overlay
}

// nothingOf is what a function returns that does nothing.
func nothingOf(f *ast.FuncDecl, text func(ast.Node) string) string {
	var out []string
	for of := range fieldsOf(f.Type.Results) {
		value := "*new(" + text(of.Type) + ")"
		for given := range fieldsOf(f.Recv, f.Type.Params) {
			if text(given.Type) == text(of.Type) && given.Names != nil {
				value = given.Names[0].Name
				break
			}
		}
		for range max(1, len(of.Names)) {
			out = append(out, value)
		}
	}
	return strings.Join(out, ", ")
}

func fieldsOf(lists ...*ast.FieldList) func(yield func(*ast.Field) bool) {
	return func(yield func(*ast.Field) bool) {
		for _, l := range lists {
			if l == nil {
				continue
			}
			for _, f := range l.List {
				if !yield(f) {
					return
				}
			}
		}
	}
}
