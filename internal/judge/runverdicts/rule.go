package runverdicts

import (
	"slices"

	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
)

// Rule is one question about a run.
type Rule = core.Rule[runFacts]

// RuleOf finds the rule of a verdict.
func RuleOf(id string) (Rule, bool) {
	all := Rules()
	i := slices.IndexFunc(all, func(r Rule) bool { return r.ID == id })
	if i < 0 {
		return Rule{}, false
	}
	return all[i], true
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
		dialStampede, lostRequests, throughputDrop, tailLatency, handshakeCost,
		hiddenByConnectionPerVU, clientUndercount, exactlyOnce,
		dialStampedeGone(highLimit), lostRequestsGone(highLimit), throughputDropGone(highLimit), tailLatencyGone(highLimit),
		dialStampedeGone("envoy"), lostRequestsGone("envoy"), throughputDropGone("envoy"), tailLatencyGone("envoy"),
		singleDialCures, replayableCures, envoyTwoStage,
		limitInEffect, scheduleKept, cpuBudget, machineTrust,
	}
}

// Judge applies every rule of the run's command, and returns the content of its verdicts.json.
func Judge(run *facts.Result) facts.Judgement {
	return core.Judgement(run, ask(gather(run), func(r Rule) bool { return slices.Contains(r.Commands, run.Run.Command) }))
}

// TrustVerdicts say whether the numbers of a run are reliable, whatever its command.
func TrustVerdicts(run *facts.Result) []facts.Verdict {
	return ask(gather(run), func(r Rule) bool { return r.Group == core.Trust })
}

func ask(f runFacts, which func(Rule) bool) []facts.Verdict {
	out := []facts.Verdict{}
	loop := core.LoopOf(f.Result)
	for _, r := range Rules() {
		if which(r) && (r.Loop == "" || r.Loop == loop) {
			out = append(out, r.Ask(f))
		}
	}
	return out
}
