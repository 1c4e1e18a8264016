package layout

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// onePlace are the differences between operating systems that have one place each
// (docs/decisions/0020-six-systems.md). in and but are beginnings of paths.
var onePlace = []struct {
	what    *regexp.Regexp
	instead string
	in, but []string
}{
	{regexp.MustCompile(`errors\.Is\([^()]*, syscall\.E[A-Z]+\)`),
		"use internal/base/system: Windows returns other numbers",
		[]string{"internal/", "cmd/"}, []string{"internal/lab/native/cgroup.go"}}, // only Linux has cgroups
	{regexp.MustCompile(`runtime\.GOOS (==|!=)|switch runtime\.GOOS`),
		"write a file for each system, or ask internal/base/system",
		[]string{"internal/", "cmd/"}, []string{"internal/base/text/", "internal/base/labtest/"}},
	{regexp.MustCompile(`os\.Open\(`),
		"use rooted.OpenLog, so that a server can rotate its log on Windows",
		[]string{"internal/field/decode/", "internal/field/accesslog/"}, nil},
	{regexp.MustCompile(`filepath\.(Join|Dir|Base|IsAbs)\(`),
		"use path, isAbs or dirOf: names in nginx's files have slashes on every system",
		[]string{"internal/base/nginxfile/"}, []string{"internal/base/nginxfile/source.go"}},
}

func TestDifferencesBetweenSystemsHaveOnePlace(t *testing.T) {
	checked := 0
	for _, file := range goFiles(t) {
		below := func(beginning string) bool { return strings.HasPrefix(file, beginning) }
		if strings.HasSuffix(file, "_test.go") || strings.HasSuffix(file, "_linux.go") || strings.HasSuffix(file, "_unix.go") {
			continue
		}
		for _, rule := range onePlace {
			if !slices.ContainsFunc(rule.in, below) || slices.ContainsFunc(rule.but, below) {
				continue
			}
			checked++
			if at := rule.what.FindString(read(t, file)); at != "" {
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
