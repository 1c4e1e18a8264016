package labtest

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// The categories of faults that docs/faults.md counts.
const (
	Signals        = "signals"
	Programs       = "killed and wrong programs"
	Disks          = "disks"
	Limits         = "limits"
	Places         = "places"
	Knobs          = "knobs"
	Ports          = "ports"
	Certificates   = "certificates"
	CorruptResults = "corrupt results"
	HostileText    = "hostile text"
	HostilePages   = "hostile pages"
)

// FaultCategories are all categories, in the order of docs/faults.md.
var FaultCategories = []string{Signals, Programs, Disks, Limits, Places, Knobs, Ports, Certificates, CorruptResults,
	HostileText, HostilePages}

// Faults runs faults of one category, each as a subtest, and compares their names with the list in
// testdata/faults.txt, from which docs/faults.md is generated. A fault that is missing from the list,
// or no longer tried, fails the test until the list is written again: UPDATE_FAULTS=1 go test.
type Faults struct {
	t        *testing.T
	category string
	tried    []string
}

// NewFaults starts a list and compares it when the test ends.
func NewFaults(t *testing.T, category string) *Faults {
	t.Helper()
	if !slices.Contains(FaultCategories, category) {
		t.Fatalf("%q is no category of faults: %v", category, FaultCategories)
	}
	f := &Faults{t: t, category: category}
	t.Cleanup(f.compare)
	return f
}

// Try runs one fault as a subtest. Its name says what is wrong, in one line.
func (f *Faults) Try(name string, test func(t *testing.T)) {
	f.t.Helper()
	if strings.ContainsAny(name, "\n\r") || name == "" || slices.Contains(f.tried, name) {
		f.t.Fatalf("a fault needs one line of its own as a name, not %q", name)
	}
	f.tried = append(f.tried, name)
	f.t.Run(name, test)
}

// compare compares the faults that were tried with the list in testdata/faults.txt.
func (f *Faults) compare() {
	if f.t.Skipped() {
		return
	}
	if len(f.tried) == 0 {
		f.t.Errorf("no fault of the category %q was tried", f.category)
		return
	}
	path, own := filepath.Join("testdata", "faults.txt"), "# "+f.t.Name()+": "+f.category
	listing.Lock()
	defer listing.Unlock()
	all := faultLists(path)
	if os.Getenv("UPDATE_FAULTS") != "" {
		all[own] = f.tried
		var out strings.Builder
		for _, test := range slices.Sorted(maps.Keys(all)) {
			out.WriteString(test + "\n" + strings.Join(all[test], "\n") + "\n")
		}
		if err := errors.Join(os.MkdirAll("testdata", 0o755), os.WriteFile(path, []byte(out.String()), 0o644)); err != nil {
			f.t.Error(err)
		}
		return
	}
	if !slices.Equal(all[own], f.tried) {
		f.t.Errorf("%s lists other faults than this test tries; write it again with UPDATE_FAULTS=1 go test, "+
			"then docs/faults.md with UPDATE_FAULTS=1 go test ./docs\n%s\n%s", path, own, strings.Join(f.tried, "\n"))
	}
}

var listing sync.Mutex // tests of one package may run at the same time

// faultLists reads a package's lists: a heading "# TEST: CATEGORY" and one fault a line.
func faultLists(path string) map[string][]string {
	b, _ := os.ReadFile(path) // none yet
	out, test := map[string][]string{}, ""
	for line := range strings.Lines(string(b)) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "# ") {
			test = line
		} else {
			out[test] = append(out[test], line)
		}
	}
	return out
}
