package layout

import (
	"regexp"
	"strings"
	"testing"
)

// Calls that a package of the product makes in one place only.
var forbidden = []struct {
	call *regexp.Regexp
	in   []string // the beginnings of the files where it isn't allowed
	but  []string
	why  string
}{
	{regexp.MustCompile(`\bexec\.Command`), []string{"internal/", "cmd/"},
		[]string{"internal/base/child/", "internal/base/proved/", "internal/base/labtest/"},
		"start programs with base/child: it ends them, and they don't start in the user's directory"},
	{regexp.MustCompile(`\bos\.(WriteFile|Create)\(|\bos\.O_CREATE\b`), []string{"internal/", "cmd/"},
		[]string{"internal/base/rooted/", "internal/base/proved/", "internal/base/labtest/", "internal/field/lint/linttest/",
			"internal/lab/native/cgroup.go",  // the kernel's files
			"internal/lab/native/running.go", // a lock keeps its file
			"internal/workshop/desk.go"},     // O_EXCL: no link is followed
		"write files with base/rooted: whole ones, and never through a link"},
	{regexp.MustCompile(`\bos\.(Open|ReadFile)\(`), []string{"internal/field/", "internal/lab/merge/", "internal/workshop/", "cmd/"},
		[]string{"internal/field/lint/linttest/"},
		"read a user's path with base/await or base/rooted: opening a named pipe there can be interrupted"},
}

func TestFilesAndProgramsAreOpenedInOnePlace(t *testing.T) {
	begins := func(file string, with []string) bool {
		for _, w := range with {
			if strings.HasPrefix(file, w) {
				return true
			}
		}
		return false
	}
	for _, file := range goFiles(t) {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		for _, f := range forbidden {
			if !begins(file, f.in) || begins(file, f.but) {
				continue
			}
			for i, line := range strings.Split(read(t, file), "\n") {
				if f.call.MatchString(line) {
					t.Errorf("%s:%d: %s", file, i+1, f.why)
				}
			}
		}
	}
}
