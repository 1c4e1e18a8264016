package workshop

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// State is what an exercise lacks, in a word that its hints go by.
type State string

// Done is the state of an exercise that lacks nothing.
const Done State = "done"

// Finding is what a check found, in one sentence without its full stop.
type Finding struct {
	State State
	Says  string
}

func done(format string, args ...any) Finding { return Finding{Done, fmt.Sprintf(format, args...)} }

func lacks(s State, format string, args ...any) Finding {
	return Finding{s, fmt.Sprintf(format, args...)}
}

// Exercise is one of them.
type Exercise struct {
	Number int
	Name   string
	// Files are what a learner works on, in workshop/NN.
	Files []string
	// NeedsLab is true when it needs the servers of `make up LIMIT=100`.
	NeedsLab bool
	// Check says what is so.
	Check func(ctx context.Context, d *Desk) (Finding, error)
	// Hints of three strengths for every state but Done. None of them gives the
	// line away.
	Hints map[State]Hints
}

// Hints go from a nudge to nearly there.
type Hints [3]string

// Exercises are all of them, in the order of the chapters.
func Exercises() []Exercise {
	return []Exercise{
		topologies(), counting(), k6(), goaway(), stampede(), cures(),
		envoy(), replay(), handshakes(), unknown(), question(),
	}
}

// Find is the exercise of a number.
func Find(n int) (Exercise, error) {
	all := Exercises()
	if n < 1 || n > len(all) {
		return Exercise{}, fmt.Errorf("there is no exercise %d: choose from 1 to %d", n, len(all))
	}
	return all[n-1], nil
}

// bound is how long a check may take; programs that have to be built first get
// their own time for that (child.go).
const bound = 25 * time.Second

// errBound is the end of that time.
var errBound = fmt.Errorf("the check took longer than %v, which it never should: is the machine busy? try again", bound)

// Verify checks an exercise.
func (e Exercise) Verify(ctx context.Context, d *Desk) (Finding, error) {
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

// Hint is the hint of a strength, 1 to 3, for what was found.
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
