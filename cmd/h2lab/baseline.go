package main

import (
	"os"
	"path/filepath"
	"reflect"

	"h2lab/internal/lab"
	"h2lab/internal/plan"
	"h2lab/internal/results"
)

// baselineFor is the newest whole repro that was measured with the same knobs
// as run, which a fixed run is set beside; "" when there is none. Broken runs
// are passed over: `h2lab report` names what is wrong with them.
func baselineFor(resultsDir string, run lab.Run, w lab.Workload) (string, *lab.Result) {
	entries, err := os.ReadDir(resultsDir)
	if err != nil {
		return "", nil
	}
	var dir string
	var newest *lab.Result
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		r, err := results.Read(filepath.Join(resultsDir, e.Name()))
		if err != nil || !serves(r, run, w) {
			continue
		}
		if newest == nil || r.Run.Started.After(newest.Run.Started) {
			dir, newest = filepath.Join(resultsDir, e.Name()), r
		}
	}
	return dir, newest
}

// serves reports whether r is a repro that run can honestly be compared with.
func serves(r *lab.Result, run lab.Run, w lab.Workload) bool {
	return r.Run.Command == plan.Repro && !r.Run.Interrupted && !r.Run.Finished.IsZero() &&
		len(r.Cells) > 0 && r.Cells[0].Workload == w && len(results.Missing(r)) == 0 &&
		r.Run.Limit == run.Limit && r.Run.Key == run.Key && r.Run.Runtime == run.Runtime &&
		r.Run.Quick == run.Quick && reflect.DeepEqual(r.Run.CPUs, run.CPUs)
}
