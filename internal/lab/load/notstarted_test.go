//go:build linux

package load

import (
	"errors"
	"fmt"
	"testing"

	"h2lab/internal/facts"
)

func TestAProgramThatDidNotGetGoingIsToldFromOneThatCrashed(t *testing.T) {
	for _, c := range []struct {
		what, word string
		err        error
		want       string
	}{
		{"too slow to be ready", "READY", fault(facts.FaultSilent, "READY did not come within 15s"),
			facts.FaultNotStarted},
		{"dead before it was ready", "READY", fault(facts.FaultCrashed, "it ended with exit status 1"),
			facts.FaultCrashed},
		{"a warm-up without an answer", "WARM",
			fault(facts.FaultCrashed,
				"it ended with exit status 1 before WARM: no request of the warm-up succeeded (100 attempts)"),
			facts.FaultNotStarted},
		{"dead in its warm-up", "WARM", fault(facts.FaultCrashed, "it ended with signal: killed before WARM"),
			facts.FaultCrashed},
		{"silent in its warm-up", "WARM", fault(facts.FaultSilent, "WARM did not come within 8s"), facts.FaultSilent},
		{"dead in its window", "DONE", fault(facts.FaultCrashed, "no request of the warm-up succeeded"),
			facts.FaultCrashed},
	} {
		var p *ProgramError
		if err := beforeItsFirst(c.word, fmt.Errorf("client: %w", c.err)); !errors.As(err, &p) || p.Kind != c.want {
			t.Errorf("%s: %v, want %s", c.what, p, c.want)
		}
	}
	other := errors.New("the counters can't be read")
	if got := beforeItsFirst("READY", other); !errors.Is(got, other) {
		t.Errorf("another error became %v", got)
	}
}
