package core

import (
	"slices"
	"strings"

	"h2lab/internal/facts"
	"h2lab/internal/report/translations"
)

// Rule is one question about a run. F is the run as the rule's package reads it: a Run, with what the package adds.
type Rule[F interface{ Facts() Run }] struct {
	// ID names the rule, its verdict and (with _ for -) its file.
	ID string
	// Title is what the rule looks for, as a statement; Topology replaces %s.
	Title translations.Phrase
	// Topology is the rule's topology, if there is one rule for each topology.
	Topology string
	// Reference is the source of the explanation.
	Reference string
	// Care says why the verdict matters.
	Care translations.Phrase
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

// Group is a part of a report's verdicts, named by its heading.
type Group = translations.Phrase

// The groups, in the order in which a report shows them.
const (
	Fault Group = "The fault"
	Cure  Group = "The cures"
	Trust Group = "Are the numbers reliable?"
)

// Groups lists all groups in that order.
var Groups = []Group{Fault, Cure, Trust}

// Finding is a rule's answer before it becomes a verdict.
type Finding struct {
	Status           facts.Status
	Expected, Actual string
	Next             string // what to do about it
	Evidence         []facts.Evidence
	Warnings         []string
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
	title := f.Say(r.Title)
	if r.Topology != "" {
		title = f.Say(r.Title, r.Topology)
	}
	return facts.Verdict{ID: r.ID, Title: title, Status: a.Status, Expected: a.Expected, Actual: a.Actual,
		Evidence:  a.Evidence,
		Reference: r.Reference, Hint: strings.TrimSpace(a.Next + f.Say(" ") + f.Say(r.Care)),
		Warnings: Unique(a.Warnings)}
}

// FewTrials returns the warnings of the estimates that a verdict rests on, and of a quick run.
func (f Run) FewTrials(estimates ...facts.Estimate) []string {
	var out []string
	if f.Result.Run.Quick {
		out = append(out, f.Say("a quick run has one short trial and no statistics"))
	}
	for _, e := range estimates {
		out = append(out, f.Recorded(e.Warnings)...)
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
