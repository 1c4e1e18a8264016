package runverdicts

import (
	"strings"
	"testing"

	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
)

func TestNothingFollowsFromACellWhoseClientLackedFiles(t *testing.T) {
	v := factsOf{rps: 1000, accepted: 900, used: 45, expected: 45, lost: 60, proxy: 1}
	other := factsOf{rps: 4000, accepted: 100, used: 100, expected: 100, proxy: 1}
	build := func(changes ...func(*facts.Cell)) run {
		return newRun(repro).
			cell("nginx-1000", facts.H2, facts.GoOnce, v, changes...).
			cell("nginx-1000", facts.H2, facts.K6SharedPool, v, changes...).
			cell("nginx-1000", facts.H1, facts.K6SharedPool, other)
	}
	concluded := 0
	for _, verdict := range Judge(build().Result).Verdicts {
		if r := core.RuleOf(Rules(), verdict.ID); r.Group != core.Trust && verdict.Status == facts.Reproduced {
			concluded++
		}
	}
	if concluded == 0 {
		t.Fatal("nothing follows from a run that lacked nothing")
	}
	starve := eachTrial(func(t *facts.Trial) {
		t.Errors = append(t.Errors, facts.Error{Class: facts.ErrClientResources, Count: 5000,
			Message: "too many open files"})
		t.Failed, t.Attempts = t.Failed+5000, t.Attempts+5000
	})
	said := 0
	for _, verdict := range Judge(build(starve).Result).Verdicts {
		if r := core.RuleOf(Rules(), verdict.ID); r.Group == core.Trust {
			continue
		}
		if verdict.Status != facts.Inconclusive && verdict.Status != facts.Unsupported {
			t.Errorf("%s is %s: %s", verdict.ID, verdict.Status, texts.English.In(verdict.Actual))
		}
		if strings.Contains(texts.English.In(verdict.Actual), "the client's machine had no file") {
			said++
		}
	}
	if said == 0 {
		t.Error("no verdict says why it is inconclusive")
	}
}
