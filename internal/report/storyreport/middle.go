package storyreport

import (
	"fmt"
	"slices"

	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
	"h2lab/internal/judge/statistics"
	"h2lab/internal/judge/storyverdicts"
	"h2lab/internal/report/chart"
	"h2lab/internal/report/parts"
)

// api is part 2: what the API's team sees in the same minutes.
func (p *page) api() {
	p.Heading("story.2-what-api-sees")
	r := p.incident()
	if !p.need(r) {
		return
	}
	p.prose("api.md", map[string]any{
		"Executed":   count(r.sum(func(t facts.Trial) *int64 { return t.Backend.Executed })),
		"Duplicates": count(r.sum(func(t facts.Trial) *int64 { return t.Backend.Duplicates })),
		"P50":        parts.Measure(r.middle(apiP50)), "P99": p.show(r, apiP99, parts.Measure), "Known": r.middle(apiP99) != nil,
		"Delay": text.Count(r.Workload.DelayMS), "UsersP99": parts.Measure(r.middle(p99)),
		"RowP50": parts.Measure(r.middle(rowP50)), "RowP99": parts.Measure(r.middle(rowP99)), "RowKnown": r.middle(rowP99) != nil,
		"API": p.status("story-api"), "Row": p.status("story-row"),
	})
	p.table(apiColumns(), []row{r, p.alone()})
}

// status is that of a verdict; empty without one.
func (p *page) status(id string) string {
	if v := core.Find(p.Verdicts, id); v != nil {
		return string(v.Status)
	}
	return ""
}

// cut is part 3: the same service with and without the reverse proxy.
func (p *page) cut() {
	p.Heading("story.3-cut-finds")
	low, alone := p.incident(), p.alone()
	high, other := p.row(storyverdicts.Place{Topology: p.chain.High, Protocol: facts.H2, Caller: storyverdicts.OkHttp3},
		cureLabels["keepalive-requests"]), p.row(storyverdicts.Place{Topology: p.chain.Other, Protocol: facts.H2,
		Caller: storyverdicts.OkHttp3}, cureLabels["other-proxy"])
	if p.need(low, alone) {
		rps, wait := low.compare(alone, goodput), low.compare(alone, p99)
		p.prose("cut.md", map[string]any{"Gateway": parts.Code(p.chain.Gateway), "Low": parts.Code(p.chain.Low),
			"AloneGoodput": p.show(alone, goodput, parts.Whole), "AloneP99": p.show(alone, p99, parts.Measure),
			"LowGoodput": p.show(low, goodput, parts.Whole), "LowP99": p.show(low, p99, parts.Measure),
			"Goodput": p.times(low, alone, goodput), "P99": p.times(low, alone, p99),
			"Worse": rps.Significant && *rps.Ratio < 1 && wait.Significant && *wait.Ratio > 1,
			"Lower": rps.Significant && *rps.Ratio < 1, "Higher": wait.Significant && *wait.Ratio > 1})
	}
	p.table([]column{goodputColumn, p50Column, p99Column, failedColumn, twiceColumn, acceptedColumn, expectedColumn},
		[]row{alone, low, high, other})
}

// connections is part 4: the counters, and one renewal on the wire.
func (p *page) connections() {
	p.Heading("story.4-connections")
	r := p.incident()
	if p.need(r) {
		a, u, e := r.sum(connectionsOf(func(c facts.Connections) *int64 { return c.Accepted })),
			r.sum(connectionsOf(func(c facts.Connections) *int64 { return c.Used })),
			r.sum(connectionsOf(func(c facts.Connections) *int64 { return c.Expected }))
		requests := r.sum(func(t facts.Trial) *int64 { return &t.Attempts })
		p.prose("connections.md", map[string]any{"Low": parts.Code(p.chain.Low), "Requests": count(requests),
			"Trials": p.trials(r), "Limit": text.Count(p.Run.Limit), "Accepted": count(a), "Used": count(u),
			"Expected":   count(e),
			"UsedUp":     count(r.sum(connectionsOf(func(c facts.Connections) *int64 { return c.UsedUp }))),
			"PerRenewal": parts.Measure(share(a, e)), "Waste": parts.Percent(waste(a, u)),
			"AnyAccepted": a != nil && *a > 0, "AnyExpected": e != nil && *e > 0})
	}
	p.table(connectionColumns(), p.every())
	p.Printf("### %s\n\n", p.Say("story.renewal-wire"))
	p.Renewals()
}

func connectionsOf(f func(facts.Connections) *int64) func(facts.Trial) *int64 {
	return func(t facts.Trial) *int64 { return f(t.Connections) }
}

// waste is the share of accepted connections that carried no request.
func waste(accepted, used *int64) *float64 {
	s := share(used, accepted)
	if s == nil {
		return nil
	}
	return new(max(0, 1-*s))
}

// retry is part 5: the client's retry on and off.
func (p *page) retry() {
	p.Heading("story.5-retry")
	on, off := p.incident(), p.noRetry()
	if p.need(on, off) {
		message, _ := storyverdicts.Exception(off.Cell)
		failed := func(r row) *int64 { return r.sum(func(t facts.Trial) *int64 { return &t.Failed }) }
		sent := func(r row) *int64 { return r.sum(func(t facts.Trial) *int64 { return &t.Attempts }) }
		again := func(r row) *int64 { return r.sum(func(t facts.Trial) *int64 { return t.Backend.Duplicates }) }
		n := failed(off)
		p.prose("retry.md", map[string]any{"On": parts.Code(string(on.at.Caller)), "Off": parts.Code(string(off.at.Caller)),
			"OnSent": count(sent(on)), "OnFailed": count(failed(on)), "OnShare": parts.Percent(share(failed(on), sent(on))),
			"OnTwice": count(again(on)), "OnTwicePer1000": per(again(on), sent(on)),
			"OffSent": count(sent(off)), "OffFailed": count(n), "OffShare": parts.Percent(share(n, sent(off))),
			"OffTwice": count(again(off)), "OffRun": count(runAndFailed(off)),
			"AnyOff": n != nil && *n > 0, "AnyTwice": again(on) != nil && *again(on) > 0,
			"InFlight": text.Count(off.Workload.Concurrency), "Limit": text.Count(p.Run.Limit),
			"Most":    parts.Percent(p.mostPerRenewal(off)),
			"Message": parts.Block("", parts.Or(message, parts.Dash))})
	}
	p.table([]column{goodputColumn, p99Column, failedColumn, twiceColumn}, []row{on, off})
}

// runAndFailed is how many of a row's failed requests the API has executed all the same; nil if it isn't known.
func runAndFailed(r row) *int64 {
	var total int64
	for _, t := range r.Trials {
		if t.Backend.Distinct == nil {
			return nil
		}
		total += max(0, *t.Backend.Distinct-t.Succeeded)
	}
	return &total
}

// mostPerRenewal is the share of the calls that fail if each renewal costs all that are in flight.
func (p *page) mostPerRenewal(r row) *float64 {
	if p.Run.Limit <= 0 {
		return nil
	}
	return new(min(1, float64(r.Workload.Concurrency)/float64(p.Run.Limit)))
}

// per is a count per 1,000 of another.
func per(n, all *int64) string {
	s := share(n, all)
	if s == nil {
		return parts.Dash
	}
	v := *s * 1000
	return parts.Measure(&v)
}

// failure is a group of equal failures, as one of the two views shows them.
type failure struct{ view, class, message string }

// failures writes each message verbatim, once for each cell and view.
func (p *page) failures() {
	p.Heading("page.failure-messages")
	began := false
	for _, r := range p.every() {
		if !r.measured() {
			continue
		}
		order, counts := p.failuresOf(r)
		for _, f := range order {
			if !began {
				p.Print("story.where-who-saw-cause")
				began = true
			}
			p.Printf("| %s | %s | %s | %s | %s |\n", parts.Code(r.at.ID()), f.view, parts.Escape(f.class),
				text.Count(counts[f]), parts.Message(f.message))
		}
	}
	if !began {
		p.Print("story.no-request-no-call")
	}
}

func (p *page) failuresOf(r row) (order []failure, counts map[failure]int64) {
	counts = map[failure]int64{}
	add := func(view string, errors []facts.Error) {
		for _, e := range errors {
			f := failure{p.Say(view), e.Class, e.Message}
			if counts[f] == 0 {
				order = append(order, f)
			}
			counts[f] += e.Count
		}
	}
	for _, t := range r.Trials {
		if t.Service != nil {
			add("story.service", t.Service.Errors)
		}
		add("story.users", t.Errors)
	}
	return order, counts
}

// cures is part 6: one change at a time, and what each does to the first table.
func (p *page) cures() {
	p.Heading("story.6-cures-time")
	rows := append([]row{p.incident(), p.noRetry()}, p.cured()...)
	p.Print("story.first-table-again-change")
	p.table(usersColumns(), rows)
	for _, c := range p.chain.Cures() {
		p.cure(c)
	}
}

// serverPrices are what the cures on the server's side cost. A caller's price is in its manifest.
var serverPrices = map[string]string{
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
		p.Printf("%s\n", p.ServerDiff(p.Diff))
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
	return p.Worded(after.Program.Price)
}

// verdictOf is the status of a cure's verdict.
func (p *page) verdictOf(c storyverdicts.Cure) string {
	v := core.Find(p.Verdicts, "story-cure-"+c.Name)
	if v == nil {
		return parts.Dash
	}
	return fmt.Sprintf("%s %s %s", p.StatusWord(v.Status), parts.Dash, parts.Escape(p.In(v.Title)))
}

// The charts, in the order of the page.
var pictures = []struct {
	name             string
	alt, title, axis string
	of               of
}{
	{"story-goodput", "story.bar-chart-users-goodput", "chart.what-users-get-successful", "chart.successful-requests-per", goodput},
	{"story-p99", "story.bar-chart-users-99th", "chart.how-long-1-users", "chart.p99-milliseconds", p99},
}

// charts shows all charts for which the run has numbers.
func (p *page) charts() {
	for _, c := range pictures {
		if slices.ContainsFunc(p.every(), func(r row) bool { return r.middle(c.of) != nil }) {
			p.Chart(c.name, p.Say(c.alt), p.bars(c.title, c.axis, c.of))
		}
	}
}

func (p *page) bars(title, axis string, f of) chart.Bars {
	searched := []row{p.incident(), p.pool(), p.noRetry(), p.alone()}
	reading := p.Say("chart.median-whiskers-95-interval", p.Plural(p.Run.Trials, "page.trials"), p.chain.Low)
	if core.HasHistograms(p.Result) {
		reading += p.Say("chart.bar-latency-all-trials")
	}
	return chart.Bars{Words: p.Words(p.Say(title), reading, p.headline()), XLabel: p.Say(axis),
		Series: []string{p.Say("chart.users-service")}, Panels: []chart.Panel[chart.BarGroup]{
			{Name: p.Say("chart.incident-search-place"), Rows: p.groups(searched, f)},
			{Name: p.Say("chart.cures-time"), Rows: p.groups(p.cured(), f)}}}
}

func (p *page) groups(rows []row, f of) (out []chart.BarGroup) {
	for _, r := range rows {
		m := statistics.Median(r.sample(f))
		b := chart.Bar{Value: m.Median, Lo: m.Lo, Hi: m.Hi}
		if v := core.Pooled(r.Cell, f); v != nil {
			b = chart.Bar{Value: v}
		}
		if r.Cell == nil {
			b.Note = p.Say(parts.NotPart)
		} else if !r.Unsupported.IsZero() {
			b.Note = p.Say(parts.Unsupported, p.In(r.Unsupported))
		}
		out = append(out, chart.BarGroup{Label: p.Say(r.label), Bars: []chart.Bar{b}})
	}
	return out
}
