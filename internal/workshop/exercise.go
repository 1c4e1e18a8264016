package workshop

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Exercise is one exercise of the workshop.
type Exercise struct {
	Number int
	Name   string
	// Files are the files in workshop/NN that a learner edits.
	Files []string
	// NeedsLab is true when the exercise requires the servers of `make up FOR=learner`.
	NeedsLab bool
	// Check compares the learner's files with what really happens.
	Check func(ctx context.Context, d *Desk) (Finding, error)
	// Hints has three hints for every state but Done. None of them contains the solution.
	Hints map[State]Hints
}

// Hints are ordered from a slight hint to nearly the solution.
type Hints [3]string

// Exercises returns all exercises, in the order of the chapters.
func Exercises() []Exercise {
	return []Exercise{
		topologies(), counting(), k6(), goaway(), stampede(), cures(),
		envoy(), replay(), handshakes(), unknown(), question(),
	}
}

// Find returns the exercise with that number.
func Find(n int) (Exercise, error) {
	all := Exercises()
	if n < 1 || n > len(all) {
		return Exercise{}, fmt.Errorf("there is no exercise %d: choose from 1 to %d", n, len(all))
	}
	return all[n-1], nil
}

// bound limits the time of a check; building a learner's program has its own limit (child.go).
const bound = 25 * time.Second

// errBound is the error of a check that reaches its time limit.
var errBound = fmt.Errorf("the check took longer than %v, which it never should: is the machine busy? try again", bound)

// Verify checks an exercise.
func (e Exercise) Verify(ctx context.Context, d *Desk) (Finding, error) {
	seed, err := seedOf(d.Root)
	if err != nil {
		return Finding{}, err
	}
	d.own = ownOf(seed)
	for _, name := range e.Files {
		if _, err := d.read(e.Number, name); err != nil {
			return Finding{}, err
		}
	}
	if e.NeedsLab {
		if err := d.up(ctx); err != nil {
			return Finding{}, err
		}
	}
	defer d.discard()
	if err := e.prepare(ctx, d); err != nil {
		return Finding{}, err
	}
	within, cancel := context.WithTimeoutCause(ctx, bound, errBound)
	defer cancel()
	f, err := e.Check(within, d)
	var bad *formatError
	switch {
	case errors.As(err, &bad):
		return lacks(stateFormat, "%v", bad), nil
	case err != nil && ctx.Err() == nil && context.Cause(within) != nil:
		return Finding{}, fmt.Errorf("exercise %d: %w", e.Number, context.Cause(within))
	case err != nil:
		return Finding{}, fmt.Errorf("exercise %d: %w", e.Number, err)
	case f.State != Done && e.Hints[f.State] == Hints{}:
		return Finding{}, fmt.Errorf("exercise %d: no hints for %q", e.Number, f.State)
	}
	return f, nil
}

// Hint returns the hint of a strength, 1 to 3, for a finding.
func (e Exercise) Hint(f Finding, strength int) (string, error) {
	switch {
	case strength < 1 || strength > 3:
		return "", fmt.Errorf("there is no hint %d: choose from 1 (a nudge) to 3 (nearly there)", strength)
	case f.State == Done:
		return "there is nothing left to hint at.", nil
	}
	hint := e.Hints[f.State][strength-1]
	if !strings.HasSuffix(hint, "?") {
		hint += "."
	}
	return hint, nil
}
