package translations

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
)

// fieldWords are all strings of the field tools, and what their data files have.
func fieldWords(t *testing.T) string {
	t.Helper()
	var out strings.Builder
	err := filepath.WalkDir("../../field", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || strings.HasSuffix(path, "_test.go") {
			return err
		}
		switch filepath.Ext(path) {
		case ".toml":
			b, err := os.ReadFile(path)
			out.WriteString(strings.ReplaceAll(string(b), `\"`, `"`))
			return err
		case ".go":
			f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				return err
			}
			ast.Inspect(f, func(n ast.Node) bool {
				if e, ok := n.(ast.Expr); ok {
					if s, ok := labtest.Constant(e); ok {
						out.WriteString(s + "\n")
						return false
					}
				}
				if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
					s, _ := strconv.Unquote(l.Value)
					out.WriteString(s + "\n")
				}
				return true
			})
		}
		return nil
	})
	labtest.Check(t, err)
	return out.String()
}

// runs are the runs of three words of a text, whatever its arguments.
func runs(text string) (out []string) {
	words := strings.Fields(formVerb.ReplaceAllString(text, "%"))
	for i := range max(0, len(words)-2) {
		out = append(out, strings.Join(words[i:i+3], " "))
	}
	return out
}

// A text that nobody prints any more would stay in the tables. Some are put together, so a third of the words is enough.
func TestEveryFieldTextIsPrinted(t *testing.T) {
	said := map[string]bool{}
	for _, run := range runs(fieldWords(t)) {
		said[run] = true
	}
	if len(said) < 10_000 {
		t.Fatalf("only %d runs of words found: the search is broken", len(said))
	}
	for english := range merged(fieldTables) {
		found, all := 0, runs(string(english))
		for _, run := range all {
			if said[run] {
				found++
			}
		}
		if len(all) > 6 && 3*found < len(all) {
			t.Errorf("a translation of %q, which nobody prints", english)
		}
	}
}
