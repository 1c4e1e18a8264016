package labtest

import (
	"path/filepath"
	"strings"
	"testing"
)

// Rules checks the configurations in a directory against what each must contain.
type Rules[F any] struct {
	Pattern  string       // of the file names, in the test's directory
	Rows     map[string]F // what each file must contain, by file name
	Problems func(t testing.TB, text string, row F) []string
}

// Break is a change to a file, and the message of the rule that it violates.
type Break = struct{ Old, New, Want string }

// Files returns the names of all configurations in the test's directory.
func (r Rules[F]) Files(t testing.TB) []string {
	t.Helper()
	found, err := filepath.Glob(r.Pattern)
	if err != nil || len(found) == 0 {
		t.Fatalf("no configuration found here: %v", err)
	}
	return found
}

// AreKept fails unless every file has a row, every row a file, and no file a problem.
func (r Rules[F]) AreKept(t testing.TB) {
	t.Helper()
	names := r.Files(t)
	for _, name := range names {
		row, known := r.Rows[name]
		if !known {
			t.Errorf("%s: no row in the table of this test; add one", name)
			continue
		}
		for _, p := range r.Problems(t, Read(t, name), row) {
			t.Errorf("%s: %s", name, p)
		}
	}
	if len(names) != len(r.Rows) {
		t.Errorf("%d files for %d rows", len(names), len(r.Rows))
	}
}

// Notice fails for each break of the file that no rule reports. A rule that no change can violate
// checks nothing.
func (r Rules[F]) Notice(t testing.TB, name string, breaks []Break) {
	t.Helper()
	text := Read(t, name)
	for _, c := range breaks {
		if !strings.Contains(text, c.Old) {
			t.Errorf("%q is not in the file any more; change this row", c.Old)
			continue
		}
		found := strings.Join(r.Problems(t, strings.Replace(text, c.Old, c.New, 1), r.Rows[name]), "\n")
		if !strings.Contains(found, c.Want) {
			t.Errorf("%q → %q: no rule said %q, but:\n%s", c.Old, c.New, c.Want, found)
		}
	}
}
