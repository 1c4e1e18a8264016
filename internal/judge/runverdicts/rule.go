package runverdicts

import (
	"slices"
	"strings"

	"h2lab/internal/facts"
	"h2lab/internal/report/translations"
)

// Rule is one question about a run.
type Rule struct {
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
	Good  facts.Status
	judge func(runFacts) finding
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

// RuleOf finds the rule of a verdict.
func RuleOf(id string) (Rule, bool) {
	rules := Rules()
	i := slices.IndexFunc(rules, func(r Rule) bool { return r.ID == id })
	if i < 0 {
		return Rule{}, false
	}
	return rules[i], true
}

// finding is a rule's answer before it becomes a verdict.
type finding struct {
	status           facts.Status
	expected, actual string
	next             string // what to do about it
	evidence         []facts.Evidence
	warnings         []string
}

// The commands that measure, as run.command names them.
const (
	repro  = "repro"
	fixed  = "fixed"
	matrix = "matrix"
)

// Rules lists all rules in the order of the verdicts: the fault, its cures, and whether the run can
// be trusted.
func Rules() []Rule {
	return []Rule{
		dialStampede, lostRequests, throughputDrop, handshakeCost,
		hiddenByConnectionPerVU, clientUndercount, exactlyOnce,
		dialStampedeGone(highLimit), lostRequestsGone(highLimit), throughputDropGone(highLimit),
		dialStampedeGone("envoy"), lostRequestsGone("envoy"), throughputDropGone("envoy"),
		singleDialCures, replayableCures, envoyTwoStage,
		limitInEffect, cpuBudget, machineTrust,
	}
}

// Judge applies every rule of the run's command.
func Judge(run *facts.Result) []facts.Verdict { return JudgeIn(translations.English, run) }

// Judgement returns the content of a run's verdicts.json.
func Judgement(run *facts.Result) facts.Judgement {
	return facts.Judgement{SchemaVersion: facts.SchemaVersion, Run: run.Run.ID, Cells: Summaries(run),
		Verdicts: Judge(run)}
}

// JudgeIn returns the same verdicts in a language. verdicts.json and Kept use the English ones.
func JudgeIn(in translations.Language, run *facts.Result) []facts.Verdict {
	f := gather(in, run)
	out := []facts.Verdict{}
	for _, r := range Rules() {
		if slices.Contains(r.Commands, run.Run.Command) {
			out = append(out, r.ask(f))
		}
	}
	return out
}

// ask applies the rule and makes a verdict of the finding.
func (r Rule) ask(f runFacts) facts.Verdict {
	a := f.unstarved(r, r.judge(f))
	if a.evidence == nil {
		a.evidence = []facts.Evidence{}
	}
	title := f.say(r.Title)
	if r.Topology != "" {
		title = f.say(r.Title, r.Topology)
	}
	return facts.Verdict{ID: r.ID, Title: title, Status: a.status, Expected: a.expected, Actual: a.actual,
		Evidence:  a.evidence,
		Reference: r.Reference, Hint: strings.TrimSpace(a.next + f.say(" ") + f.say(r.Care)),
		Warnings: unique(a.warnings)}
}

// fewTrials returns the warnings of the estimates that a verdict rests on, and of a quick run.
func (f runFacts) fewTrials(estimates ...facts.Estimate) []string {
	var out []string
	if f.run.Run.Quick {
		out = append(out, f.say("a quick run has one short trial and no statistics"))
	}
	for _, e := range estimates {
		out = append(out, f.recorded(e.Warnings)...)
	}
	return out
}
