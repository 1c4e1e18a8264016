package clientverdicts

import (
	"strings"
	"testing"

	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
)

func TestNothingFollowsFromAClientThatLackedFiles(t *testing.T) {
	lacks := &Figures{Trials: 1, Attempts: 1000, Failed: 900, Succeeded: 100,
		Errors: []facts.Error{{Class: facts.ErrClientResources, Count: 900, Message: "too many open files"}}}
	well := &Figures{Trials: 1, Attempts: 1000, Succeeded: 1000}
	dead := &Figures{Faults: []facts.Fault{{Kind: facts.FaultStarved, Message: "can't start new thread"}}}
	for name, f := range map[string]cellFacts{
		"here":              {Figures: *lacks, base: well},
		"without the limit": {Figures: *well, base: lacks},
		"its program":       {Figures: *dead, base: well},
	} {
		f.limit, f.protocol, f.inFlight = 100, facts.H2, 10
		j := judge(f)
		says := len(j.reasons) == 1 && strings.Contains(texts.English.In(j.reasons[0]), "no file, port, thread or memory")
		if j.verdict != Inconclusive || !says {
			t.Errorf("%s: %s, %q", name, j.verdict, j.reasons)
		}
	}
}
