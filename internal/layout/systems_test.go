package layout

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// onePlace are calls that are made in one place only, and differences between operating systems that have one place each
// (docs/decisions/0020-six-systems.md). in and but are beginnings of paths.
var onePlace = []struct {
	what    *regexp.Regexp
	instead string
	in, but []string
	always  bool // also in the files of one system
}{
	{regexp.MustCompile(`\bexec\.Command`), "start programs with base/child: it ends them, and they don't start in the user's directory",
		[]string{"internal/", "cmd/"}, []string{"internal/base/child/", "internal/base/proved/", "internal/base/labtest/"}, true},
	{regexp.MustCompile(`\bos\.(WriteFile|Create)\(|\bos\.O_CREATE\b`), "write files with base/rooted: whole ones, and never through a link",
		[]string{"internal/", "cmd/"},
		[]string{"internal/base/rooted/", "internal/base/proved/", "internal/base/labtest/", "internal/field/lint/linttest/",
			"internal/lab/native/cgroup.go",     // the kernel's files
			"internal/lab/native/running.go",    // a lock keeps its file
			"internal/workshop/desk.go"}, true}, // O_EXCL: no link is followed
	{regexp.MustCompile(`\bos\.(Open|ReadFile)\(`),
		"read a user's path with base/await or base/rooted: opening a named pipe there can be interrupted",
		[]string{"internal/field/", "internal/lab/merge/", "internal/workshop/", "cmd/"},
		[]string{"internal/field/lint/linttest/"}, true},
	{regexp.MustCompile(`errors\.Is\([^()]*, syscall\.E[A-Z]+\)`),
		"use internal/base/system: Windows returns other numbers",
		[]string{"internal/", "cmd/"}, []string{"internal/lab/native/cgroup.go"}, false}, // only Linux has cgroups
	{regexp.MustCompile(`runtime\.GOOS (==|!=)|switch runtime\.GOOS`),
		"write a file for each system, or ask internal/base/system",
		[]string{"internal/", "cmd/"}, []string{"internal/base/text/", "internal/base/labtest/"}, false},
	{regexp.MustCompile(`os\.Open\(`),
		"use rooted.OpenLog, so that a server can rotate its log on Windows",
		[]string{"internal/field/decode/", "internal/field/accesslog/"}, nil, false},
	{regexp.MustCompile(`filepath\.(Join|Dir|Base|IsAbs)\(`),
		"use path, isAbs or dirOf: names in nginx's files have slashes on every system",
		[]string{"internal/base/nginxfile/"}, []string{"internal/base/nginxfile/source.go"}, false},
}

func TestCallsAndDifferencesBetweenSystemsHaveOnePlace(t *testing.T) {
	checked := 0
	for _, f := range goFiles(t) {
		file := f.name
		below := func(beginning string) bool { return strings.HasPrefix(file, beginning) }
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		ofOne := strings.HasSuffix(file, "_linux.go") || strings.HasSuffix(file, "_unix.go")
		for _, rule := range onePlace {
			if !slices.ContainsFunc(rule.in, below) || slices.ContainsFunc(rule.but, below) || ofOne && !rule.always {
				continue
			}
			checked++
			if at := rule.what.FindString(f.text); at != "" {
				t.Errorf("%s has %s: %s", file, at, rule.instead)
			}
		}
	}
	if checked < 500 {
		t.Errorf("only %d files were checked", checked)
	}
}

// windowsDenies are the names that a checkout on Windows can't have (Microsoft, "Naming Files, Paths, and
// Namespaces").
var windowsDenies = regexp.MustCompile(`(?i)[<>:"|?*\\]|[. ]$|^(con|prn|aux|nul|com\d|lpt\d)(\.|$)`)

func TestEveryFileHasANameThatWindowsAllows(t *testing.T) {
	checked := 0
	for _, dir := range []string{"backend", "clients", "cmd", "docker", "docs", "e2e", "envoy", "internal", "k6", "nginx",
		"services", "testdata", "tools/get"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, e os.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if generated[e.Name()] {
				return filepath.SkipDir
			}
			checked++
			if windowsDenies.MatchString(e.Name()) {
				t.Errorf("%s can't be checked out on Windows", path)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
	if checked < 1000 {
		t.Errorf("only %d names were checked", checked)
	}
}

// generated are directories of builds, which have files of other projects.
var generated = map[string]bool{"node_modules": true, "target": true, "out": true, "bin": true, "obj": true, "build": true,
	"vendor": true, ".venv": true, "_build": true, "deps": true}
