package storyverdicts

import (
	"slices"

	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
	"h2lab/internal/judge/runverdicts"
)

// Rule is one question about a story.
type Rule = core.Rule[storyFacts]

// Rules lists the rules in the order of the story: the incident, the suspects, the place, the retry, the cures.
func Rules() []Rule {
	out := []Rule{incident, pool, api, row, proxy, retry}
	for i := range (Chain{}).Cures() {
		out = append(out, cure(i))
	}
	return out
}

// RuleOf returns the group of a verdict and the status of a healthy run.
func RuleOf(id string) (group core.Group, good facts.Status) {
	all := Rules()
	if i := slices.IndexFunc(all, func(r Rule) bool { return r.ID == id }); i >= 0 {
		return all[i].Group, all[i].Good
	}
	r, _ := runverdicts.RuleOf(id)
	return r.Group, r.Good
}

// Judge applies every rule, and returns the content of a story's verdicts.json.
func Judge(run *facts.Result) facts.Judgement {
	f := gather(run)
	verdicts := []facts.Verdict{}
	for _, r := range Rules() {
		verdicts = append(verdicts, r.Ask(f))
	}
	return core.Judgement(run, append(verdicts, runverdicts.TrustVerdicts(run)...))
}

// promises are what a story claims to show. Its rates and latencies depend on the machine, so a run that can't decide
// on them breaks no promise; one that shows the contrary does.
var promises = []core.Promise{
	{Rule: incident.ID, Not: []facts.Status{facts.NotReproduced}},
	{Rule: pool.ID, Not: []facts.Status{facts.NotReproduced}},
	{Rule: api.ID, Not: []facts.Status{facts.NotReproduced}},
	{Rule: proxy.ID, Any: []facts.Status{facts.Reproduced}, Control: true},
	{Rule: retry.ID, Not: []facts.Status{facts.NotReproduced}},
	{Rule: cureID("keepalive-requests"), Not: []facts.Status{facts.Reproduced}},
	{Rule: cureID("other-proxy"), Not: []facts.Status{facts.Reproduced}},
	{Rule: cureID("http1"), Not: []facts.Status{facts.Reproduced}},
	{Rule: cureID("keepalive-requests-no-retry"), Not: []facts.Status{facts.Reproduced}},
	{Rule: "limit-in-effect", Not: []facts.Status{facts.NotReproduced}},
}

// Kept returns nil if the verdicts are what the command promises.
func Kept(run *facts.Result, verdicts []facts.Verdict) error {
	return core.Kept(run.Run.Command, promises, verdicts)
}
