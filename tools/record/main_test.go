package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
	"h2lab/internal/lab/results"
)

const (
	root  = "../.."
	whole = "../../testdata/recorded"
	row   = facts.Client("go-once")
)

// recordedRun is a recording of a directory with those cells that keep selects.
func recordedRun(t *testing.T, dir, name string, keep func(facts.Client) bool) *facts.Result {
	t.Helper()
	r, err := results.Read(filepath.Join(dir, name))
	labtest.Check(t, err)
	r.Cells = slices.DeleteFunc(r.Cells, func(c facts.Cell) bool { return !keep(c.Client) })
	r.Run.Planned = nil
	for _, c := range r.Cells {
		r.Run.Planned = append(r.Run.Planned, c.ID())
	}
	return r
}

// laid writes recordings of the others, and two runs of the row, and returns their directories.
func laid(t *testing.T, dir string, others func(facts.Client) bool, change func(runs []*facts.Result)) (recorded string, runs []string) {
	t.Helper()
	recorded = t.TempDir()
	var measured []*facts.Result
	for _, name := range recordings {
		without := recordedRun(t, dir, name, others)
		labtest.Check(t, results.Write(filepath.Join(recorded, name), without))
		measured = append(measured, recordedRun(t, dir, name, func(c facts.Client) bool { return c == row }))
	}
	change(measured)
	for _, r := range measured {
		runs = append(runs, t.TempDir())
		labtest.Check(t, results.Write(runs[len(runs)-1], r))
	}
	return recorded, runs
}

func TestAMergedRowStandsWhereARunOfAllRowsHasIt(t *testing.T) {
	recorded, runs := laid(t, whole, func(c facts.Client) bool { return c != row }, func([]*facts.Result) {})
	for range 2 { // the second time it replaces the row
		labtest.Check(t, record(root, recorded, string(row), runs))
		for _, name := range recordings {
			got := labtest.Read(t, filepath.Join(recorded, name, results.File))
			if got != labtest.Read(t, filepath.Join(whole, name, results.File)) {
				t.Errorf("%s without %s and with it again is another file", name, row)
			}
		}
	}
}

func TestARunThatDoesNotFitIsNamedAndNothingIsWritten(t *testing.T) {
	small := t.TempDir() // quick to read
	for _, name := range recordings {
		r := recordedRun(t, whole, name, func(c facts.Client) bool { return c == row || c == "go-resume" })
		labtest.Check(t, results.Write(filepath.Join(small, name), r))
	}
	for _, c := range []struct {
		only, says string
		change     func(runs []*facts.Result)
	}{
		{"go-never", "ONLY=go-never is neither an ecosystem nor a client", func([]*facts.Result) {}},
		{"go-resume", "it has another row, go-once", func([]*facts.Result) {}},
		{"go-once,go-h1", "it lacks the row go-h1", func([]*facts.Result) {}},
		{"go-once", "both runs have one seed", func(r []*facts.Result) { r[1].Run.Seed = r[0].Run.Seed }},
		{"go-once", "with another Limit", func(r []*facts.Result) { r[1].Run.Limit = 100 }},
		{"go-once", "with another Quick", func(r []*facts.Result) { r[0].Run.Quick = true }},
		{"go-once", "the run was interrupted", func(r []*facts.Result) { r[1].Run.Interrupted = true }},
		{"go-once", "not committed", func(r []*facts.Result) { r[1].Environment.Git.Dirty = true }},
		{"go-once", "record the whole matrix again", func(r []*facts.Result) { r[1].Environment.Servers[1].Version = "0.1" }},
	} {
		recorded, runs := laid(t, small, func(c facts.Client) bool { return c != row }, c.change)
		if err := record(root, recorded, c.only, runs); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("ONLY=%s: %v, want %q", c.only, err, c.says)
		}
		for _, name := range recordings {
			b, err := os.ReadFile(filepath.Join(recorded, name, results.File))
			labtest.Check(t, err)
			if strings.Contains(string(b), `"client": "`+string(row)+`"`) {
				t.Errorf("ONLY=%s: %s was written", c.only, name)
			}
		}
	}
}
