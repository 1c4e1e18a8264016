// Package workshop checks the exercises of docs/workshop: it compares a learner's own files with
// what servers, programs and connections really do. Each exercise has one file (ex01_topologies.go,
// …), which holds its check and its hints together, because a hint depends on what the check found
// missing.
//
// The package measures with the lab's other packages (probe, observe, launch, handshake) and stores
// no expected numbers: wherever possible, an answer is compared with a probe, a trace or a counter
// taken during the check.
//
// A check is bounded in time, leaves no process or file behind, and answers in one sentence.
// desk.go finds a learner's files and the running servers, answers.go reads answers.txt, child.go
// runs learners' programs, front.go counts connections at nginx-100, and mystery.go starts the
// server of exercise 10.
package workshop

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"
	"sync"
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

// State names what an exercise lacks; hints are selected by it.
type State string

// Done is the state of a solved exercise.
const Done State = "done"

// Finding is the result of a check, in one sentence without its full stop.
type Finding struct {
	State State
	Says  string

	said sentence
}

func done(format string, args ...any) Finding { return lacks(Done, format, args...) }

func lacks(s State, format string, args ...any) Finding {
	said := say(format, args...)
	return Finding{s, said.String(), said}
}

// InChinese is Says in Chinese. What programs and the operating system say in it stays as it is.
func (f Finding) InChinese() string { return f.said.in(chineseFindings()) }

var (
	//go:embed text/findings.zh.txt
	findingsInChinese string

	chineseFindings = sync.OnceValue(func() map[string]string { return pairs(findingsInChinese) })
)

// sentence is a format string with its arguments. An argument may be a sentence.
type sentence struct {
	form string
	args []any
}

func say(format string, args ...any) sentence { return sentence{format, args} }

// String is the sentence in English.
func (s sentence) String() string { return s.in(nil) }

// in formats the sentence with translated format strings. One without a translation stays English.
func (s sentence) in(words map[string]string) string {
	args := make([]any, len(s.args))
	for i, a := range s.args {
		switch a := a.(type) {
		case sentence:
			args[i] = a.in(words)
		case *formatError:
			args[i] = a.sentence().in(words)
		default:
			args[i] = a
		}
	}
	form := s.form
	if translated, ok := words[form]; ok {
		form = translated
	}
	if len(args) == 0 {
		return form
	}
	return fmt.Sprintf(form, args...)
}
