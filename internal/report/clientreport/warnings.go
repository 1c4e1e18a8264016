package clientreport

import (
	"fmt"

	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
)

// Warnings apply to the whole run. The page and the terminal print exactly this list before the
// first number.
func Warnings(r *facts.Result) []string {
	var out []string
	if r.Run.Interrupted {
		out = append(out, "the run was interrupted; finished trials are included")
	}
	return append(append(out, r.Run.Warnings...), late(r)...)
}

// late warns of load generators that fell behind their schedule.
func late(r *facts.Result) []string {
	behind, trials, most := 0, 0, 0.0
	for i := range r.Cells {
		which, worst := core.LateTrials(&r.Cells[i])
		behind, trials, most = behind+len(which), trials+len(r.Cells[i].Trials), max(most, worst)
	}
	if behind == 0 {
		return nil
	}
	return []string{fmt.Sprintf("in %d of %d trials the load generator fell behind its schedule, p99 up to %s ms late: these "+
		"had another load than the one asked for", behind, trials, text.Measured(most))}
}
