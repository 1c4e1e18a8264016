// Package storyverdicts turns the facts of a story (users → service → reverse proxy → API gateway →
// API) into verdicts. rules.toml has the rules; each has a pure function here. Statuses are those of runverdicts:
//
//	reproduced      the run shows what the title says
//	fixed           the incident's damage is gone with this cure, and was there without it
//	not-reproduced  the run shows the contrary
//	inconclusive    the facts don't decide; the verdict says what is missing
//
// Rates and latencies differ only if the Mann-Whitney test says so (statistics.Compare); no rule has a
// threshold for the machine. Connections, failures and repeated requests are counted, so they need no test.
package storyverdicts

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
	"h2lab/internal/judge/runverdicts"
)

//go:embed rules.toml
var table []byte

// Rules lists the rules in the order of the story: the incident, the suspects, the place, the retry, the cures.
var Rules = sync.OnceValue(func() []core.Rule { return core.ReadRules(table) })

// RuleOf finds the rule of a verdict.
func RuleOf(id string) core.Rule {
	if r := core.RuleOf(Rules(), id); r.ID != "" {
		return r
	}
	return core.RuleOf(runverdicts.Rules(), id)
}

// answer is the function of a rule.
func (f storyFacts) answer(id string) core.Finding {
	if name, ok := strings.CutPrefix(id, "story-cure-"); ok {
		return cure(f, f.Cures()[slices.IndexFunc(f.Cures(), func(c Cure) bool { return c.Name == name })])
	}
	return map[string]func(storyFacts) core.Finding{"story-incident": incident, "story-pool": pool, "story-api": api, "story-row": row,
		"story-proxy": proxy, "story-retry": retry}[id](f)
}

// Judge applies every rule, and returns the content of a story's verdicts.json.
func Judge(run *facts.Result) facts.Judgement {
	f := storyFacts{core.Gather(run), ChainOf(run)}
	verdicts := []facts.Verdict{}
	for _, r := range Rules() {
		verdicts = append(verdicts, r.Verdict(f.Run, func() core.Finding { return f.answer(r.ID) }))
	}
	return f.Judgement(append(verdicts, runverdicts.TrustVerdicts(f.Run)...))
}

// Kept returns nil if the verdicts are what the command promises.
func Kept(run *facts.Result, verdicts []facts.Verdict) error {
	return core.Kept(run, core.ReadPromises(table), verdicts)
}
