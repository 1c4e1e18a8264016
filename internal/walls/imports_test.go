package walls

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

// mayImport is a statement of policy: which of our packages each of them may
// import. Don't change it to make a build pass; a new line needs a decision
// record (docs/decisions/).
var mayImport = map[string][]string{
	"internal/lab":              {},
	"internal/stat":             {},
	"internal/chart":            {},
	"internal/proc":             {},
	"internal/results":          {"internal/lab"},
	"internal/plan":             {"internal/lab"},
	"internal/launch":           {"internal/lab", "internal/proc"},
	"internal/load":             {"internal/lab"},
	"internal/observe":          {"internal/lab", "internal/proc", "internal/labtest"},
	"internal/probe":            {"internal/lab", "internal/labtest"},
	"internal/compose":          {"internal/lab"},
	"internal/conduct":          {"internal/lab", "internal/load", "internal/observe", "internal/probe", "internal/results"},
	"internal/tongue":           {},
	"internal/diagnose":         {"internal/lab", "internal/stat", "internal/tongue"},
	"internal/report":           {"internal/lab", "internal/stat", "internal/chart", "internal/diagnose", "internal/tongue"},
	"internal/clients":          {"internal/lab"},
	"internal/survive":          {"internal/lab", "internal/stat"},
	"internal/guide":            {"internal/lab", "internal/chart", "internal/survive"},
	"internal/hand":             {"internal/lab"},
	"internal/live":             {"internal/lab", "internal/labtest"},
	"internal/page":             {},
	"internal/family":           {"internal/lab", "internal/labtest"},
	"internal/timeline":         {"internal/lab"},
	"internal/decode":           {},
	"internal/lint":             {},
	"internal/lint/nginxconf":   {"internal/lint"},
	"internal/lint/envoyconf":   {"internal/lint"},
	"internal/lint/haproxyconf": {"internal/lint"},
	"internal/lint/traefikconf": {"internal/lint"},
	"internal/lint/ingressconf": {"internal/lint"},
	"internal/lint/sarif":       {"internal/lint"},
	"internal/accesslog":        {},
	"internal/watch":            {"internal/labtest"},
	"internal/advise":           {},
	"internal/handshake":        {},
	"internal/workshop":         {"internal/lab", "internal/proc", "internal/plan", "internal/launch", "internal/observe", "internal/probe", "internal/handshake", "internal/lint", "internal/lint/nginxconf", "internal/labtest"},
	"internal/walls":            {},
	"internal/labtest":          {},
	"backend":                   {"internal/lab"},
	"clients/kit":               {"internal/lab"},
	"clients/go":                {"internal/lab", "clients/kit"},
	"clients/grpc-go":           {"internal/lab", "clients/kit"},
	"clients/commands":          {"internal/lab", "clients/kit"},
	"clients/proxies":           {"internal/lab", "clients/kit"},
	"certs":                     {},
	// Rooms that hold files and have tests only.
	"nginx":         {"internal/lab", "internal/labtest"},
	"envoy":         {"internal/lab", "internal/labtest"},
	"k6":            {"internal/lab"},
	"docs":          {"internal/lab"},
	"docs/workshop": {"internal/labtest", "internal/workshop"},
	"tools":         {},
	"e2e":           {"internal/lab", "internal/plan", "internal/results", "internal/compose", "internal/hand"},
}

// anything marks the one package that wires all others.
const anything = "cmd/h2lab"

func TestEveryPackageImportsOnlyWhatItMay(t *testing.T) {
	for _, file := range goFiles(t) {
		pkg := filepath.ToSlash(filepath.Dir(file))
		if pkg == anything {
			continue
		}
		allowed, known := mayImport[pkg]
		if !known {
			t.Errorf("%s: package %s is not in the table of walls: add a line and a decision record", file, pkg)
			continue
		}
		for _, ours := range imported(t, file) {
			if ours != pkg && !slices.Contains(allowed, ours) {
				t.Errorf("%s imports %s, which the table of walls doesn't allow", file, ours)
			}
		}
	}
}

// The table gives a room to its tests as well, so what only they may import
// needs a wall of its own.
func TestOnlyTestsImportLabtest(t *testing.T) {
	tests := 0
	for _, file := range goFiles(t) {
		if !slices.Contains(imported(t, file), "internal/labtest") {
			continue
		}
		if strings.HasSuffix(file, "_test.go") {
			tests++
			continue
		}
		t.Errorf("%s imports internal/labtest, which only tests may", file)
	}
	if tests == 0 {
		t.Error("not even a test imports internal/labtest: this test looks for the wrong name")
	}
}

// imported are the packages of ours that a file imports.
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
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, file), nil, parser.ParseComments|parser.PackageClauseOnly)
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
			// Made, not written.
			if slices.Contains([]string{".git", "results", "var", "bin", "testdata", "nginx-current", "node_modules", "out", "target"}, d.Name()) {
				return filepath.SkipDir
			}
			// Another module's programs are no rooms of the lab: those of learners.
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
