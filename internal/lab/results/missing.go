package results

import (
	"fmt"
	"slices"

	"h2lab/internal/facts"
)

// Missing lists what was planned and isn't in the result: trials, or whole cells. A cell that can't
// run here is not missing: its Unsupported says why. The list is empty when nothing is missing.
func Missing(r *facts.Result) []string {
	out := []string{}
	if r.Run.Interrupted {
		out = append(out, "the run was interrupted before its last trial")
	}
	present := map[string]bool{}
	for i := range r.Cells {
		c := &r.Cells[i]
		present[c.ID()] = true
		if c.Unsupported == "" && len(c.Trials) < r.Run.Trials {
			out = append(out, trialsMissing(c, r.Run.Trials))
		}
	}
	for _, id := range r.Run.Planned {
		if !present[id] {
			out = append(out, fmt.Sprintf("cell %s is missing, with all of its %d trials", id, r.Run.Trials))
		}
	}
	return out
}

// trialsMissing names the missing trials by number where the cell has some.
func trialsMissing(c *facts.Cell, planned int) string {
	if len(c.Trials) == 0 {
		return fmt.Sprintf("cell %s has none of its %d trials", c.ID(), planned)
	}
	var lacks []int
	for n := 1; n <= planned; n++ {
		if !slices.ContainsFunc(c.Trials, func(t facts.Trial) bool { return t.Index == n }) {
			lacks = append(lacks, n)
		}
	}
	return fmt.Sprintf("cell %s has %d of its %d trials (without %v)", c.ID(), len(c.Trials), planned, lacks)
}
