// Package sweepverdicts judges sweeps: it finds each cell's place in its sweep, compares the
// callers with published figures as ratios, and says what a limit on requests per connection does
// to each caller. It reads only what results.json holds, uses no network, file or clock, and
// returns the same verdicts for the same run.
//
// Cells that differ only in the limit are compared pair by pair: the same place in the sweep, the
// same trial. A pair shares the state of the machine, and the ratios of all pairs of a caller are
// one sample, so that a caller is judged even where each cell has one trial. Medians and intervals
// are those of package statistics; a difference counts if the interval of the median ratio excludes
// 1.
package sweepverdicts

import (
	"fmt"
	"slices"
	"strings"

	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
)

// judge makes verdicts of one sweep.
type judge struct {
	Voice
	run core.Run
}

// Judge returns the content of a sweep's verdicts.json: for each sweep the published relations and statements,
// then each caller behind the limit.
func Judge(r *facts.Result) facts.Judgement {
	out := []facts.Verdict{}
	run := core.Gather(r)
	for _, t := range Tables(r) {
		j := judge{Voice{t}, run}
		for _, c := range t.Published() {
			out = append(out, j.relation(c))
		}
		for _, c := range j.Claims() {
			out = append(out, j.statement(c))
		}
		for _, e := range t.Effects() {
			out = append(out, j.limit(e))
		}
	}
	return run.Judgement(out)
}

// see makes evidence of one place in each trial of cells.
func (j judge) see(place string, cells ...*facts.Cell) []facts.Evidence {
	var pointers []string
	for _, c := range cells {
		if c == nil {
			continue
		}
		at := j.run.At(j.Index(c))
		for i := range c.Trials {
			pointers = append(pointers, at.See(fmt.Sprintf("/trials/%d%s", i, place))...)
		}
	}
	return j.run.Evidence(pointers...)
}

func (j judge) relation(c Compared) facts.Verdict {
	v := facts.Verdict{ID: c.ID, Title: c.What, Status: c.Status, Reference: j.Source,
		Expected: facts.T("sweepverdict.as-published", c.Shown, NumberOf(c.Ratio())), Actual: j.Ours(c),
		Evidence: j.see(c.measure().Raw, c.A, c.B), Warnings: []facts.Text{}, Hint: facts.T("sweepverdict.compare-ratio-not-rates")}
	if c.Strained {
		v.Warnings = append(v.Warnings, facts.T("sweepverdict.all-cores-busy-one"))
	}
	return v
}

func (j judge) statement(c Claim) facts.Verdict {
	return facts.Verdict{ID: c.ID, Title: c.Published, Status: c.Status, Expected: c.Published,
		Actual: c.Here, Evidence: j.see("/failed", c.cells...), Reference: j.Source, Warnings: []facts.Text{},
		Hint: facts.T("sweepverdict.read-sweeps-table")}
}

// limitStatus is reproduced where the limit costs the users something.
func limitStatus(k Kind) facts.Status {
	switch {
	case k.Matters():
		return facts.Reproduced
	case k == Hides, k == Duplicates:
		return facts.NotReproduced
	}
	return facts.Inconclusive
}

// longestID is the longest id that verdicts.json accepts.
const longestID = 64

// idOf makes an id of names, which have only lower-case letters, digits and hyphens there.
func idOf(names ...string) string {
	id := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, strings.ToLower(strings.Join(names, "-")))
	return id[:min(len(id), longestID)]
}

func (j judge) limit(e Effect) facts.Verdict {
	cells := slices.Concat(firstOf(e.Low, 1), firstOf(e.High, 1))
	v := facts.Verdict{ID: idOf("limit", j.ID, string(e.Client), string(e.Protocol)), Status: limitStatus(e.Kind),
		Title: facts.T("sweepverdict.behind", e.Name, j.Low(), j.Title), Actual: j.Effect(e),
		Expected:  facts.T("sweepverdict.more-failures-or-higher", j.SlowName, High),
		Evidence:  j.see(j.Slow.Raw, cells...),
		Reference: facts.Verbatim("RFC 9113 §6.8; nginx ngx_http_v2_module, keepalive_requests"), Warnings: []facts.Text{},
		Hint: facts.T("sweepverdict.raise-keepalive-requests-server")}
	if len(e.Slow.Ratios) > 0 && !e.Slow.Told() {
		v.Warnings = append(v.Warnings, facts.T("sweepverdict.too-few-interval", j.pairs(e.Slow)))
	}
	return v
}
