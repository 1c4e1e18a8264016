package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"h2lab/clients/kit"
)

// h2load runs `h2load` for a time, with a number of connections and of streams on each.
type h2load struct {
	*client
	clients, streams int
}

func (l *h2load) version() (string, string) {
	_, version, _ := strings.Cut(firstLine("h2load", "--version"), "nghttp2/")
	if version == "" {
		return "", ""
	}
	return "h2load " + version, "nghttp2 " + version
}

// argv passes a duration and not a number of requests: given a number, h2load fails all remaining
// requests at once when its connection ends, and the rate that it then prints covers only that
// moment.
func (l *h2load) argv(d time.Duration) []string {
	clients, streams := l.clients, l.streams
	argv := []string{"h2load", "-D", fmt.Sprintf("%dms", d.Milliseconds()), "--log-file", l.file("log")}
	if l.flags.H1() {
		// Over HTTP/1.1 h2load reconnects when the server closes.
		argv, clients, streams = append(argv, "--h1"), l.flags.Concurrency, 1
	}
	argv = append(argv, "-c", strconv.Itoa(clients), "-m", strconv.Itoa(streams))
	if l.flags.Method == http.MethodPost {
		argv = append(argv, "-d", l.file("body"))
	}
	return append(argv, l.flags.URL)
}

func (l *h2load) work(ctx context.Context, _ string, d time.Duration, b *book) error {
	if err := os.Remove(l.file("log")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	cmd, cut, done := l.command(ctx, d, l.argv(d)...)
	defer done()
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	ended := time.Now()
	if err != nil && !cut() {
		return fmt.Errorf("h2load: %w: %s", err, strings.Join(strings.Fields(out.String()), " "))
	}
	log, err := os.Open(l.file("log"))
	if err != nil {
		return err
	}
	defer log.Close()
	if err := readH2load(log, b); err != nil {
		return err
	}
	s := summarise(out.String())
	if s.tls != "" {
		l.tls.Store(s.tls)
	}
	if want := map[bool]string{true: "http/1.1", false: "h2"}[l.flags.H1()]; s.protocol != "" && s.protocol != want {
		return fmt.Errorf("%w: %s was asked for, but h2load spoke %s", kit.ErrProtocol, l.flags.Protocol, s.protocol)
	}
	b.unsettled(s.started-int(b.tally.Attempts()), ended, "h2load "+s.requests)
	l.stopped(b, d, ended)
	return nil
}

// stopped enters a failure for each stream that h2load left without work. Over h2 it makes no new
// connection, waits until its time is over and reports only the requests in flight as failures. The
// window stays as long as h2load's, so that a tool that has stopped doesn't appear fast.
func (l *h2load) stopped(b *book, d time.Duration, ended time.Time) {
	due := b.began.Add(d)
	if b.last.IsZero() || ended.Before(due) || due.Sub(b.last) < d/5 {
		return
	}
	message := fmt.Sprintf("h2load sent nothing more after %.1f s of %s: it makes no new connection",
		b.last.Sub(b.began).Seconds(), d)
	b.idle = due
	for range l.clients * l.streams {
		b.tally.Count(&kit.Failure{Kind: kit.Transport, Message: message}, 0)
	}
}

// readH2load enters h2load's log: start in µs since 1970, status or -1, and µs taken.
func readH2load(log io.Reader, b *book) error {
	lines := bufio.NewScanner(log)
	for lines.Scan() {
		var began, code, us int64
		if _, err := fmt.Sscan(lines.Text(), &began, &code, &us); err != nil {
			return fmt.Errorf("h2load's log says %q: %w", lines.Text(), err)
		}
		failed, took := status(int(code)), time.Duration(us)*time.Microsecond
		if code < 0 {
			// h2load reports no more than this about a request.
			failed = &kit.Failure{Kind: kit.Transport, Message: "errored (h2load --log-file: status -1)"}
			took = 0 // for these the log's third column can be hours (h2load 1.52)
		}
		b.enter(failed, took, time.UnixMicro(began).Add(took))
	}
	return lines.Err()
}

// summary is the part of h2load's final output that is used here.
type summary struct {
	started       int
	requests      string // the line
	tls, protocol string
}

var started = regexp.MustCompile(`(?m)^requests: (.* (\d+) started, .*)$`)

func summarise(out string) summary {
	var s summary
	if m := started.FindStringSubmatch(out); m != nil {
		s.requests = "requests: " + m[1]
		s.started, _ = strconv.Atoi(m[2])
	}
	for line := range strings.Lines(out) {
		if v, ok := strings.CutPrefix(line, "TLS Protocol: TLSv"); ok {
			s.tls = strings.TrimSpace(v)
		}
		if v, ok := strings.CutPrefix(line, "Application protocol: "); ok {
			s.protocol = strings.TrimSpace(v)
		}
	}
	return s
}
