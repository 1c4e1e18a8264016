package layout

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
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
	rules := importRules(t)
	used := map[string]bool{}
	for _, file := range goFiles(t) {
		pkg := filepath.ToSlash(filepath.Dir(file))
		if pkg == anything {
			continue
		}
		group := groupOf(rules, pkg)
		if group == "" {
			t.Errorf("%s: package %s lies in no group of %s", file, pkg, rulesPage)
			continue
		}
		used[group] = true
		for _, ours := range imported(t, file) {
			allowed := ours == pkg || belowAny(ours, rules[group].group)
			if strings.HasSuffix(file, "_test.go") {
				allowed = allowed || belowAny(ours, rules[group].only)
			}
			if !allowed {
				t.Errorf("%s imports %s, which %s doesn't allow to %s", file, ours, rulesPage, group)
			}
		}
	}
	for group := range rules {
		if !used[group] && group != anything {
			t.Errorf("%s has a row for %s, which holds no package", rulesPage, group)
		}
	}
}

func TestOnlyTestsImportWhatTestsShare(t *testing.T) {
	const pages = "internal/report/pagetest"
	for _, shared := range []string{"internal/base/labtest", pages} {
		tests := 0
		for _, file := range goFiles(t) {
			switch {
			case !slices.Contains(imported(t, file), shared):
			case strings.HasSuffix(file, "_test.go"):
				tests++
			case filepath.ToSlash(filepath.Dir(file)) != pages:
				t.Errorf("%s imports %s, which only tests may", file, shared)
			}
		}
		if tests == 0 {
			t.Error("no test imports " + shared + ": this test looks for the wrong name")
		}
	}
}

// imported are the packages of this module that a file imports.
func imported(t *testing.T, file string) []string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, file), nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, spec := range f.Imports {
		path, _ := strconv.Unquote(spec.Path.Value)
		if ours, ok := strings.CutPrefix(path, "h2lab/"); ok {
			out = append(out, ours)
		}
	}
	return out
}

func TestEveryPackageHasADoorSign(t *testing.T) {
	documented := map[string]bool{}
	for _, file := range goFiles(t) {
		pkg := filepath.Dir(file)
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, file), nil,
			parser.ParseComments|parser.PackageClauseOnly)
		if err != nil {
			t.Fatal(err)
		}
		documented[pkg] = documented[pkg] || f.Doc != nil
	}
	for pkg, ok := range documented {
		if !ok {
			t.Errorf("%s has no package comment that says where it stands on the path", pkg)
		}
	}
}

// goFiles are the project's Go sources, relative to its root.
func goFiles(t *testing.T) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, path)
		if d.IsDir() {
			// Generated files, or files of other projects.
			if slices.Contains([]string{".git", "testdata", "nginx-current", "node_modules", "out", "target"}, d.Name()) ||
				slices.Contains([]string{"results", "var", "bin", "bundle"}, rel) {
				return filepath.SkipDir
			}
			// The programs of learners are in modules of their own; the import rules don't apply to
			// them.
			if _, err := os.Stat(filepath.Join(path, "go.mod")); err == nil && rel != "." {
				return filepath.SkipDir
			}
			return nil
		}
		if strings.HasSuffix(path, ".go") {
			out = append(out, rel)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(out) < 20 {
		t.Fatalf("only %d Go files found below %s: the walk is broken", len(out), root)
	}
	return out
}
