package main

import (
	"errors"
	"reflect"

	"h2lab/internal/facts"
	"h2lab/internal/lab/plan"
	"h2lab/internal/lab/results"
)

// baselineFor is the newest whole repro that was measured with the same knobs
// as run, which a fixed run is set beside; "" when there is none.
func baselineFor(resultsDir string, run facts.Run, w facts.Workload) (string, error) {
	dir, err := results.Newest(resultsDir, plan.Repro, func(r *facts.Result) bool {
		return len(r.Cells) > 0 && r.Cells[0].Workload == w && len(results.Missing(r)) == 0 &&
			r.Run.Limit == run.Limit && r.Run.Key == run.Key && r.Run.Runtime == run.Runtime &&
			r.Run.Quick == run.Quick && reflect.DeepEqual(r.Run.CPUs, run.CPUs)
	})
	if errors.Is(err, results.ErrNoRun) {
		return "", nil
	}
	return dir, err
}
