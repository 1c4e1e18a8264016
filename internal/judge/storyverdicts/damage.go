package storyverdicts

import (
	"strconv"

	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
	"h2lab/internal/judge/statistics"
)

// storyFacts are the input of a rule.
type storyFacts struct {
	core.Run
	Chain
}

func (f storyFacts) at(p Place) core.Found { return f.Cell(p.Topology, p.Protocol, p.Caller) }

// two finds two cells, or says which is missing.
func (f storyFacts) two(a, b Place) (x, y core.Found) { return f.at(a), f.at(b) }

// maybe finds a cell that a rule can do without.
func (f storyFacts) maybe(p Place) (core.Found, *core.Finding) {
	return core.Try(func() core.Found { return f.at(p) })
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

const (
	// twice: a client that dials once a renewal has one connection for each, and one whose requests outgrow a
	// connection's streams has two (facts.MaxConcurrentStreams is 128, a story has 100 users). More than two for each is
	// more than any careful client needs.
	twice = 2
	// edges is the number of renewals at the two ends of a window whose dials may fall into it without the renewal.
	edges = 2
	// rarer is the largest share of the damage per request that a cure may leave. A limit 100 times as high leaves a
	// hundredth; a tenth allows for LIMIT=10000 (the same value as in runverdicts).
	rarer = 0.1
)

// damage is what the renewals of a cell cost, over all its trials.
type damage struct {
	core.Found
	core.Totals
	message   string // the most frequent exception, verbatim
	messageAt string // its pointer within the cell
}

func damageOf(c core.Found) damage {
	d := damage{Found: c, Totals: core.Total(c.Trials)}
	d.message, d.messageAt = Exception(c.Cell)
	return d
}

// Exception is the most frequent exception of a cell's service, verbatim, with its pointer within the cell. Where the
// service reported none it is the most frequent failure of the users.
func Exception(c *facts.Cell) (message, at string) {
	message, at = core.Frequent(c, "service/errors", func(t facts.Trial) []facts.Error {
		if t.Service == nil {
			return nil
		}
		return t.Service.Errors
	}, "")
	if at == "" {
		message, at = core.Frequent(c, "errors", func(t facts.Trial) []facts.Error { return t.Errors }, "")
	}
	return message, at
}

// renewals is how many connections were used up; -1 if neither that nor the expected ones are known.
func (d damage) renewals() int64 {
	switch {
	case d.UsedUp != nil && *d.UsedUp > 0:
		return *d.UsedUp
	case d.Expected != nil:
		return *d.Expected
	}
	return -1
}

// known reports whether the counts were taken that the damage consists of.
func (d damage) known() bool { return d.Duplicates != nil && d.Accepted != nil && d.Expected != nil }

// extra is the number of connections beyond those that a careful client needs. Over HTTP/1.1 a client renews one
// connection at a time and no request waits for it, so there are none.
func (d damage) extra() int64 {
	if d.Protocol == facts.H1 || d.Accepted == nil || d.Expected == nil {
		return 0
	}
	due := *d.Expected
	if d.Program != nil && d.Program.AssumesLimit > 0 && d.Used != nil {
		due = max(due, min(*d.Accepted, *d.Used)) // its own code renews connections before the server does
	}
	return max(0, *d.Accepted-twice*due-edges*int64(d.Totals.Trials))
}

// again is the number of executions of requests that the API had run before.
func (d damage) again() int64 {
	if d.Duplicates == nil {
		return 0
	}
	return *d.Duplicates
}

func (d damage) any() bool { return d.extra() > 0 || d.Failed > 0 || d.again() > 0 }

// left reports whether a cure leaves more than a tenth of the damage, or does another one.
func (d damage) left(before damage) bool {
	rate := func(d damage, n int64) float64 { return float64(n) / float64(max(d.Attempts, 1)) }
	remains := func(n, was int64) bool { return n > 0 && rate(d, n) > rarer*rate(before, was) }
	return remains(d.extra(), before.extra()) || remains(d.Failed, before.Failed) || remains(d.again(), before.again())
}

// account describes the damage: connections, repeated requests, failures.
func (d damage) account() facts.Text {
	said := facts.T("storyverdict.failed", core.Count(float64(d.Failed)), core.Things(d.Attempts, core.Requests))
	if d.message != "" && d.Failed > 0 {
		said.Add(facts.T("storyverdict.message", strconv.Quote(d.message)))
	}
	if d.Duplicates != nil {
		said.Add(facts.T("storyverdict.executed-again", core.Things(*d.Duplicates, core.Requests)))
	}
	if d.Accepted != nil && d.Expected != nil {
		said.Add(facts.T("storyverdict.accepted-expected", core.Things(*d.Accepted, core.Connections),
			core.Count(float64(*d.Expected))))
	}
	if d.Used != nil {
		said.Add(facts.T("storyverdict.used", core.Count(float64(*d.Used))))
	}
	return said
}

// places is the evidence of the damage.
func (d damage) places() []string {
	places := []string{"/summary/failed/median", "/summary/duplicates/median", "/summary/accepted/median",
		"/summary/expected/median"}
	if d.messageAt != "" {
		places = append(places, d.messageAt+"/message", d.messageAt+"/count")
	}
	return d.See(places...)
}

// median writes the median of one number of a cell.
func median(c core.Found, of func(facts.Trial) *float64) string {
	return text.Maybe(core.Middle(c.Cell, of), text.Measured)
}
