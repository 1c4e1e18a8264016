package runverdicts

import (
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
)

// promises are the commands' promises. The drop of throughput isn't promised: it depends on the CPU
// budget, the key and the machine.
var promises = map[string][]core.Promise{
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

// shows are the rules of which one shows the fault in an open loop. Below the servers' capacity few
// requests are in flight, so that a renewal can cost latency without a stampede, or connections without
// a higher p99.
var shows = []string{tailLatency.ID, dialStampede.ID, lostRequests.ID}

// openPromises are those of an open loop.
var openPromises = map[string][]core.Promise{
	repro: {
		{AnyOf: shows, Any: []facts.Status{facts.Reproduced}},
		{Rule: limitInEffect.ID, Not: []facts.Status{facts.NotReproduced}},
	},
	fixed: {
		{AnyOf: shows, Any: []facts.Status{facts.Reproduced}, Control: true},
		{Rule: "dial-stampede-" + highLimit, Not: []facts.Status{facts.Reproduced, facts.Inconclusive}},
		{Rule: "lost-requests-" + highLimit, Not: []facts.Status{facts.Reproduced, facts.Inconclusive}},
		{Rule: "tail-latency-" + highLimit, Not: []facts.Status{facts.Reproduced}},
		{Rule: "dial-stampede-envoy", Not: []facts.Status{facts.Reproduced, facts.Inconclusive}},
		{Rule: "lost-requests-envoy", Not: []facts.Status{facts.Reproduced, facts.Inconclusive}},
		{Rule: singleDialCures.ID, Not: []facts.Status{facts.Reproduced}},
		{Rule: replayableCures.ID, Not: []facts.Status{facts.Reproduced}},
		{Rule: limitInEffect.ID, Not: []facts.Status{facts.NotReproduced}},
	},
	matrix: promises[matrix],
}

// Kept returns nil if the verdicts on a run are what its command promises: repro shows the fault; fixed
// shows it at the low limit and not on the cured topologies.
func Kept(run *facts.Result, verdicts []facts.Verdict) error {
	if core.OpenLoop(run) {
		return core.Kept(run.Run.Command, openPromises[run.Run.Command], verdicts)
	}
	return core.Kept(run.Run.Command, promises[run.Run.Command], verdicts)
}
