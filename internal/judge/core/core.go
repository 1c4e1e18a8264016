// Package core has what the verdicts on every kind of run share: a rule and its finding, a run's cells with their
// summaries, the evidence of a verdict, whether a trial counts, a command's promises, and the texts of numbers.
// runverdicts, storyverdicts, sweepverdicts, limitmap and clientverdicts have the rules themselves.
//
// Judging knows no language: a verdict's sentences are texts (facts.Text), which the catalogue has in two languages.
package core

import (
	"slices"

	"h2lab/internal/facts"
)

// Rule is one question about a run. F is the run as the rule's package reads it: a Run, with what the package adds.
type Rule[F interface{ Facts() Run }] struct {
	// ID names the rule and its verdict.
	ID string
	// Title is what the rule looks for, as a statement.
	Title facts.Text
	// Reference is the source of the explanation.
	Reference string
	// Care says why the verdict matters.
	Care facts.Text
	// Commands are those to whose runs the rule applies.
	Commands []string
	// Group is the part of the report that shows the verdict.
	Group Group
	// Good is the status of a healthy run. It is empty if neither answer is better: a repro should
	// show the fault, a fixed run its absence.
	Good facts.Status
	// Loop is the kind of load that the rule applies to; empty for both.
	Loop Loop
	// AnySchedule: the rule's counts hold even if a generator fell behind its schedule.
	AnySchedule bool
	Judge       func(F) Finding
}

// Loop is a kind of load.
type Loop string

// A closed loop keeps requests in flight, an open one sends them at a rate.
const (
	Closed Loop = "closed"
	Open   Loop = "open"
)

// LoopOf is the kind of a run's load.
func LoopOf(run *facts.Result) Loop {
	if OpenLoop(run) {
		return Open
	}
	return Closed
}

// Group is a part of a report's verdicts.
type Group string

// The groups.
const (
	Fault Group = "fault"
	Cure  Group = "cure"
	Trust Group = "trust"
)

// Groups lists all groups in the order in which a report shows them, with their headings.
var Groups = []struct {
	Group
	Heading facts.Text
}{{Fault, facts.T("verdict.fault")}, {Cure, facts.T("verdict.cures")}, {Trust, facts.T("verdict.numbers-reliable")}}

// Finding is a rule's answer before it becomes a verdict.
type Finding struct {
	Status           facts.Status
	Expected, Actual facts.Text
	Next             facts.Text // what to do about it
	Evidence         []facts.Evidence
	Warnings         []facts.Text
}

// Ask applies the rule and makes a verdict of the finding.
func (r Rule[F]) Ask(run F) facts.Verdict {
	f := run.Facts()
	a := r.Judge(run)
	if r.Group != Trust {
		a = f.unstarved(a)
	}
	if r.Group != Trust && !r.AnySchedule {
		a = f.onSchedule(a)
	}
	if a.Evidence == nil {
		a.Evidence = []facts.Evidence{}
	}
	return facts.Verdict{ID: r.ID, Title: r.Title, Status: a.Status, Expected: a.Expected, Actual: a.Actual,
		Evidence: a.Evidence, Reference: facts.Verbatim(r.Reference), Hint: facts.Join("join.sentences", a.Next, r.Care),
		Warnings: Unique(a.Warnings)}
}

// FewTrials returns the warnings of the estimates that a verdict rests on, and of a quick run.
func (f Run) FewTrials(estimates ...facts.Estimate) []facts.Text {
	var out []facts.Text
	if f.Result.Run.Quick {
		out = append(out, facts.T("verdict.quick-run-one-short"))
	}
	for _, e := range estimates {
		out = append(out, e.Warnings...)
	}
	return out
}

// Find returns the verdict of a rule; nil without one.
func Find(verdicts []facts.Verdict, id string) *facts.Verdict {
	if i := slices.IndexFunc(verdicts, func(v facts.Verdict) bool { return v.ID == id }); i >= 0 {
		return &verdicts[i]
	}
	return nil
}

// Judgement returns the content of a run's verdicts.json.
func Judgement(run *facts.Result, verdicts []facts.Verdict) facts.Judgement {
	return facts.Judgement{SchemaVersion: facts.VerdictsVersion, Run: run.Run.ID, Cells: Summaries(run), Verdicts: verdicts}
}
