package runverdicts

import (
	"fmt"

	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
)

// highLimit is the topology that cures the fault on the server's side with one setting
// (keepalive_requests 100000).
const highLimit = "nginx-100000"

// runFacts are the input of a rule.
type runFacts struct{ core.Run }

type (
	found   = core.Found
	finding = core.Finding
)

func gather(run *facts.Result) runFacts { return runFacts{core.Gather(run)} }

// low returns the name of the nginx topology with the run's low limit.
func (f runFacts) low() string { return fmt.Sprintf("nginx-%d", f.Result.Run.Limit) }
