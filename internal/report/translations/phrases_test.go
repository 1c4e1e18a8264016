package translations

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/constant"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
)

// speaking are the packages whose phrases are translated.
var speaking = []string{"../../judge/core", "../../judge/runverdicts", "../../judge/storyverdicts",
	"../../judge/sweepverdicts", "../../judge/clientverdicts", "../../judge/limitmap"}

// checkedPackage is a package with the types of its expressions.
type checkedPackage struct {
	fset  *token.FileSet
	files []*ast.File
	info  *types.Info
}

var allChecked = map[string]checkedPackage{}

// checked type-checks some of the speaking packages, each once.
func checked(t *testing.T, folders []string) (out []checkedPackage) {
	t.Helper()
	for _, folder := range folders {
		p, done := allChecked[folder]
		if !done {
			p.fset, p.files = parsed(t, folder)
			p.info = &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
			conf := types.Config{Importer: importer.ForCompiler(p.fset, "gc", exports(t))}
			if _, err := conf.Check(folder, p.fset, p.files, p.info); err != nil {
				t.Fatalf("type-checking %s: %v", folder, err)
			}
			allChecked[folder] = p
		}
		out = append(out, p)
	}
	return out
}

// spoken returns all phrases of these packages, with the position of each.
func spoken(t *testing.T) map[Phrase]string {
	t.Helper()
	out := map[Phrase]string{}
	for _, p := range checked(t, speaking) {
		info, fset := p.info, p.fset
		for e, tv := range info.Types {
			if tv.IsType() || tv.Type == nil ||
				types.Unalias(tv.Type).String() != "h2lab/internal/report/translations.Phrase" {
				continue
			}
			if tv.Value != nil {
				out[Phrase(constant.StringVal(tv.Value))] = fset.Position(e.Pos()).String()
			} else if call, ok := e.(*ast.CallExpr); ok && info.Types[call.Fun].IsType() {
				t.Errorf("%s makes a phrase while the program runs: nobody can translate it", fset.Position(e.Pos()))
			}
		}
	}
	delete(out, "")
	if len(out) < 200 {
		t.Fatalf("only %d phrases found: the search is broken", len(out))
	}
	return out
}

var exported map[string]string

// exports opens the compiler's export data of a package, as located by the go command.
func exports(t *testing.T) importer.Lookup {
	t.Helper()
	if exported == nil {
		exported = exportFiles(t)
	}
	return func(path string) (io.ReadCloser, error) { return os.Open(exported[path]) }
}

func exportFiles(t *testing.T) map[string]string {
	t.Helper()
	list, err := exec.Command("go", append([]string{"list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}"},
		slices.Concat(speaking, drawing)...)...).Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	files := map[string]string{}
	for line := range strings.Lines(string(list)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		files[path] = file
	}
	return files
}

func parsed(t *testing.T, room string) (*token.FileSet, []*ast.File) {
	t.Helper()
	fset := token.NewFileSet()
	var files []*ast.File
	names, _ := filepath.Glob(filepath.Join(room, "*.go"))
	for _, name := range names {
		built, err := build.Default.MatchFile(filepath.Split(name))
		if err != nil || !built || strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	return fset, files
}

func TestEveryPhraseIsTranslatedAndNothingElseIs(t *testing.T) {
	phrases := spoken(t)
	for p, where := range phrases {
		if key.MatchString(string(p)) {
			continue
		}
		if _, ok := chinese[p]; !ok {
			t.Errorf("%s says %q, which internal/report/translations doesn't translate", where, p)
		}
	}
	for p := range chinese {
		if phrases[p] == "" {
			t.Errorf("a translation of %q, which nobody says", p)
		}
	}
}

func TestNoPhraseIsTranslatedTwice(t *testing.T) {
	n := 0
	for _, table := range tables {
		n += len(table)
	}
	if n != len(chinese) {
		t.Errorf("%d translations in the tables and %d phrases: one stands in two tables", n, len(chinese))
	}
}

var digits = regexp.MustCompile(`\d+(?:,\d{3})*(?:\.\d+)?`)

// months are written as numbers in Chinese.
var months = strings.NewReplacer("January 2", "1 2", "March 2", "3 2", "September 2", "9 2", "November 2", "11 2")

func figures(s string) []string {
	s = months.Replace(s)
	found := digits.FindAllString(labtest.Verb.ReplaceAllString(s, ""), -1)
	slices.Sort(found)
	return found
}

// A translation that swaps two arguments without indexes, loses one or changes a figure would put a
// wrong number into the Chinese report.
func TestTranslationsKeepVerbsAndFigures(t *testing.T) {
	for _, table := range append(slices.Concat(recordedTables, fieldTables), chineseMessages, chineseMessageParts, chinese) {
		for p, zh := range table {
			if want, got := labtest.Verbs(string(p)), labtest.Verbs(zh); !slices.Equal(want, got) {
				t.Errorf("%q has verbs %q, its translation %q has %q", p, want, zh, got)
			}
			if want, got := figures(string(p)), figures(zh); !slices.Equal(want, got) {
				t.Errorf("%q has figures %q, its translation %q has %q", p, want, zh, got)
			}
		}
	}
}

// sample returns a value for each verb.
func sample(verbs []string) []any {
	var out []any
	for i, v := range verbs {
		switch v[len(v)-1] {
		case 'd':
			out = append(out, 100+i)
		case 'f', 'g':
			out = append(out, 1.5+float64(i))
		default:
			out = append(out, fmt.Sprintf("<%d>", i))
		}
	}
	return out
}

func TestEveryTranslationCanBeWritten(t *testing.T) {
	for p := range chinese {
		args := sample(labtest.Verbs(string(p)))
		if out := Chinese.Say(p, args...); strings.Contains(out, "%!") ||
			len(args) == 0 && strings.Contains(out, "%%") {
			t.Errorf("%q is written %q", p, out)
		}
		if out := English.Say(p, args...); strings.Contains(out, "%!") {
			t.Errorf("%q is written %q", p, out)
		}
	}
}
