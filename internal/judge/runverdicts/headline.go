package runverdicts

import (
	"slices"

	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
)

// Headline returns the verdict as one sentence with its numbers, which are medians of one window.
func Headline(run *facts.Result, verdicts []facts.Verdict) facts.Text {
	f := runFacts{core.Unread(run)}
	var said facts.Text
	switch run.Run.Command {
	case fixed:
		said = facts.Join("join.semicolon", f.uncontrolled(verdicts), f.cureSentence(verdicts))
	case matrix:
		said = facts.Join("join.semicolon", f.faultSentence(verdicts), f.cureSentence(verdicts))
	case "merge": // several machines shared one test: one trial and no server's counters
		said = f.mergedSentence()
	default:
		said = f.faultSentence(verdicts)
	}
	return f.Headline(said)
}

// faultSentence describes the effect of the low limit.
func (f runFacts) faultSentence(verdicts []facts.Verdict) facts.Text {
	v := core.Find(verdicts, "dial-stampede")
	if v == nil {
		return facts.Text{}
	}
	switch v.Status {
	case facts.Reproduced:
	case facts.NotReproduced:
		return facts.Join("join.semicolon", facts.T("verdict.stampede-did-not-appear", v.Actual), f.lossClause(f.low()))
	default:
		return facts.Join("join.semicolon", facts.T("verdict.run-cant-show-whether", core.Status(v.Status), v.Actual),
			f.lossClause(f.low()))
	}
	l, lacks := core.Try(f.lowPool)
	if lacks != nil {
		return facts.Text{}
	}
	opened := facts.T("verdict.opened-where-expected", core.Things(l.accepted, core.Connections),
		text.Seconds(l.Workload.DurationS), l.expectedWere())
	return facts.Join("join.semicolon", facts.T("verdict.http-2-through", f.low(), f.delivered(f.low(), true), opened),
		f.lossClause(f.low()))
}

// uncontrolled warns that a run shows no fault at the low limit and so proves nothing about the
// cures. It is empty if the run shows the fault.
func (f runFacts) uncontrolled(verdicts []facts.Verdict) facts.Text {
	if core.OpenLoop(f.Result) && slices.ContainsFunc([]string{"tail-latency", "dial-stampede", "lost-requests"}, func(id string) bool {
		v := core.Find(verdicts, id)
		return v != nil && v.Status == facts.Reproduced
	}) {
		return facts.Text{}
	}
	for _, id := range []string{"dial-stampede", "lost-requests"} {
		if v := core.Find(verdicts, id); v != nil && v.Status != facts.Reproduced {
			return facts.T("verdict.run-proves-nothing-about", v.ID, core.Status(v.Status), v.Actual)
		}
	}
	return facts.Text{}
}

// cureSentence describes the effect of the cures.
func (f runFacts) cureSentence(verdicts []facts.Verdict) facts.Text {
	var clauses, remains []facts.Text
	for _, topology := range cured {
		v := core.Find(verdicts, "dial-stampede-"+topology)
		if v == nil {
			continue
		}
		l, lacks := core.Try(func() ledger { return f.connections(topology, facts.K6SharedPool) })
		if lacks != nil {
			clauses = append(clauses, facts.T("verdict.is", topology, core.Status(v.Status), v.Actual))
			continue
		}
		if v.Status == facts.Reproduced {
			remains = append(remains, facts.Verbatim(topology))
		}
		clause := facts.T("verdict.http-2-through-opened", topology, f.delivered(topology, len(clauses) == 0),
			core.Things(l.accepted, core.NewConnections))
		if len(clauses) == 0 {
			clause.Add(facts.T("verdict.in", text.Seconds(l.Workload.DurationS)))
			if before, lacks := core.Try(f.lowPool); lacks == nil {
				clause.Add(facts.T("verdict.where-opened", f.low(), core.Count(before.accepted)))
			}
		}
		clauses = append(clauses, clause)
	}
	if loss := f.lossClause(highLimit); !loss.IsZero() {
		clauses = append(clauses, facts.T("verdict.there", loss))
	}
	said := facts.Join("join.semicolon", clauses...)
	if remains != nil {
		return facts.T("verdict.stampede-remains", facts.Join("join.and", remains...), said)
	}
	return said
}

// delivered returns, for example, "delivered 0.43 [0.41, 0.45] of HTTP/1.1's goodput and ".
func (f runFacts) delivered(topology string, full bool) facts.Text {
	if core.OpenLoop(f.Result) {
		return f.waited(topology, full)
	}
	p, lacks := core.Try(func() contrast { return f.protocols(topology, facts.K6SharedPool) })
	switch {
	case lacks != nil:
		return facts.Text{}
	case full:
		return facts.T("verdict.delivered-http-1-1s", core.Ratio(p.Comparison))
	}
	return facts.T("verdict.delivered", core.Ratio(p.Comparison))
}

// waited returns, for example, "had a p99 of 45.2 ms at 2,000 requests/s (HTTP/1.1: 3.1 ms) and ".
func (f runFacts) waited(topology string, full bool) facts.Text {
	c, lacks := core.Try(func() found { return f.Cell(topology, facts.H2, facts.K6SharedPool) })
	if lacks != nil || core.P99Of(c.Summary) == nil {
		return facts.Text{}
	}
	if !full {
		return facts.T("verdict.p99-ms", p99(c))
	}
	other, protocol := f.low(), facts.H2 // the cures are compared with the low limit, which is with HTTP/1.1
	if topology == f.low() {
		other, protocol = "HTTP/1.1", facts.H1
	}
	var beside facts.Text
	if than, lacks := core.Try(func() found { return f.Cell(f.low(), protocol, facts.K6SharedPool) }); lacks == nil {
		beside = facts.T("verdict.ms", other, p99(than))
	}
	return facts.T("verdict.p99-ms-requests-s", p99(c), core.Count(c.Workload.RatePerS), beside)
}

// lossClause describes the losses of a client whose bodies can't be sent again.
func (f runFacts) lossClause(topology string) facts.Text {
	l, lacks := core.Try(func() losses { return f.losses(topology, facts.GoOnce) })
	switch {
	case lacks != nil:
		return facts.Text{}
	case l.lost == 0:
		return facts.T("verdict.client-whose-body-cant")
	}
	return facts.T("verdict.client-whose-body-cant-replayed", core.Things(l.perTrial, core.Requests))
}

// mergedSentence is the headline of a merged run.
func (f runFacts) mergedSentence() facts.Text {
	for _, c := range f.Result.Cells {
		for _, t := range c.Trials {
			ms := func(v *float64) string { return text.Maybe(v, text.Measured) }
			return facts.T("verdict.requests-succeeded-requests-s", text.Count(t.Succeeded),
				text.Count(t.Attempts), text.Seconds(t.ElapsedS), text.Measured(t.GoodputRPS), ms(t.LatencyMS.P50),
				ms(t.LatencyMS.P99))
		}
	}
	return facts.Text{}
}
