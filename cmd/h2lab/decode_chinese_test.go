package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"

	"h2lab/internal/base/labtest"
	"h2lab/internal/field/decode"
	"h2lab/internal/report/translations"
)

const decodeDir = "../../internal/field/decode/"

// quoted are statements that end in a quotation of the input.
var quoted = []string{"debug data java.lang.OutOfMemoryError: Java heap space", "debug data client transport shutdown"}

// untranslated collects the texts of which Chinese output has English prose, or other numbers than the English.
type untranslated map[string]string

var figureIn = regexp.MustCompile(`\d+(?:[.,]\d+)*`)

// months are numbers in Chinese.
var months = strings.NewReplacer("January 2", "1 2", "March 2", "3 2", "September 2", "9 2", "November 2", "11 2")

// say translates as the command does and notes what stays English.
func (u untranslated) say(english string) string {
	zh := translations.Chinese.Field(english)
	if found := labtest.English(zh); found != "" && !slices.Contains(quoted, english) {
		u[english] = found
	}
	of, in := figureIn.FindAllString(months.Replace(english), -1), figureIn.FindAllString(zh, -1)
	if slices.Sort(of); !slices.Equal(of, slices.Sorted(slices.Values(in))) {
		u[english] = zh
	}
	return zh
}

// report fails for each text.
func (u untranslated) report(t *testing.T) {
	t.Helper()
	for english, found := range u {
		t.Errorf("no Chinese for %q: %q", english, found)
	}
}

// The data files and the rules have more texts than the recorded inputs show.
func TestDecodesDataIsTranslated(t *testing.T) {
	files, err := filepath.Glob(decodeDir + "data/*.toml")
	if err != nil {
		t.Fatal(err)
	}
	missing, texts := untranslated{}, 0
	for _, file := range files {
		var data map[string]any
		b, err := os.ReadFile(file)
		if err == nil {
			err = toml.Unmarshal(b, &data)
		}
		if err != nil {
			t.Fatal(err)
		}
		eachText(data, func(key, value string) {
			switch key {
			case "means", "why", "where", "for", "line", "library", "versions", "says":
				texts++
				missing.say(value)
			}
		})
	}
	for _, file := range []string{"rules", "statements", "code", "verdict", "evidence", "changes", "answers", "border"} {
		texts += missing.sayFields(t, decodeDir+file+".go")
	}
	if texts < 500 {
		t.Fatalf("only %d texts found: the search is broken", texts)
	}
	missing.report(t)
}

// eachText visits the strings of tables and lists.
func eachText(v any, visit func(key, value string)) {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			if s, ok := value.(string); ok {
				visit(key, s)
			}
			eachText(value, visit)
		}
	case []any:
		for _, value := range v {
			eachText(value, visit)
		}
	}
}

// sayFields translates the texts of a source file.
func (u untranslated) sayFields(t *testing.T, file string) (texts int) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(f, func(n ast.Node) bool {
		for _, e := range said(n) {
			if text, ok := labtest.Constant(e); ok && labtest.English(text) != "" {
				if strings.HasPrefix(text, ": ") {
					text = "debug data max_age" + text
				}
				texts++
				u.say(text)
			}
		}
		return true
	})
	return texts
}

// said are the texts of a constant, a field, an answer and a change.
func said(n ast.Node) []ast.Expr {
	switch n := n.(type) {
	case *ast.ValueSpec:
		return n.Values
	case *ast.KeyValueExpr:
		return []ast.Expr{n.Value}
	case *ast.ReturnStmt:
		return n.Results
	case *ast.CallExpr:
		if of, ok := n.Fun.(*ast.Ident); ok && of.Name == "advice" {
			return n.Args
		}
	}
	return nil
}

// oneIn is which texts of the corpora are decoded: they repeat themselves, and the data is tested as a whole.
const oneIn = 20

// Each text of the corpora has output of its own: with counts, ids, other readings and changes.
func TestDecodesOutputIsTranslated(t *testing.T) {
	missing := untranslated{}
	for _, file := range []string{"corpus.jsonl", "siblings.txt"} {
		b, err := os.ReadFile(decodeDir + "testdata/" + file)
		if err != nil {
			t.Fatal(err)
		}
		for i, text := range strings.Split(string(b), "\n") {
			if i%oneIn != 0 {
				continue
			}
			var tally decode.Tally
			if err := decode.Read(t.Context(), file, strings.NewReader(text), &tally); err != nil {
				t.Fatal(err)
			}
			if err := tally.Report().WriteText(io.Discard, missing.say); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := decode.WriteList(io.Discard, missing.say); err != nil {
		t.Fatal(err)
	}
	missing.report(t)
}
