package runverdicts

import (
	"errors"
	"fmt"
	"slices"

	"h2lab/internal/facts"
)

// promise requires that a verdict of a command's run has one of some statuses. A missing verdict
// breaks a promise too.
type promise struct {
	rule string
	any  []facts.Status
	not  []facts.Status // statuses that break the promise; used if any is nil
	// control: a run that breaks this promise proves nothing about the cures.
	control bool
}

// promises are the commands' promises. The drop of throughput isn't promised: it depends on the CPU
// budget, the key and the machine.
var promises = map[string][]promise{
	repro: {
		{rule: dialStampede.ID, any: []facts.Status{facts.Reproduced}},
		{rule: lostRequests.ID, any: []facts.Status{facts.Reproduced}},
		{rule: limitInEffect.ID, not: []facts.Status{facts.NotReproduced}},
	},
	fixed: {
		{rule: dialStampede.ID, any: []facts.Status{facts.Reproduced}, control: true},
		{rule: lostRequests.ID, any: []facts.Status{facts.Reproduced}, control: true},
		{rule: "dial-stampede-" + highLimit, any: []facts.Status{facts.Fixed}},
		{rule: "lost-requests-" + highLimit, any: []facts.Status{facts.Fixed}},
		// Envoy may not be available on a machine; that doesn't contradict the promise.
		{rule: "dial-stampede-envoy", any: []facts.Status{facts.Fixed, facts.Unsupported}},
		{rule: "lost-requests-envoy", any: []facts.Status{facts.Fixed, facts.Unsupported}},
		{rule: "throughput-drop-" + highLimit, not: []facts.Status{facts.Reproduced}},
		{rule: singleDialCures.ID, not: []facts.Status{facts.Reproduced}},
		{rule: replayableCures.ID, not: []facts.Status{facts.Reproduced}},
		{rule: limitInEffect.ID, not: []facts.Status{facts.NotReproduced}},
	},
	// The matrix is a survey: it promises only that the topologies have the limits in their names.
	matrix: {{rule: limitInEffect.ID, not: []facts.Status{facts.NotReproduced}}},
}

// Kept returns nil if the verdicts are what the command promises: repro shows the fault; fixed
// shows it at the low limit and not on the cured topologies. Otherwise the error gives, for each
// broken promise, the finding, the likely reason and the next step.
func Kept(command string, verdicts []facts.Verdict) error {
	var broken []error
	for _, p := range promises[command] {
		i := slices.IndexFunc(verdicts, func(v facts.Verdict) bool { return v.ID == p.rule })
		switch {
		case i < 0 && p.any != nil:
			broken = append(broken, fmt.Errorf("%s promises a verdict on %s, and there is none", command, p.rule))
		case i < 0:
		case p.any != nil && !slices.Contains(p.any, verdicts[i].Status), slices.Contains(p.not, verdicts[i].Status):
			v, proves := verdicts[i], ""
			if p.control {
				proves = "; without the fault this run proves nothing about its cures"
			}
			broken = append(broken, fmt.Errorf("%s is %s, against what %s promises%s: %s. %s",
				v.ID, v.Status, command, proves, v.Actual, v.Hint))
		}
	}
	return errors.Join(broken...)
}
