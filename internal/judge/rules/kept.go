package rules

import (
	"errors"
	"fmt"
	"slices"

	"h2lab/internal/facts"
)

// Promise requires that a verdict of a command's run has one of some statuses. A missing verdict
// breaks a promise too.
type Promise struct {
	Rule string
	Any  []facts.Status
	Not  []facts.Status // statuses that break the promise; used if Any is nil
	// Control: a run that breaks this promise proves nothing about the cures.
	Control bool
}

// Kept returns nil if the verdicts are what the command promises. Otherwise the error gives, for each
// broken promise, the finding, the likely reason and the next step.
func Kept(command string, promises []Promise, verdicts []facts.Verdict) error {
	var broken []error
	for _, p := range promises {
		v := Find(verdicts, p.Rule)
		switch {
		case v == nil && p.Any != nil:
			broken = append(broken, fmt.Errorf("%s promises a verdict on %s, and there is none", command, p.Rule))
		case v == nil:
		case p.Any != nil && !slices.Contains(p.Any, v.Status), slices.Contains(p.Not, v.Status):
			proves := ""
			if p.Control {
				proves = "; without the fault this run proves nothing about its cures"
			}
			broken = append(broken, fmt.Errorf("%s is %s, against what %s promises%s: %s. %s",
				v.ID, v.Status, command, proves, v.Actual, v.Hint))
		}
	}
	return errors.Join(broken...)
}
