package core

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
)

// Promise requires that a verdict of a command's run has one of some statuses. A missing verdict
// breaks a promise too. A package's rules.toml has its promises.
type Promise struct {
	Command string
	Loop    Loop // the kind of load to which the promise applies; empty for both
	Rule    string
	// AnyOf are rules of which one must have one of the statuses in Any; then Rule is empty.
	AnyOf []string `toml:"of"`
	Any   []facts.Status
	Not   []facts.Status // statuses that break the promise; used if Any is nil
	// Control: a run that breaks this promise proves nothing about the cures.
	Control bool
}

// ReadPromises reads those of a package's rules.toml, which is embedded and tested.
func ReadPromises(table []byte) []Promise {
	var read struct{ Promise []Promise }
	if err := toml.Unmarshal(table, &read); err != nil {
		panic(fmt.Sprintf("rules.toml: %v", err))
	}
	return read.Promise
}

// Kept returns nil if the verdicts are what the run's command promises. Otherwise the error gives, for each
// broken promise, the finding, the likely reason and the next step.
func Kept(run *facts.Result, promises []Promise, verdicts []facts.Verdict) error {
	var broken []error
	command := run.Run.Command
	for _, p := range promises {
		if p.Command != command || p.Loop != "" && p.Loop != LoopOf(run) {
			continue
		}
		v := Find(verdicts, p.Rule)
		switch {
		case p.AnyOf != nil:
			broken = append(broken, p.oneOf(command, verdicts))
		case v == nil && p.Any != nil:
			broken = append(broken, fmt.Errorf("%s promises a verdict on %s, and there is none", command, p.Rule))
		case v == nil:
		case p.Any != nil && !slices.Contains(p.Any, v.Status), slices.Contains(p.Not, v.Status):
			broken = append(broken, fmt.Errorf("%s is %s, against what %s promises%s: %s. %s",
				v.ID, v.Status, command, p.proves(), texts.English.In(v.Actual), texts.English.In(v.Hint)))
		}
	}
	return errors.Join(broken...)
}

func (p Promise) proves() string {
	if p.Control {
		return "; without the fault this run proves nothing about its cures"
	}
	return ""
}

// oneOf returns nil if one of the rules has a status of Any.
func (p Promise) oneOf(command string, verdicts []facts.Verdict) error {
	var found []string
	for _, id := range p.AnyOf {
		switch v := Find(verdicts, id); {
		case v == nil:
			found = append(found, id+": no verdict")
		case slices.Contains(p.Any, v.Status):
			return nil
		default:
			found = append(found, fmt.Sprintf("%s is %s: %s. %s", id, v.Status, texts.English.In(v.Actual), texts.English.In(v.Hint)))
		}
	}
	return fmt.Errorf("%s promises that one of these verdicts is %s, and none is%s:\n  %s", command, p.Any[0],
		p.proves(), strings.Join(found, "\n  "))
}
