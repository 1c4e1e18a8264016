// Package workshop checks the exercises of docs/workshop: it compares a learner's own files with
// what servers, programs and connections really do. Most exercises have a file of their own (ex01_topologies.go,
// …), which holds its check; the hints for what a check finds missing are in text/hints.toml.
//
// The package measures with the lab's other packages (probe, observe, launch, handshake) and stores
// no expected numbers: wherever possible, an answer is compared with a probe, a trace or a counter
// taken during the check.
//
// A check is bounded in time, leaves no process or file behind, and answers in one sentence.
// desk.go finds a learner's files and the running servers, answers.go reads answers.txt, programs.go
// runs learners' programs and counts connections at nginx-100.
package workshop

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"time"

	"github.com/BurntSushi/toml"
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
}

// Hints are three hints for a state, in both languages.
type Hints struct{ En, Zh [3]string }

var (
	//go:embed text/hints.toml
	hintsFile string

	everyHint = sync.OnceValue(func() (out map[string]map[State]Hints) {
		if err := toml.Unmarshal([]byte(hintsFile), &out); err != nil {
			panic(fmt.Sprintf("workshop: hints.toml: %v", err)) // embedded, and a test reads it
		}
		return out
	})
)

// Hints has the hints for every state but Done.
func (e Exercise) Hints() map[State]Hints {
	out := maps.Clone(everyHint()[e.Name])
	maps.Copy(out, everyHint()[string(stateFormat)])
	return out
}

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

// bound limits the time of a check; building a learner's program has its own limit (programs.go).
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
	case f.State != Done && e.Hints()[f.State] == Hints{}:
		return Finding{}, fmt.Errorf("exercise %d: no hints for %q", e.Number, f.State)
	}
	return f, nil
}

// Hint returns the hint of a strength, 1 to 3, for a finding.
func (e Exercise) Hint(f Finding, strength int) (string, error) {
	hint, err := e.hint(f, strength, func(h Hints) [3]string { return h.En })
	if err == nil && !strings.HasSuffix(hint, "?") {
		hint += "."
	}
	return hint, err
}

// ChineseHint is Hint in Chinese.
func (e Exercise) ChineseHint(f Finding, strength int) (string, error) {
	if f.State == Done {
		return e.Hint(f, strength)
	}
	hint, err := e.hint(f, strength, func(h Hints) [3]string { return h.Zh })
	if err == nil && !strings.HasSuffix(hint, "？") {
		hint += "。"
	}
	return hint, err
}

func (e Exercise) hint(f Finding, strength int, in func(Hints) [3]string) (string, error) {
	switch {
	case strength < 1 || strength > 3:
		return "", fmt.Errorf("there is no hint %d: choose from 1 (a nudge) to 3 (nearly there)", strength)
	case f.State == Done:
		return "there is nothing left to hint at", nil
	}
	return in(e.Hints()[f.State])[strength-1], nil
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
