package runs

import (
	"slices"
	"testing"

	"h2lab/internal/facts"
	"h2lab/internal/lab/plan"
)

// A clients run with k6's rows takes k6; other rows bring their own programs.
func TestAClientsRunTakesK6ForItsRows(t *testing.T) {
	with := clientsRun{rows: []plan.Row{{Client: "curl"}, {Client: facts.K6ConnectionPerVU}}}
	without := clientsRun{rows: []plan.Row{{Client: "curl"}, {Client: facts.GoReplayable}}}
	if need := clientTools(with.byK6()); !slices.Equal(need, []string{"k6"}) {
		t.Errorf("with k6's rows it takes %q", need)
	}
	if need := clientTools(without.byK6()); len(need) != 0 {
		t.Errorf("without them it takes %q", need)
	}
}
