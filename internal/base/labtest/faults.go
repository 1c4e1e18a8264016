package labtest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
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
// testdata/faults, from which docs/faults.md is generated. A fault that is missing from the list,
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

// compare compares the faults that were tried with the list in testdata/faults.
func (f *Faults) compare() {
	if f.t.Skipped() {
		return
	}
	if len(f.tried) == 0 {
		f.t.Errorf("no fault of the category %q was tried", f.category)
		return
	}
	path := filepath.Join("testdata", "faults", f.t.Name()+".txt")
	want := f.category + "\n" + strings.Join(f.tried, "\n") + "\n"
	if os.Getenv("UPDATE_FAULTS") != "" {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			f.t.Error(err)
		}
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			f.t.Error(err)
		}
		return
	}
	if got, err := os.ReadFile(path); err != nil {
		f.t.Errorf("%v; write the list with UPDATE_FAULTS=1 go test, then docs/faults.md with UPDATE_FAULTS=1 "+
			"go test ./docs", err)
	} else if string(got) != want {
		f.t.Errorf("%s lists other faults than this test tries; write it again with UPDATE_FAULTS=1 go test, "+
			"then docs/faults.md with UPDATE_FAULTS=1 go test ./docs\n%s", path, want)
	}
}
