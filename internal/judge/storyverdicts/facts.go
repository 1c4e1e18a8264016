package storyverdicts

import (
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
	"h2lab/internal/judge/statistics"
)

// storyFacts are the input of a rule.
type storyFacts struct {
	core.Run
	Chain
}

func gather(run *facts.Result) storyFacts {
	return storyFacts{core.Gather(run), ChainOf(run)}
}

func (f storyFacts) at(p Place) (core.Found, *core.Finding) {
	return f.Cell(p.Topology, p.Protocol, p.Caller)
}

// two finds two cells, or says which is missing.
func (f storyFacts) two(a, b Place) (x, y core.Found, lack *core.Finding) {
	if x, lack = f.at(a); lack != nil {
		return x, y, lack
	}
	y, lack = f.at(b)
	return x, y, lack
}

// P99 is the users' 99th percentile in a trial.
func P99(t facts.Trial) *float64 { return core.P99(t) }

// APIP99 is the API's own 99th percentile: from a request's headers to its written answer.
func APIP99(t facts.Trial) *float64 {
	if t.Backend.HandledMS == nil {
		return nil
	}
	return t.Backend.HandledMS.P99
}

// RowP99 is the 99th percentile of reading a row from the service's database.
func RowP99(t facts.Trial) *float64 {
	if t.Service == nil {
		return nil
	}
	return t.Service.RowMS.P99
}

// Compare compares one number of two cells.
func Compare(a, b *facts.Cell, of func(facts.Trial) *float64) statistics.Comparison {
	return statistics.Compare(core.Sample(a.Trials, of), core.Sample(b.Trials, of))
}

// users compares what the users got in two cells.
type users struct {
	goodput, p99 statistics.Comparison
}

func compareUsers(a, b core.Found) users {
	return users{Compare(a.Cell, b.Cell, core.Goodput), Compare(a.Cell, b.Cell, P99)}
}

// less and more report a difference beyond noise.
func less(c statistics.Comparison) bool { return c.Significant && c.Ratio != nil && *c.Ratio < 1 }
func more(c statistics.Comparison) bool { return c.Significant && c.Ratio != nil && *c.Ratio > 1 }

func (u users) worse() bool  { return less(u.goodput) && more(u.p99) }
func (u users) either() bool { return less(u.goodput) || more(u.p99) }
func (u users) better() bool { return more(u.goodput) || less(u.p99) }

// decidable is false if no samples of this size can differ significantly.
func (u users) decidable() bool {
	return u.goodput.Lo != nil && u.p99.Lo != nil
}

// warnings are those of the comparisons.
func (f storyFacts) warnings(all ...statistics.Comparison) []facts.Text {
	out := f.FewTrials()
	for _, c := range all {
		out = append(out, c.Warnings...)
	}
	return out
}

// account describes the users' figures of cell a beside those of cell b.
func (f storyFacts) account(a, b core.Found, u users) facts.Text {
	return facts.T("storyverdict.requests-s-p99-ms", a.ID(), median(a, core.Goodput), core.Ratio(u.goodput), median(b,
		core.Goodput), b.ID(),
		median(a, P99), core.Ratio(u.p99), median(b, P99))
}

// userPlaces is the evidence of the users' figures.
func userPlaces(cells ...core.Found) (out []string) {
	for _, c := range cells {
		out = append(out, c.See("/summary/goodput_rps/median", "/summary/p99_ms/median")...)
	}
	return out
}
