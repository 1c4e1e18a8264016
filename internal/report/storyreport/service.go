package storyreport

import (
	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/judge/storyverdicts"
	"h2lab/internal/report/parts"
)

// service is part 1: what the service's team sees.
func (p *page) service() {
	p.Heading("story.1-what-service-sees")
	r := p.incident()
	if !p.need(r) {
		return
	}
	calls := r.sum(func(t facts.Trial) *int64 { return called(t, func(s *facts.ServiceView) int64 { return s.Calls }) })
	failed := r.sum(func(t facts.Trial) *int64 { return called(t, func(s *facts.ServiceView) int64 { return s.Failed }) })
	duplicates := r.sum(func(t facts.Trial) *int64 { return t.Backend.Duplicates })
	message, _ := storyverdicts.Exception(r.Cell)
	p.prose("service.md", map[string]any{
		"Caller": parts.Code(string(r.at.Caller)), "About": p.about(r), "Users": text.Count(r.Workload.Concurrency),
		"Method": parts.Escape(r.Workload.Method), "Window": parts.Seconds(p.run.DurationS), "Trials": p.trials(r),
		"Goodput": p.show(r, goodput, parts.Whole), "P50": p.show(r, p50, parts.Measure), "P99": p.show(r, p99, parts.Measure),
		"CallP50": parts.Measure(r.middle(callP50)), "CallP99": parts.Measure(r.middle(callP99)),
		"Calls": count(calls), "Failed": count(failed), "FailedShare": parts.Percent(share(failed, calls)),
		"AnyFailed": failed != nil && *failed > 0, "Known": failed != nil,
		"Message": parts.Block("", parts.Or(message, parts.Dash)), "Duplicates": count(duplicates),
		"Hidden": duplicates != nil && *duplicates > 0, "Threads": parts.Whole(r.middle(threads)),
		"Heap": parts.Whole(r.middle(heap)),
	})
	rows := []row{r, p.pool()}
	p.table(usersColumns(), rows, []string{p.Say("story.original"), p.Say("story.under-500"), p.Say("story.over-500"), parts.Dash,
		p.Say("story.about-10"), parts.Dash, parts.Dash, parts.Dash})
	p.poolOf100(rows[0], rows[1])
}

// poolOf100 compares the two pools.
func (p *page) poolOf100(small, large row) {
	if !p.need(large) {
		return
	}
	rps, wait := large.compare(small, goodput), large.compare(small, p99)
	p.prose("pool.md", map[string]any{"Goodput": p.times(large, small, goodput), "P99": p.times(large, small, p99),
		"Same": !rps.Significant && !wait.Significant, "Decided": rps.Lo != nil && wait.Lo != nil})
}

// about describes a caller in the words of its manifest.
func (p *page) about(r row) string {
	if r.Program == nil || r.Program.Says == "" {
		return ""
	}
	return p.Say("page.labelled", parts.Escape(parts.Or(r.Program.Library, parts.Dash)), parts.Escape(p.Recorded(r.Program.Says)))
}

// trials is the number of a row's trials.
func (p *page) trials(r row) string { return p.Plural(len(r.Trials), "page.trials") }

// called returns a count of the service's own view.
func called(t facts.Trial, of func(*facts.ServiceView) int64) *int64 {
	if t.Service == nil {
		return nil
	}
	return new(of(t.Service))
}
