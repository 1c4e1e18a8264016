package load

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"h2lab/internal/base/child"
	"h2lab/internal/facts"
)

// waiting makes a shell wait for a newline and then become the program that follows, so that ab's
// process id is known before its first request.
var waiting = []string{"/bin/sh", "-c", `read -r _ && exec "$@"`, "sh"}

// abSocket is how long ab waits on a connection, in seconds. It is longer than any run of ab here:
// ab counts a shorter wait as a failure of the connection.
const abSocket = 60

// runAb runs ApacheBench once. ab has no warm-up and doesn't wait for anyone: the window is its whole
// life, from the newline to its end.
func runAb(ctx context.Context, job Job, hooks Hooks, p patience) (Answer, error) {
	dir, err := os.MkdirTemp(job.Dir, "ab-")
	if err != nil {
		return Answer{}, fmt.Errorf("a scratch folder for it: %w", err)
	}
	defer os.RemoveAll(dir)
	b, err := startAb(job, filepath.Join(dir, "percentiles.csv"))
	if err != nil {
		return Answer{}, err
	}
	defer b.stop(p.stop)
	defer b.release() // before stop, which waits for its end
	hooks.Started(b.PID)
	if err := hooks.Warm(ctx); err != nil {
		return Answer{}, err
	}
	if _, err := io.WriteString(b.stdin, "\n"); err != nil {
		return Answer{}, fault(facts.FaultCrashed, "starting its requests: %w%s", err, b.Tail().Quote())
	}
	limit := seconds(job.Workload.DurationS) + p.slack
	if err := b.await(ctx, b.ended, limit, func() string { return "its end" }); err != nil {
		return Answer{}, err
	}
	if err := hooks.Done(ctx); err != nil {
		return Answer{}, err
	}
	b.release()
	if err := b.answered(ctx, p.end); err != nil {
		return Answer{}, err
	}
	return abAnswer(job.Workload, b.printed.String(), filepath.Join(dir, "percentiles.csv"))
}

// abRun is ab's process. When ab has ended its process stays until release, because its processor
// time is lost with it.
type abRun struct {
	*program
	stdin   *os.File
	printed *child.Tail // ab prints some 2 kB
	ended   chan struct{}
	free    chan struct{}
	freed   bool
}

func startAb(job Job, csv string) (*abRun, error) {
	in, stdin, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("a pipe to it: %w", err)
	}
	b := &abRun{stdin: stdin, printed: &child.Tail{}, ended: make(chan struct{}), free: make(chan struct{})}
	c, err := child.Start(child.Spec{Argv: append(waiting[:len(waiting):len(waiting)], abArgs(job, csv)...),
		Env: job.Env, Stdin: in, Stdout: b.printed, EndsWithUs: true, Start: job.Start,
		Ended: func() {
			close(b.ended)
			<-b.free
		}})
	in.Close() // the child has its own
	if err != nil {
		stdin.Close()
		return nil, fmt.Errorf("starting it: %w; check the tools with: h2lab doctor", err)
	}
	b.program = &program{c}
	return b, nil
}

// release lets the ended process go; a second call does nothing.
func (b *abRun) release() {
	if !b.freed {
		b.freed = true
		b.stdin.Close()
		close(b.free)
	}
}

// answered waits until ab's output is complete and checks its status.
func (b *abRun) answered(ctx context.Context, limit time.Duration) error {
	if err := b.await(ctx, b.Exited(), limit, func() string { return "the end of its output" }); err != nil {
		return err
	}
	if b.Err() != nil {
		return fault(facts.FaultCrashed, "it ended with %w%s", b.Err(), b.Tail().Quote())
	}
	return nil
}

// abArgs are ab's arguments. -n follows -t, which sets it to 50,000. -l accepts answers of different
// lengths, which ab would otherwise count as failures; -r continues after a connection that failed.
func abArgs(job Job, csv string) []string {
	w := job.Workload
	return append(append([]string{}, job.Argv...), "-q", "-k", "-l", "-r", "-c", strconv.Itoa(w.Concurrency),
		"-t", strconv.Itoa(max(1, int(w.DurationS))), "-n", strconv.Itoa(w.Requests),
		"-s", strconv.Itoa(abSocket), "-e", csv, job.target())
}

// validateAb reports errors of a job for ab.
func (j Job) validateAb() error {
	w := j.Workload
	switch {
	case w.Method != "GET":
		return fmt.Errorf("ab: method %s: it sends GET here", w.Method)
	case w.Requests < w.Concurrency || w.Concurrency < 1:
		return fmt.Errorf("ab: %d requests of %d users: give each user one request at least", w.Requests, w.Concurrency)
	case w.DurationS < 1:
		return fmt.Errorf("ab: a bound of %v s: ab counts in whole seconds, from 1", w.DurationS)
	}
	return nil
}
