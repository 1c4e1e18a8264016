// Package runverdicts turns the facts of repro, fixed and matrix into verdicts. It reads only what results.json holds,
// uses no network, file or clock, and returns the same verdicts for the same run.
//
// rules.toml has the rules; each has a pure function here, which takes a run and returns a finding. A verdict's title is a
// statement, and its status says whether the run shows it:
//
//	reproduced      the run shows what the title says
//	fixed           the run shows it without the cure and not with it
//	not-reproduced  the run doesn't show it; the verdict says why, as far as the facts tell
//	inconclusive    the facts don't decide; the verdict says what is missing
//	unsupported     a cell that the rule needs can't run on this machine
//
// Every threshold stands with its rule and its reason. To add a rule, write its entry in rules.toml, its texts, its
// function and its table of facts.
package runverdicts

import (
	_ "embed"
	"fmt"
	"slices"
	"sync"

	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
)

// The commands that measure, as run.command names them.
const (
	repro  = "repro"
	fixed  = "fixed"
	matrix = "matrix"
)

// highLimit is the topology that cures the fault on the server's side with one setting
// (keepalive_requests 100000).
const highLimit = "nginx-100000"

// cured are the topologies that cure the fault.
var cured = []string{highLimit, "envoy"}

//go:embed rules.toml
var table []byte

// Rules lists all rules in the order of the verdicts: the fault, its cures, and whether the run can
// be trusted.
var Rules = sync.OnceValue(func() []core.Rule { return core.ReadRules(table, cured...) })

// Promises are what the commands promise.
var Promises = sync.OnceValue(func() []core.Promise { return core.ReadPromises(table) })

// runFacts are the input of a rule.
type runFacts struct{ core.Run }

type (
	found   = core.Found
	finding = core.Finding
)

// low returns the name of the nginx topology with the run's low limit.
func (f runFacts) low() string { return fmt.Sprintf("nginx-%d", f.Result.Run.Limit) }

// answers are the functions of the rules, and gone those of the same rules on a topology that cures the fault.
var (
	answers = map[string]func(runFacts) finding{
		"dial-stampede": dialStampede, "lost-requests": lostRequests, "throughput-drop": throughputDrop, "tail-latency": tailLatency,
		"handshake-cost": handshakeCost, "hidden-by-connection-per-vu": hiddenByConnectionPerVU,
		"client-undercount": clientUndercount, "exactly-once": exactlyOnce, "single-dial-cures": singleDialCures,
		"replayable-cures": replayableCures, "envoy-two-stage": envoyTwoStage, "limit-in-effect": limitInEffect,
		"schedule-kept": scheduleKept, "cpu-budget": cpuBudget, "machine-trust": machineTrust,
	}
	gone = map[string]func(f runFacts, cured string) finding{
		"dial-stampede": stampedeGone, "lost-requests": lossGone, "throughput-drop": dropGone, "tail-latency": tailGone,
	}
)

func (f runFacts) answer(r core.Rule) finding {
	if r.Cured != "" {
		return gone[r.Of](f, r.Cured)
	}
	return answers[r.ID](f)
}

// Judge applies every rule of the run's command, and returns the content of its verdicts.json.
func Judge(run *facts.Result) facts.Judgement {
	f := core.Gather(run)
	return f.Judgement(ask(f, func(r core.Rule) bool { return slices.Contains(r.Commands, run.Run.Command) }))
}

// TrustVerdicts say whether the numbers of a run are reliable, whatever its command.
func TrustVerdicts(run core.Run) []facts.Verdict {
	return ask(run, func(r core.Rule) bool { return r.Group == core.Trust })
}

func ask(run core.Run, which func(core.Rule) bool) []facts.Verdict {
	f, loop, out := runFacts{run}, core.LoopOf(run.Result), []facts.Verdict{}
	for _, r := range Rules() {
		if which(r) && (r.Loop == "" || r.Loop == loop) {
			out = append(out, r.Verdict(run, func() finding { return f.answer(r) }))
		}
	}
	return out
}

// Kept returns nil if the verdicts on a run are what its command promises: repro shows the fault; fixed
// shows it at the low limit and not on the cured topologies.
func Kept(run *facts.Result, verdicts []facts.Verdict) error {
	return core.Kept(run, Promises(), verdicts)
}
