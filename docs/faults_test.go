package docs

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
)

// scriptFault matches the line that marks a fault in a script of the command's tests: "# fault:
// CATEGORY: WHAT IS WRONG", before the commands that cause the fault.
var scriptFault = regexp.MustCompile(`^# fault: ([a-z ]+): (.+)$`)

// TestFaultsPage generates the table of docs/faults.md from the faults that the tests record
// (internal/base/labtest.Faults) and from the marked lines of the command's scripts.
// UPDATE_FAULTS=1 rewrites it.
func TestFaultsPage(t *testing.T) {
	faults := map[string][]string{}
	add := func(where, category, name string) {
		if !slices.Contains(labtest.FaultCategories, category) {
			t.Errorf("%s: %q is no category of faults: %v", where, category, labtest.FaultCategories)
		}
		faults[category] = append(faults[category], name)
	}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && slices.Contains([]string{"../.git", "../tools", "../var", "../results", "../bin", "../bundle"},
			filepath.ToSlash(path)) {
			return fs.SkipDir
		}
		slash := filepath.ToSlash(path)
		switch {
		case strings.HasSuffix(slash, "/testdata/faults.txt"):
			category := ""
			for line := range strings.SplitSeq(strings.TrimSpace(labtest.Read(t, path)), "\n") {
				if at := strings.LastIndex(line, ": "); strings.HasPrefix(line, "# ") {
					category = line[at+2:]
				} else {
					add(slash, category, line)
				}
			}
		case strings.Contains(slash, "/testdata/script/") && !d.IsDir():
			for line := range strings.SplitSeq(strings.TrimSpace(labtest.Read(t, path)), "\n") {
				if m := scriptFault.FindStringSubmatch(line); m != nil {
					add(slash, m[1], m[2])
				} else if strings.HasPrefix(line, "# fault") {
					t.Errorf("%s: %q is not \"# fault: CATEGORY: WHAT IS WRONG\"", slash, line)
				}
			}
		}
		return nil
	})
	labtest.Check(t, err)
	want := faultsTable(faults)
	const page, begin, end = "faults.md", "<!-- faults -->\n", "<!-- end -->"
	b := labtest.Read(t, page)
	head, rest, ok := strings.Cut(b, begin)
	got, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s lacks its marks %q and %q", page, begin, end)
	}
	if os.Getenv("UPDATE_FAULTS") != "" {
		labtest.Write(t, page, head+begin+want+end+tail)
	} else if got != want {
		t.Errorf("docs/%s differs from what the tests try; UPDATE_FAULTS=1 go test ./docs writes it again:\n%s",
			page, want)
	}
}

// faultsTable counts the faults of each category and names them.
func faultsTable(faults map[string][]string) string {
	counts, lists, total := "", "", 0
	for _, category := range labtest.FaultCategories {
		names := faults[category]
		total += len(names)
		counts += fmt.Sprintf("| %s | %d |\n", category, len(names))
		lists += fmt.Sprintf("\n## %s%s\n\n", strings.ToUpper(category[:1]), category[1:])
		for _, name := range slices.Sorted(slices.Values(names)) {
			lists += "- " + strings.NewReplacer("<", "&lt;", "|", "\\|").Replace(name) + "\n"
		}
	}
	return fmt.Sprintf("| category | faults tried |\n| --- | ---: |\n%s| all | %d |\n%s", counts, total, lists)
}
