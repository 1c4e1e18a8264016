// Package limitmap judges SWEEP=matters: at each place (a load, a backend's delay and a
// distance) it compares the cells behind lower limits on requests per connection with the cell of the
// same place behind the highest one, and says from which places on a limit stops mattering. It reads
// only what results.json holds, uses no network, file or clock, and returns the same verdicts for the
// same run.
//
// A place has few trials, too few for an interval of its own. So the scatter of repeated trials is
// pooled over the cells that share the backend's delay and the distance (noise.go). A limit that no
// window of a place can reach is extrapolated from a lower limit of that place (extrapolate.go).
package limitmap

import (
	"fmt"
	"regexp"
	"strings"

	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
)

// Judge returns the content of the run's verdicts.json: for each load with places behind several limits, and each of
// these limits, where it stops mattering.
func Judge(r *facts.Result) facts.Judgement {
	out := []facts.Verdict{}
	v, run := Voice{New(r)}, core.Gather(r)
	for i, l := range v.Lines {
		for _, limit := range v.Limits() {
			if b := v.Boundary(l, limit, Both); b.Shape != NoData {
				out = append(out, v.verdict(run, i, b))
			}
		}
	}
	return run.Judgement(out)
}

var unnamed = regexp.MustCompile(`[^a-z0-9]+`)

// longestID is the longest id that verdicts.json accepts.
const longestID = 64

func (v Voice) verdict(run core.Run, line int, b Boundary) facts.Verdict {
	_, more := v.thresholds(Both)
	id := unnamed.ReplaceAllString(strings.ToLower(fmt.Sprintf("matters-%d-line-%d-%s", b.Limit, line+1, b.Client)), "-")
	out := facts.Verdict{ID: id[:min(len(id), longestID)], Status: facts.Reproduced, Actual: facts.Join("join.sentences",
		v.About(b.Line, b.Limit)...),
		Title:     facts.T("limitmap.where-limit-stops-mattering", count(b.Limit), v.Client(b.Client), v.Load(b.Line)),
		Expected:  facts.T("limitmap.place-where-limit-costs", more),
		Reference: facts.Verbatim("RFC 9113 §6.8; nginx ngx_http_v2_module, keepalive_requests"), Warnings: []facts.Text{},
		Hint: facts.T("limitmap.find-your-place-map")}
	switch {
	case b.Shape == Everywhere && len(b.Those(Free)) == len(b.Costs):
		out.Status = facts.NotReproduced
	case b.Shape == Everywhere, b.Shape == Undecided:
		out.Status = facts.Inconclusive
	}
	out.Evidence = run.Evidence(v.pointers(run, b)...)
	return out
}

// pointers are the goodput and the p99 of the first place's trials.
func (v Voice) pointers(run core.Run, b Boundary) (out []string) {
	for _, p := range v.Of(b.Line) {
		c := v.Cost(p, b.Limit)
		if c.Source != Measured {
			continue
		}
		for _, cell := range []*facts.Cell{c.Low, c.High} {
			at := run.At(v.Index(cell))
			for i := range cell.Trials {
				out = append(out, at.See(fmt.Sprintf("/trials/%d/goodput_rps", i),
					fmt.Sprintf("/trials/%d/latency_ms/p99", i))...)
			}
		}
		return out
	}
	return nil
}

// Index is a cell's index in the run.
func (m Map) Index(c *facts.Cell) int { return core.Index(m.Result, c) }
