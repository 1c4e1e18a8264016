package translations

import (
	"go/ast"
	"go/build"
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

// checkedPackage is a package with the types of its expressions.
type checkedPackage struct {
	fset  *token.FileSet
	files []*ast.File
	info  *types.Info
}

var allChecked = map[string]checkedPackage{}

// checked type-checks some packages, each once.
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
		drawing...)...).Output()
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
	for _, table := range append(slices.Concat(recordedTables, fieldTables), chineseMessages, chineseMessageParts) {
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
