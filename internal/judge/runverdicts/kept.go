package runverdicts

import (
	"h2lab/internal/facts"
	"h2lab/internal/judge/rules"
)

// promises are the commands' promises. The drop of throughput isn't promised: it depends on the CPU
// budget, the key and the machine.
var promises = map[string][]rules.Promise{
	repro: {
		{Rule: dialStampede.ID, Any: []facts.Status{facts.Reproduced}},
		{Rule: lostRequests.ID, Any: []facts.Status{facts.Reproduced}},
		{Rule: limitInEffect.ID, Not: []facts.Status{facts.NotReproduced}},
	},
	fixed: {
		{Rule: dialStampede.ID, Any: []facts.Status{facts.Reproduced}, Control: true},
		{Rule: lostRequests.ID, Any: []facts.Status{facts.Reproduced}, Control: true},
		{Rule: "dial-stampede-" + highLimit, Any: []facts.Status{facts.Fixed}},
		{Rule: "lost-requests-" + highLimit, Any: []facts.Status{facts.Fixed}},
		// Envoy may not be available on a machine; that doesn't contradict the promise.
		{Rule: "dial-stampede-envoy", Any: []facts.Status{facts.Fixed, facts.Unsupported}},
		{Rule: "lost-requests-envoy", Any: []facts.Status{facts.Fixed, facts.Unsupported}},
		{Rule: "throughput-drop-" + highLimit, Not: []facts.Status{facts.Reproduced}},
		{Rule: singleDialCures.ID, Not: []facts.Status{facts.Reproduced}},
		{Rule: replayableCures.ID, Not: []facts.Status{facts.Reproduced}},
		{Rule: limitInEffect.ID, Not: []facts.Status{facts.NotReproduced}},
	},
	// The matrix is a survey: it promises only that the topologies have the limits in their names.
	matrix: {{Rule: limitInEffect.ID, Not: []facts.Status{facts.NotReproduced}}},
}

// Kept returns nil if the verdicts are what the command promises: repro shows the fault; fixed
// shows it at the low limit and not on the cured topologies.
func Kept(command string, verdicts []facts.Verdict) error {
	return rules.Kept(command, promises[command], verdicts)
}
