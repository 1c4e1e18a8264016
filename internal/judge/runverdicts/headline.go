package runverdicts

import (
	"slices"
	"strings"

	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
	"h2lab/internal/report/translations"
)

// HeadlineIn returns the verdict as one sentence with its numbers, which are medians of one window. The
// language must be that of the verdicts.
func HeadlineIn(in translations.Language, run *facts.Result, verdicts []facts.Verdict) string {
	f := runFacts{core.Unread(in, run)}
	var text string
	switch run.Run.Command {
	case fixed:
		text = f.Sentence(f.uncontrolled(verdicts), f.cureSentence(verdicts))
	case matrix:
		text = f.Sentence(f.faultSentence(verdicts), f.cureSentence(verdicts))
	case merge:
		text = f.mergedSentence()
	default:
		text = f.faultSentence(verdicts)
	}
	if text == "" {
		text = f.Say("This run has no data for a verdict")
	}
	if run.Run.Quick {
		text += f.Say(" (quick run, no statistics)")
	}
	return f.Say("%s.", strings.TrimSuffix(text, "."))
}

// faultSentence describes the effect of the low limit.
func (f runFacts) faultSentence(verdicts []facts.Verdict) string {
	v := core.Find(verdicts, dialStampede.ID)
	if v == nil {
		return ""
	}
	switch v.Status {
	case facts.Reproduced:
	case facts.NotReproduced:
		return f.Sentence(f.Say("The stampede did not appear: %s", v.Actual), f.lossClause(f.low()))
	default:
		return f.Sentence(f.Say("The run can't show whether there is a stampede (%s): %s", f.Status(v.Status), v.Actual),
			f.lossClause(f.low()))
	}
	l, lack := f.connections(f.low(), facts.K6SharedPool)
	if lack != nil {
		return ""
	}
	opened := f.Say("opened %s in %s where %s expected", l.Things(l.accepted, core.Connections),
		core.Seconds(l.Workload.DurationS), l.expectedWere())
	return f.Sentence(f.Say("HTTP/2 through %s %s%s", f.low(), f.delivered(f.low(), true), opened),
		f.lossClause(f.low()))
}

// uncontrolled warns that a run shows no fault at the low limit and so proves nothing about the
// cures. It is empty if the run shows the fault.
func (f runFacts) uncontrolled(verdicts []facts.Verdict) string {
	if core.OpenLoop(f.Result) && slices.ContainsFunc(shows, func(id string) bool {
		v := core.Find(verdicts, id)
		return v != nil && v.Status == facts.Reproduced
	}) {
		return ""
	}
	for _, id := range []string{dialStampede.ID, lostRequests.ID} {
		if v := core.Find(verdicts, id); v != nil && v.Status != facts.Reproduced {
			return f.Say("This run proves nothing about the cures, since %s is %s: %s", v.ID, f.Status(v.Status),
				v.Actual)
		}
	}
	return ""
}

// cureSentence describes the effect of the cures.
func (f runFacts) cureSentence(verdicts []facts.Verdict) string {
	var clauses, remains []string
	for _, topology := range []string{highLimit, "envoy"} {
		v := core.Find(verdicts, "dial-stampede-"+topology)
		if v == nil {
			continue
		}
		l, lack := f.connections(topology, facts.K6SharedPool)
		if lack != nil {
			clauses = append(clauses, f.Say("%s is %s: %s", topology, f.Status(v.Status), v.Actual))
			continue
		}
		if v.Status == facts.Reproduced {
			remains = append(remains, topology)
		}
		clause := f.Say("HTTP/2 through %s %sopened %s", topology, f.delivered(topology, len(clauses) == 0),
			l.Things(l.accepted, core.NewConnections))
		if len(clauses) == 0 {
			clause += f.Say(" in %s", core.Seconds(l.Workload.DurationS))
			if before, lack := f.connections(f.low(), facts.K6SharedPool); lack == nil {
				clause += f.Say(" where %s opened %s", f.low(), core.Count(before.accepted))
			}
		}
		clauses = append(clauses, clause)
	}
	if loss := f.lossClause(highLimit); loss != "" {
		clauses = append(clauses, f.Say("%s there", loss))
	}
	text := f.Sentence(clauses...)
	if remains != nil {
		return f.Say("The stampede remains on %s: %s", strings.Join(remains, f.Say(" and ")), text)
	}
	return text
}

// delivered returns, for example, "delivered 0.43 [0.41, 0.45] of HTTP/1.1's goodput and ".
func (f runFacts) delivered(topology string, full bool) string {
	if core.OpenLoop(f.Result) {
		return f.waited(topology, full)
	}
	p, lack := f.protocols(topology, facts.K6SharedPool)
	switch {
	case lack != nil:
		return ""
	case full:
		return f.Say("delivered %s of HTTP/1.1's goodput and ", f.Ratio(p.Comparison))
	}
	return f.Say("delivered %s and ", f.Ratio(p.Comparison))
}

// waited returns, for example, "had a p99 of 45.2 ms at 2,000 requests/s (HTTP/1.1: 3.1 ms) and ".
func (f runFacts) waited(topology string, full bool) string {
	c, lack := f.Cell(topology, facts.H2, facts.K6SharedPool)
	if lack != nil || core.P99Of(c.Summary) == nil {
		return ""
	}
	if !full {
		return f.Say("had a p99 of %s ms and ", p99(c))
	}
	beside, other, protocol := "", f.low(), facts.H2 // the cures are compared with the low limit, which is with HTTP/1.1
	if topology == f.low() {
		other, protocol = "HTTP/1.1", facts.H1
	}
	if than, lack := f.Cell(f.low(), protocol, facts.K6SharedPool); lack == nil {
		beside = f.Say(" (%s: %s ms)", other, p99(than))
	}
	return f.Say("had a p99 of %s ms at %s requests/s%s and ", p99(c), core.Count(c.Workload.RatePerS), beside)
}

// lossClause describes the losses of a client whose bodies can't be sent again.
func (f runFacts) lossClause(topology string) string {
	l, lack := f.losses(topology, facts.GoOnce)
	switch {
	case lack != nil:
		return ""
	case l.lost == 0:
		return f.Say("a client whose body can't be replayed lost no request")
	}
	return f.Say("a client whose body can't be replayed lost %s", l.Things(l.perTrial, core.Requests))
}
