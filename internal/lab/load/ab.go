package load

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
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

// abReport has the numbers that ab prints about a run (support/ab.c, output_results), by the names of abLines.
type abReport map[string]float64

var abVersion = regexp.MustCompile(`(?m)^This is ApacheBench, Version (\S+) `)

// abLines are the lines of ab's output that are read, none of them twice.
var abLines = []struct {
	line     *regexp.Regexp
	required bool
}{
	{regexp.MustCompile(`(?m)^Concurrency Level: +(?P<users>\d+)$`), true},
	{regexp.MustCompile(`(?m)^Time taken for tests: +(?P<seconds>\d+\.\d+) seconds$`), true},
	{regexp.MustCompile(`(?m)^Complete requests: +(?P<complete>\d+)$`), true},
	{regexp.MustCompile(`(?m)^Failed requests: +(?P<failed>\d+)$`), true},
	{regexp.MustCompile(`(?m)^ +\(Connect: (?P<connect>\d+), Receive: (?P<receive>\d+), Length: 0, ` +
		`Exceptions: (?P<exceptions>\d+)\)$`), false},
	{regexp.MustCompile(`(?m)^Non-2xx responses: +(?P<non2xx>\d+)$`), false},
	{regexp.MustCompile(`(?m)^Time per request: +(?P<meanMS>\d+\.\d+) \[ms\] \(mean\)$`), false},
	{regexp.MustCompile(`(?m)^ 100% +(?P<longestMS>\d+) \(longest request\)$`), false}, // in whole milliseconds
}

// readAb reads ab's output.
func readAb(printed string) (r abReport, err error) {
	r = abReport{}
	for _, l := range abLines {
		found := l.line.FindAllStringSubmatch(printed, 2)
		switch {
		case len(found) > 1:
			return r, fmt.Errorf("its output has the line %q twice", found[0][0])
		case len(found) == 0 && l.required:
			return r, fmt.Errorf("its output has no line like %s", l.line)
		case len(found) == 0:
			continue
		}
		for i, name := range l.line.SubexpNames()[1:] {
			if r[name], err = strconv.ParseFloat(found[0][i+1], 64); err != nil || r[name] > mostAttempts {
				return r, fmt.Errorf("its line %q has a number that is out of range", found[0][0])
			}
		}
	}
	return r, r.verify()
}

// verify checks that ab's numbers add up.
func (r abReport) verify() error {
	switch {
	case r["connect"]+r["receive"]+r["exceptions"] != r["failed"]:
		return fmt.Errorf("its failures by kind, %g connect, %g receive and %g exceptions, are not its %g failed",
			r["connect"], r["receive"], r["exceptions"], r["failed"])
	case r["complete"] == 0:
		return fmt.Errorf("no request was answered in %.1f s", r["seconds"])
	case r["seconds"] <= 0 || r["meanMS"] <= 0:
		return fmt.Errorf("its time is %v s, its mean %v ms", r["seconds"], r["meanMS"])
	case r.lost() > r.attempts():
		return fmt.Errorf("%d of %d requests failed or had another status than 2xx", r.lost(), r.attempts())
	}
	return nil
}

// attempts are the requests that ab calls complete, and those without a connection, which it doesn't.
func (r abReport) attempts() int64 { return int64(r["complete"] + r["connect"]) }

func (r abReport) lost() int64 { return int64(r["failed"] + r["non2xx"]) }

// failures are ab's counts in the form of a client's failures; ab prints no more about them.
func (r abReport) failures() (out []failure) {
	for _, f := range []failure{
		{Message: "ab: connection refused (Connect)", Count: int64(r["connect"]), Kind: "transport"},
		{Message: "ab: connection closed (Receive)", Count: int64(r["receive"]), Kind: "transport"},
		{Message: "ab: an exception of the poll (Exceptions)", Count: int64(r["exceptions"]), Kind: "transport"},
		{Message: "ab: another HTTP status than 2xx (Non-2xx responses)", Count: int64(r["non2xx"]), Kind: "status"},
	} {
		if f.Count > 0 {
			out = append(out, f)
		}
	}
	return out
}

// abAnswer reads what ab printed and its file of percentiles.
func abAnswer(w facts.Workload, printed, file string) (Answer, error) {
	version := abVersion.FindStringSubmatch(printed)
	r, err := readAb(printed)
	switch {
	case err == nil && version == nil:
		err = errors.New("its output has no version")
	case err == nil && r["users"] != float64(w.Concurrency):
		err = fmt.Errorf("it reports %g users of %d", r["users"], w.Concurrency)
	}
	if err != nil {
		return Answer{}, fault(facts.FaultGarbled, "its answer can't be used: %w; it printed %s", err,
			shown([]byte(strings.TrimSpace(printed))))
	}
	a := Answer{Attempts: r.attempts(), Succeeded: r.attempts() - r.lost(), Failed: r.lost(), ElapsedS: r["seconds"],
		Errors: groupErrors(r.failures(), facts.H1), Library: "ApacheBench " + version[1]}
	if a.Failed > 0 { // its times are those of failed requests too
		a.Warnings = append(a.Warnings, facts.T("lab.ab-no-latency", fmt.Sprint(a.Failed), fmt.Sprint(a.Attempts)))
		return a, nil
	}
	if a.Latency, err = readPercentiles(file, r); err != nil {
		return Answer{}, fault(facts.FaultGarbled, "its percentiles can't be used: %w", err)
	}
	a.Latency.Mean = new(r["meanMS"])
	return a, nil
}

// readPercentiles reads the file that ab -e writes: a line for each whole percentile from 0 to 99, in milliseconds. Of
// fewer than 50 requests ab reads some of them from behind its last time, where it finds 0 (support/ab.c, stats[0.5 +
// done * i / 100]): those are the percentile before.
func readPercentiles(file string, r abReport) (l facts.Latency, err error) {
	f, err := os.Open(file)
	if err != nil {
		return l, err
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return l, err
	}
	if len(rows) < 101 {
		return l, errors.New("it has fewer than 100 percentiles")
	}
	var at [100]float64
	last := 0.0
	for n, row := range rows[1:101] {
		ms, err := strconv.ParseFloat(row[1], 64)
		if int64(0.5+r["complete"]*float64(n)/100) >= int64(r["complete"]) {
			ms = last
		}
		if err != nil || row[0] != strconv.Itoa(n) || !(ms >= last) {
			return l, fmt.Errorf("its line %d is %q", n+2, strings.Join(row, ","))
		}
		at[n], last = ms, ms
	}
	l = facts.Latency{P50: &at[50], P90: &at[90], P95: &at[95], P99: &at[99]}
	if longest, known := r["longestMS"]; known {
		l.Max = new(max(longest, last))
	}
	return l, nil
}
