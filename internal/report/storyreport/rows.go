package storyreport

import (
	"strings"

	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
	"h2lab/internal/judge/statistics"
	"h2lab/internal/judge/storyverdicts"
	"h2lab/internal/report/parts"
	"h2lab/internal/report/translations"
)

// row is a cell of the story, measured or not, with its name in the story.
type row struct {
	at          storyverdicts.Place
	*facts.Cell // nil where the run doesn't have it
	index       int
	label       translations.Phrase
}

func (p *page) row(at storyverdicts.Place, label translations.Phrase) row {
	r := row{at: at, label: label}
	for i := range p.in.Result.Cells {
		c := &p.in.Result.Cells[i]
		if c.Topology == at.Topology && c.Protocol == at.Protocol && c.Client == at.Caller {
			r.Cell, r.index = c, i
		}
	}
	return r
}

func (r row) measured() bool { return r.Cell != nil && len(r.Trials) > 0 }

// The rows of the story.
func (p *page) incident() row { return p.row(p.chain.Incident(), "story.incident") }
func (p *page) pool() row     { return p.row(p.chain.Pool(), "story.pool-100") }
func (p *page) noRetry() row  { return p.row(p.chain.NoRetry(), "story.retry-off") }
func (p *page) alone() row    { return p.row(p.chain.Cut(), "story.gateway-alone") }

// cureLabels are the cures' names in tables and charts, by storyverdicts.Cure.Name.
var cureLabels = map[string]translations.Phrase{
	"keepalive-requests":          "story.keepalive-requests-100000",
	"other-proxy":                 "story.envoy-proxy",
	"http1":                       "story.http-11",
	"newer-okhttp":                "story.newer-okhttp",
	"one-dial":                    "story.dial-time",
	"keepalive-requests-no-retry": "story.retry-off-keepalive",
}

func (p *page) cured() (out []row) {
	for _, c := range p.chain.Cures() {
		out = append(out, p.row(c.After, cureLabels[c.Name]))
	}
	return out
}

// every returns all rows, each once, in the order of the story.
func (p *page) every() []row {
	return append([]row{p.incident(), p.pool(), p.alone(), p.noRetry()}, p.cured()...)
}

// need reports whether all of the rows were measured; for each that wasn't it writes why.
func (p *page) need(rows ...row) bool {
	all := true
	for _, r := range rows {
		if !r.measured() {
			p.Printf("%s\n\n", p.why(r))
			all = false
		}
	}
	return all
}

// why says why a row has no numbers.
func (p *page) why(r row) string {
	name := parts.Code(r.at.ID())
	switch {
	case r.Cell == nil:
		return p.Say("story.run-doesnt-cell-part", name)
	case r.Unsupported != "":
		return p.Say("story.cell-cant-run-here", name, parts.Escape(p.Recorded(r.Unsupported)))
	}
	return p.Say("story.cell-no-trial-run", name)
}

type of = func(facts.Trial) *float64

func (r row) sample(f of) []float64 {
	if r.Cell == nil {
		return nil
	}
	return core.Sample(r.Trials, f)
}

// middle is a percentile of all requests, or the median of the trials.
func (r row) middle(f of) *float64 { return core.Middle(r.Cell, f) }

// shown is a median and its interval as the prose writes them; R is empty without an interval.
type shown struct{ V, R string }

func (p *page) show(r row, f of, write func(*float64) string) shown {
	m := statistics.Median(r.sample(f))
	interval := parts.Interval(m.Lo, m.Hi, write)
	if p.Translated() { // Chinese has its own parentheses, which take no spaces
		interval = strings.NewReplacer(" (", "（", ")", "）").Replace(interval)
	}
	if core.Pooled(r.Cell, f) != nil {
		interval = "" // that is the trials'
	}
	return shown{write(r.middle(f)), interval}
}

func (r row) compare(other row, f of) *statistics.Comparison {
	return new(statistics.Compare(r.sample(f), other.sample(f)))
}

// times writes the ratio of one row's number to another's.
func (p *page) times(a, b row, f of) string {
	c := a.compare(b, f)
	return parts.Escape(p.In(core.Ratio(*c)))
}

// sum adds up a count over a row's trials; nil if one of them doesn't know it.
func (r row) sum(f func(facts.Trial) *int64) *int64 {
	if !r.measured() {
		return nil
	}
	return storyverdicts.Sum(r.Cell, f)
}

// share is one sum divided by another.
func share(n, all *int64) *float64 {
	if n == nil || all == nil || *all == 0 {
		return nil
	}
	return new(float64(*n) / float64(*all))
}

func count(n *int64) string { return text.Maybe(n, text.Count[int64]) }
