package storyreport

import (
	"fmt"

	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
	"h2lab/internal/judge/storyverdicts"
	"h2lab/internal/report/parts"
	"h2lab/internal/report/translations"
)

// cures is part 6: one change at a time, and what each does to the first table.
func (p *page) cures() {
	p.Heading("story.6-cures-time")
	rows := append([]row{p.incident(), p.noRetry()}, p.cured()...)
	p.Print("story.first-table-again-change")
	p.table(usersColumns(), rows, nil)
	for _, c := range p.chain.Cures() {
		p.cure(c)
	}
}

// serverPrices are what the cures on the server's side cost. A caller's price is in its manifest.
var serverPrices = map[string]translations.Phrase{
	"keepalive-requests": "story.connection-lives-longer",
	"other-proxy":        "story.another-program-run-without",
}

func (p *page) cure(c storyverdicts.Cure) {
	before, after := p.row(c.Before, ""), p.row(c.After, cureLabels[c.Name])
	p.Printf("### %s\n\n", p.Say(after.label))
	if !p.need(before, after) {
		return
	}
	p.changes(c, after)
	n := func(r row, f func(facts.Trial) *int64) string { return count(r.sum(f)) }
	twiceOf := func(t facts.Trial) *int64 { return t.Backend.Duplicates }
	acceptedOf := func(t facts.Trial) *int64 { return t.Connections.Accepted }
	p.prose("cure.md", map[string]any{
		"Before": parts.Code(before.at.ID()), "After": parts.Code(after.at.ID()), "Verdict": p.verdictOf(c),
		"GoodputBefore": parts.Whole(before.middle(goodput)), "GoodputAfter": parts.Whole(after.middle(goodput)),
		"Goodput": p.times(after, before, goodput), "P99": p.times(after, before, p99),
		"P99Before": parts.Measure(before.middle(p99)), "P99After": parts.Measure(after.middle(p99)),
		"FailedBefore": parts.Percent(before.middle(failedShare)), "FailedAfter": parts.Percent(after.middle(failedShare)),
		"TwiceBefore": n(before, twiceOf), "TwiceAfter": n(after, twiceOf),
		"AcceptedBefore": n(before, acceptedOf), "AcceptedAfter": n(after, acceptedOf),
	})
	if price := p.price(c, after); price != "" {
		p.Print("story.what-costs", parts.Escape(price))
	}
	p.Printf("\n")
}

// changes shows the change itself: a line of the proxy's configuration, or the caller's code.
func (p *page) changes(c storyverdicts.Cure, after row) {
	switch s := snippet(after); {
	case c.Name == "keepalive-requests":
		p.Printf("%s\n", p.ServerDiff(p.in.Diff))
	case c.After.Topology == p.chain.Other:
		p.Print("story.reverse-proxy-envoy-without", parts.Code("envoy/unlimited-"+p.chain.Gateway+".yaml"))
	case c.After.Topology == p.chain.High: // the same line as above
	case s != nil:
		p.Printf("%s\n", parts.Block(s.Language, s.Text))
		p.Print("story.caller-runs", parts.Code(s.File))
	case after.Program != nil:
		p.Printf("%s\n\n", p.Say("page.labelled", parts.Code(string(after.at.Caller)), p.about(after)))
	}
}

func snippet(r row) *facts.Snippet {
	if r.Program == nil || r.Program.Snippet.Text == "" {
		return nil
	}
	return &r.Program.Snippet
}

func (p *page) price(c storyverdicts.Cure, after row) string {
	name := c.Name
	if c.After.Topology == p.chain.High {
		name = "keepalive-requests"
	}
	if price := serverPrices[name]; price != "" {
		return p.Say(price)
	}
	if after.Program == nil {
		return ""
	}
	return p.Recorded(after.Program.Price)
}

// verdictOf is the status of a cure's verdict.
func (p *page) verdictOf(c storyverdicts.Cure) string {
	v := core.Find(p.in.Verdicts, "story-cure-"+c.Name)
	if v == nil {
		return parts.Dash
	}
	return fmt.Sprintf("%s %s %s", p.StatusWord(v.Status), parts.Dash, parts.Escape(p.In(v.Title)))
}
