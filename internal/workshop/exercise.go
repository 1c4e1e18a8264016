// Package workshop checks the exercises of docs/workshop: it compares a learner's own files with
// what servers, programs and connections really do. Most exercises have a file of their own (ex01_topologies.go,
// …), which holds its check; the hints for what a check finds missing are in text/hints.toml, its findings in the
// catalogue (internal/base/texts/data/workshop.toml).
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

	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
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

// Exercises are all exercises, in the order of the chapters.
var Exercises = []Exercise{
	{1, "topologies", []string{answersFile}, true, checkTopologies},
	{2, "counting", []string{countScript}, true, checkCounting},
	{3, "k6", []string{loadScript}, true, checkK6},
	{4, "goaway", []string{answersFile}, true, checkGoaway},
	{5, "stampede", []string{mainFile}, true, checkStampede},
	{6, "cures", []string{nginxFile, priceFile}, false, checkCures},
	{7, "envoy", []string{answersFile}, true, checkEnvoy},
	{8, "replay", []string{mainFile}, true, checkReplay},
	{9, "tls", []string{answersFile}, false, checkHandshakes},
	{10, "unknown", []string{answersFile}, false, checkUnknown},
	{11, "question", []string{questionFile}, false, checkQuestion},
}

// Find returns the exercise with that number.
func Find(n int) (Exercise, error) {
	if n < 1 || n > len(Exercises) {
		return Exercise{}, fmt.Errorf("there is no exercise %d: choose from 1 to %d", n, len(Exercises))
	}
	return Exercises[n-1], nil
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
	maps.Copy(out, everyHint()["format"])
	return out
}

// Hint returns the hint of a strength, 1 to 3, for a finding.
func (e Exercise) Hint(f Finding, strength int, l texts.Language) (string, error) {
	switch {
	case strength < 1 || strength > 3:
		return "", fmt.Errorf("there is no hint %d: choose from 1 (a nudge) to 3 (nearly there)", strength)
	case f.State == Done:
		return l.In(facts.T("workshop.nothing-left")), nil
	}
	hint, stop := e.Hints()[f.State].En[strength-1], "."
	if l == texts.Chinese {
		hint, stop = e.Hints()[f.State].Zh[strength-1], "。"
	}
	if strings.HasSuffix(hint, "?") || strings.HasSuffix(hint, "？") {
		stop = ""
	}
	return hint + stop, nil
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
	if e.Files[0] == mainFile {
		fails, err := d.build(ctx, e.Number)
		defer d.discard()
		if err != nil || fails != "" {
			return lacks("build", facts.T("workshop.no-build", shown(e.Number, mainFile), fails)), err
		}
	}
	within, cancel := context.WithTimeoutCause(ctx, bound, errBound)
	defer cancel()
	f, err := e.Check(within, d)
	var bad *formatError
	switch {
	case errors.As(err, &bad):
		return lacks("format", bad.Text), nil
	case err != nil && ctx.Err() == nil && context.Cause(within) != nil:
		return Finding{}, fmt.Errorf("exercise %d: %w", e.Number, context.Cause(within))
	case err != nil:
		return Finding{}, fmt.Errorf("exercise %d: %w", e.Number, err)
	case f.State != Done && e.Hints()[f.State] == Hints{}:
		return Finding{}, fmt.Errorf("exercise %d: no hints for %q", e.Number, f.State)
	}
	return f, nil
}

// State names what an exercise lacks; hints are selected by it.
type State string

// Done is the state of a solved exercise.
const Done State = "done"

// Finding is the result of a check, in one sentence without its full stop.
type Finding struct {
	State State
	Says  facts.Text
}

func done(says facts.Text) Finding { return Finding{Done, says} }

func lacks(s State, says facts.Text) Finding { return Finding{s, says} }

// rule is one thing that a check looks for.
type rule struct {
	holds bool
	state State
	says  facts.Text
}

// first is the finding of the first rule that holds; Done, without a sentence, if none does.
func first(rules ...rule) Finding {
	for _, r := range rules {
		if r.holds {
			return Finding{r.state, r.says}
		}
	}
	return Finding{State: Done}
}
