package runverdicts

import (
	"slices"
	"strings"

	"h2lab/internal/facts"
	"h2lab/internal/report/translations"
)

// Rule is one question to a run.
type Rule struct {
	// ID names the rule, its verdict and (with _ for -) its file.
	ID string
	// Title is what the rule looks for, as a statement; %s in it is Topology.
	Title translations.Phrase
	// Topology is the one that the rule is about, where there is one rule for each.
	Topology string
	// Reference is where the explanation comes from.
	Reference string
	// Care says why a reader should.
	Care translations.Phrase
	// Commands are those whose runs are asked.
	Commands []string
	// Group is where a report shows the verdict.
	Group Group
	// Good is the status that says all is well; empty where neither answer is
	// better, since a fault is as welcome in a repro as its absence in a fixed.
	Good  facts.Status
	judge func(runFacts) finding
}

// Group is a part of a report's verdicts, named by its heading.
type Group = translations.Phrase

// The groups, in the order in which they are shown.
const (
	Fault Group = "The fault"
	Cure  Group = "The cures"
	Trust Group = "Can the numbers be believed?"
)

// Groups lists them.
var Groups = []Group{Fault, Cure, Trust}

// RuleOf finds the rule behind a verdict.
func RuleOf(id string) (Rule, bool) {
	rules := Rules()
	i := slices.IndexFunc(rules, func(r Rule) bool { return r.ID == id })
	if i < 0 {
		return Rule{}, false
	}
	return rules[i], true
}

// finding is a rule's answer before it is dressed as a verdict.
type finding struct {
	status           facts.Status
	expected, actual string
	next             string // what to do about it
	evidence         []facts.Evidence
	warnings         []string
}

// The commands that measure, as the run names them.
const (
	repro  = "repro"
	fixed  = "fixed"
	matrix = "matrix"
)

// Rules lists all rules in the order in which verdicts are given: the fault,
// its cures, and whether the run can be believed.
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

// Judge asks a run every rule of its command.
func Judge(run *facts.Result) []facts.Verdict { return JudgeIn(translations.English, run) }

// Judgement is the whole verdicts.json of a run.
func Judgement(run *facts.Result) facts.Judgement {
	return facts.Judgement{SchemaVersion: facts.SchemaVersion, Run: run.Run.ID, Cells: Summaries(run), Verdicts: Judge(run)}
}

// JudgeIn gives the same verdicts in the words of a language. Those that are
// kept and those that a promise is held to are the English ones.
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

// ask puts the question and dresses the answer.
func (r Rule) ask(f runFacts) facts.Verdict {
	a := f.unstarved(r, r.judge(f))
	if a.evidence == nil {
		a.evidence = []facts.Evidence{}
	}
	title := f.say(r.Title)
	if r.Topology != "" {
		title = f.say(r.Title, r.Topology)
	}
	return facts.Verdict{ID: r.ID, Title: title, Status: a.status, Expected: a.expected, Actual: a.actual, Evidence: a.evidence,
		Reference: r.Reference, Hint: strings.TrimSpace(a.next + f.say(" ") + f.say(r.Care)), Warnings: unique(a.warnings)}
}

// fewTrials are the warnings of the estimates that a verdict rests on, and of
// a quick run.
func (f runFacts) fewTrials(estimates ...facts.Estimate) []string {
	var out []string
	if f.run.Run.Quick {
		out = append(out, f.say("a quick run of one short trial is a look, no statistics"))
	}
	for _, e := range estimates {
		out = append(out, f.recorded(e.Warnings)...)
	}
	return out
}
