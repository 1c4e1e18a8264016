// Package core has what the verdicts on every kind of run share: a rule and its finding, a run's cells with their
// summaries, the evidence of a verdict, whether a trial counts, a command's promises, and the texts of numbers.
// runverdicts, storyverdicts, sweepverdicts, limitmap and clientverdicts have the rules themselves.
//
// Judging knows no language: a verdict's sentences are texts (facts.Text), which the catalogue has in two languages.
package core

import (
	"fmt"
	"slices"

	"github.com/BurntSushi/toml"

	"h2lab/internal/facts"
)

// Rule is one question about a run, as its package's rules.toml describes it; the package has a function that answers it.
type Rule struct {
	// ID names the rule and its verdict.
	ID string
	// Title is what the rule looks for, as a statement, and Care why its verdict matters: keys of the catalogue.
	Title, Care string
	// Reference is the source of the explanation.
	Reference string
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
	AnySchedule bool `toml:"any-schedule"`
	// Gone is the same rule with the contrary direction: what it looks for must be gone on a topology that cures it.
	Gone *Rule
	// Of is the id of the rule without its topology, and Cured that topology; empty where the rule has one direction.
	Of, Cured string
}

// ReadRules reads a package's rules.toml, which is embedded and tested. A rule with Gone is asked on each cured topology
// too, after all faults.
func ReadRules(table []byte, cured ...string) []Rule {
	var read struct{ Rule []Rule }
	if err := toml.Unmarshal(table, &read); err != nil {
		panic(fmt.Sprintf("rules.toml: %v", err))
	}
	for i := range read.Rule {
		read.Rule[i].Of = read.Rule[i].ID
	}
	var gone []Rule
	for _, topology := range cured {
		for _, r := range read.Rule {
			if r.Gone != nil {
				g := *r.Gone
				g.ID, g.Of, g.Cured, g.Loop = r.ID+"-"+topology, r.ID, topology, r.Loop
				gone = append(gone, g)
			}
		}
	}
	faults := 0
	for faults < len(read.Rule) && read.Rule[faults].Group == Fault {
		faults++
	}
	return slices.Insert(read.Rule, faults, gone...)
}

// RuleOf finds the rule of a verdict.
func RuleOf(rules []Rule, id string) Rule {
	if i := slices.IndexFunc(rules, func(r Rule) bool { return r.ID == id }); i >= 0 {
		return rules[i]
	}
	return Rule{}
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

// Verdict makes a verdict of a rule's answer about a run.
func (r Rule) Verdict(f Run, answer func() Finding) facts.Verdict {
	a, lacks := Try(answer)
	if lacks != nil {
		a = *lacks
	}
	if r.Group != Trust {
		a = f.unstarved(a)
	}
	if r.Group != Trust && !r.AnySchedule {
		a = f.onSchedule(a)
	}
	if a.Evidence == nil {
		a.Evidence = []facts.Evidence{}
	}
	title := facts.T(r.Title)
	if r.Cured != "" {
		title.Args = []any{r.Cured}
	}
	return facts.Verdict{ID: r.ID, Title: title, Status: a.Status, Expected: a.Expected, Actual: a.Actual,
		Evidence: a.Evidence, Reference: facts.Verbatim(r.Reference), Hint: facts.Join("join.sentences", a.Next, facts.T(r.Care)),
		Warnings: Unique(a.Warnings)}
}

// Inconclusive ends a finding that the facts don't decide.
func (a Finding) Inconclusive(also, next facts.Text) Finding {
	a.Status, a.Next = facts.Inconclusive, next
	a.Actual.Add(also)
	return a
}

// NotShown ends a finding with the likely reason that the run doesn't show it, in a text of the catalogue, and the step that
// would show it.
func (a Finding) NotShown(key string, why func() (reason, next facts.Text)) Finding {
	reason, next := why()
	a.Status, a.Next = facts.NotReproduced, next
	a.Actual.Add(facts.T(key, reason))
	return a
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
func (f Run) Judgement(verdicts []facts.Verdict) facts.Judgement {
	return facts.Judgement{SchemaVersion: facts.VerdictsVersion, Run: f.Result.Run.ID, Cells: f.Summaries, Verdicts: verdicts}
}

// Headline is a run's verdict as one sentence.
func (f Run) Headline(said facts.Text) facts.Text {
	if said.IsZero() {
		said = facts.T("verdict.run-no-data-verdict")
	}
	if f.Result.Run.Quick {
		said.Add(facts.T("verdict.quick-run-no-statistics"))
	}
	return facts.T("verdict.sentence", said)
}
