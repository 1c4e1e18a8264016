package load

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"h2lab/internal/facts"
)

// conversation is a program with its two pipes.
type conversation struct {
	*program
	lines *lines
	stdin io.Writer
}

// runProgram starts the program, waits for its lines READY, WARM and DONE, and reads its answer.
func runProgram(ctx context.Context, job Job, hooks Hooks, p patience) (Answer, error) {
	in, stdin, err := os.Pipe()
	if err != nil {
		return Answer{}, fmt.Errorf("a pipe to it: %w", err)
	}
	defer stdin.Close()
	out := newLines()
	c, err := job.start(programArgs(job), job.Env, in, out)
	in.Close() // the child has its own
	if err != nil {
		return Answer{}, fault(facts.FaultCrashed, "%w", err)
	}
	defer c.stop(p.stop)
	hooks.Started(c.PID)

	t := conversation{program: c, lines: out, stdin: stdin}
	nothing := func(context.Context) error { return nil }
	for _, m := range []struct {
		word  string
		limit time.Duration
		hook  func(context.Context) error
	}{
		{"READY", p.start, nothing},
		{"WARM", seconds(job.Workload.WarmupS) + p.slack, hooks.Warm},
		{"DONE", seconds(job.Workload.DurationS) + p.slack, hooks.Done},
	} {
		if err := t.meet(ctx, m.word, m.limit, m.hook); err != nil {
			return Answer{}, beforeItsFirst(m.word, err)
		}
	}
	line, err := t.line(ctx, "its answer", p.end)
	if err != nil {
		return Answer{}, err
	}
	if err := c.finish(ctx, p.end); err != nil {
		return Answer{}, err
	}
	return parseAnswer(line, job.Protocol)
}

// noWarmup is the message of every client program whose warm-up failed.
const noWarmup = "no request of the warm-up succeeded"

// beforeItsFirst turns the error of a program that did not start into a fault: it was too slow to
// print READY, or none of its warm-up's requests succeeded. A runtime that starts cold on a busy
// machine does either, also without a limit.
func beforeItsFirst(word string, err error) error {
	var p *ProgramError
	if !errors.As(err, &p) {
		return err
	}
	slow := word == "READY" && p.Kind == facts.FaultSilent
	if slow || word == "WARM" && p.Kind == facts.FaultCrashed && strings.Contains(p.Message, noWarmup) {
		p.Kind = facts.FaultNotStarted
	}
	return err
}

// meet waits for the program's line, runs the hook and lets the program continue.
func (t conversation) meet(ctx context.Context, word string, limit time.Duration,
	hook func(context.Context) error) error {
	line, err := t.line(ctx, word, limit)
	if err != nil {
		return err
	}
	if string(line) != word {
		return fault(facts.FaultGarbled, "it printed %s where the word %s was due%s", shown(line), word,
			t.Tail().Quote())
	}
	if err := hook(ctx); err != nil {
		return err
	}
	if _, err := io.WriteString(t.stdin, "\n"); err != nil {
		return fault(facts.FaultCrashed, "answering %s: %w%s", word, err, t.Tail().Quote())
	}
	return nil
}

// line is the next line of the program's stdout.
func (t conversation) line(ctx context.Context, what string, limit time.Duration) ([]byte, error) {
	var line []byte
	came, stop := make(chan struct{}), make(chan struct{})
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		select {
		case line = <-t.lines.out:
			close(came)
		case <-stop:
		}
	}()
	err := t.await(ctx, came, limit, func() string { return what })
	close(stop)
	<-gone
	if err == nil {
		return line, nil
	}
	select {
	case <-came: // it came during the timeout: then it counts
		return line, nil
	case line = <-t.lines.out: // printed just before its end
		return line, nil
	default:
		return nil, err
	}
}

// programArgs are the flags that every client program has (docs/adding-a-client.md).
func programArgs(job Job) []string {
	w := job.Workload
	args := append(slices.Clone(job.Argv),
		"--json", "--url", job.target(), "--protocol", string(job.Protocol),
		"--concurrency", strconv.Itoa(w.Concurrency), "--pools", strconv.Itoa(w.Pools),
		"--warmup", seconds(w.WarmupS).String(), "--duration", seconds(w.DurationS).String(),
		"--ca", job.CA, "--method", w.Method, "--body-bytes", strconv.Itoa(w.BodyBytes),
		"--max-tls", w.MaxTLS, "--nonce", job.Nonce)
	if w.RatePerS > 0 {
		args = append(args, "--rate", strconv.FormatFloat(w.RatePerS, 'f', -1, 64), "--arrivals", string(w.Arrivals),
			"--seed", strconv.FormatUint(job.Seed, 10))
	}
	if w.ThinkMS > 0 {
		args = append(args, "--think", fmt.Sprintf("%dms", w.ThinkMS))
	}
	if job.Patience > 0 {
		args = append(args, "--patience", job.Patience.String())
	}
	return args
}
