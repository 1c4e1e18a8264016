package layout

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

const root = "../.."

// rulesPage has the rules: the table in its section "Import rules" lists the packages that each
// group may import. Don't change it to make a build pass; a new line needs a decision record
// (docs/decisions/).
const rulesPage = "docs/architecture.md"

// A rule lists the packages that the packages of one group may import; only is for their tests.
type rule struct{ group, only []string }

// importRules reads the table. A row is: group | may import | only its tests may import.
func importRules(t *testing.T) map[string]rule {
	t.Helper()
	_, section, found := strings.Cut(read(t, rulesPage), "\n## Import rules\n")
	if !found {
		t.Fatalf("%s has no section \"Import rules\"", rulesPage)
	}
	section, _, _ = strings.Cut(section, "\n## ")
	rules := map[string]rule{}
	for _, line := range strings.Split(section, "\n") {
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		if len(cells) != 4 || !strings.HasPrefix(cells[0], "`") {
			continue
		}
		for _, group := range quoted(cells[0]) {
			rules[group] = rule{group: quoted(cells[1]), only: quoted(cells[2])}
		}
	}
	if len(rules) < 8 {
		t.Fatalf("only %d groups in the table of %s", len(rules), rulesPage)
	}
	return rules
}

// quoted returns the parts of a cell in backticks.
func quoted(cell string) []string {
	var out []string
	for i, word := range strings.Split(cell, "`") {
		if i%2 == 1 {
			out = append(out, strings.TrimSuffix(word, "/"))
		}
	}
	return out
}

// groupOf is the longest group that contains a package, "" without one.
func groupOf(rules map[string]rule, pkg string) string {
	best := ""
	for group := range rules {
		if below(pkg, group) && len(group) > len(best) {
			best = group
		}
	}
	return best
}

func below(pkg, folder string) bool {
	return pkg == folder || strings.HasPrefix(pkg, folder+"/")
}

func belowAny(pkg string, folders []string) bool {
	return slices.ContainsFunc(folders, func(folder string) bool { return below(pkg, folder) })
}

// anything is the package that may import all others.
const anything = "cmd/h2lab"

func TestEveryPackageImportsOnlyWhatItsGroupMay(t *testing.T) {
	const pages = "internal/report/pagetest"
	shared := []string{"internal/base/labtest", pages} // for tests alone
	rules := importRules(t)
	used, users := map[string]bool{}, map[string]bool{}
	for _, f := range goFiles(t) {
		pkg, test := filepath.ToSlash(filepath.Dir(f.name)), strings.HasSuffix(f.name, "_test.go")
		ours := f.imported()
		for _, other := range ours {
			if users[other] = users[other] || test; slices.Contains(shared, other) && !test && pkg != pages {
				t.Errorf("%s imports %s, which only tests may", f.name, other)
			}
		}
		if pkg == anything {
			continue
		}
		group := groupOf(rules, pkg)
		if group == "" {
			t.Errorf("%s: package %s lies in no group of %s", f.name, pkg, rulesPage)
			continue
		}
		used[group] = true
		for _, other := range ours {
			if other != pkg && !belowAny(other, rules[group].group) && !(test && belowAny(other, rules[group].only)) {
				t.Errorf("%s imports %s, which %s doesn't allow to %s", f.name, other, rulesPage, group)
			}
		}
	}
	for group := range rules {
		if !used[group] && group != anything {
			t.Errorf("%s has a row for %s, which holds no package", rulesPage, group)
		}
	}
	for _, name := range shared {
		if !users[name] {
			t.Errorf("no test imports %s: this test looks for the wrong name", name)
		}
	}
}

func TestEveryPackageHasADoorSign(t *testing.T) {
	documented := map[string]bool{}
	for _, f := range goFiles(t) {
		pkg := filepath.Dir(f.name)
		documented[pkg] = documented[pkg] || f.tree.Doc != nil
	}
	for pkg, ok := range documented {
		if !ok {
			t.Errorf("%s has no package comment that says where it stands on the path", pkg)
		}
	}
}

// goFile is one of the project's Go sources; its name is relative to the root.
type goFile struct {
	name, text string
	lines      *token.FileSet
	tree       *ast.File
}

// imported are the packages of this module that a file imports.
func (f goFile) imported() (out []string) {
	for _, spec := range f.tree.Imports {
		path, _ := strconv.Unquote(spec.Path.Value)
		if ours, ok := strings.CutPrefix(path, "h2lab/"); ok {
			out = append(out, ours)
		}
	}
	return out
}

// goFiles are the project's Go sources. Each is parsed once for all tests.
func goFiles(t *testing.T) []goFile {
	t.Helper()
	all, err := parsed()
	if err != nil || len(all) < 20 {
		t.Fatalf("%d Go files found below %s: %v", len(all), root, err)
	}
	return all
}

var parsed = sync.OnceValues(func() (out []goFile, err error) {
	return out, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, path)
		if d.IsDir() {
			// Generated files, or files of other projects. The programs of learners are in modules of their own; the import
			// rules don't apply to them.
			_, module := os.Stat(filepath.Join(path, "go.mod"))
			if slices.Contains([]string{".git", "testdata", "nginx-current", "node_modules", "out", "target"}, d.Name()) ||
				slices.Contains([]string{"results", "var", "bin", "bundle"}, rel) || module == nil && rel != "." {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		lines := token.NewFileSet()
		tree, err := parser.ParseFile(lines, path, text, parser.ParseComments)
		out = append(out, goFile{rel, string(text), lines, tree})
		return err
	})
})
