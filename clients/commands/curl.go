package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"h2lab/clients/kit"
)

const (
	// firstTransfers for each request in flight are the warm-up, which gives the pace.
	firstTransfers = 40
	mostTransfers  = 200_000
	// A line of curl's report: the result of one transfer (%{…} are curl's variables), after a mark
	// that distinguishes it from curl's messages.
	curlMark   = "h2lab\t"
	curlReport = curlMark +
		`%{http_code}\t%{exitcode}\t%{time_total}\t%{num_connects}\t%{size_download}\t%{http_version}\t%{errormsg}\n`
)

// curl runs `curl --parallel` with one section of a configuration for each transfer.
type curl struct {
	*client
	extra string // lines in every section
	pace  float64
}

// retrying is the cure of curl-retry, in every section.
const retrying = "retry = 3\nretry-all-errors\n"

func (c *curl) version() (string, string) {
	words := strings.Fields(firstLine("curl", "--version"))
	if len(words) < 2 {
		return "", ""
	}
	var with []string
	for _, w := range words {
		if strings.HasPrefix(w, "nghttp2/") || strings.HasPrefix(w, "OpenSSL/") {
			with = append(with, w)
		}
	}
	return "curl " + words[1], strings.Join(with, " ")
}

// transfers estimates how many transfers take about d.
func (c *curl) transfers(d time.Duration) int {
	n := firstTransfers * c.flags.Concurrency
	if c.pace > 0 {
		n = int(c.pace * d.Seconds())
	}
	return min(max(n, c.flags.Concurrency), mostTransfers)
}

func (c *curl) work(ctx context.Context, phase string, d time.Duration, b *book) error {
	n := c.transfers(d)
	cmd, cut, done := c.command(ctx, d, "curl", "--parallel", "--parallel-max",
		strconv.Itoa(min(c.flags.Concurrency, 300)), "--config", "-")
	defer done()
	var config bytes.Buffer
	c.writeConfig(&config, phase, n)
	cmd.Stdin = &config
	out, err := cmd.StderrPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	said, bad := c.read(out, b)
	err = cmd.Wait()
	var exit *exec.ExitError
	switch missing := n - int(b.tally.Attempts()); {
	case bad != nil:
		return bad
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case cut():
		b.unsettled(min(missing, c.flags.Concurrency), time.Now(), "")
	case err != nil && !errors.As(err, &exit) || exit != nil && !exit.Exited() || missing > 0:
		// An exit status alone is that of a failed transfer.
		return fmt.Errorf("curl ended (%v) with %d of %d transfers reported: %s", err, n-missing, n, said)
	}
	if took := b.last.Sub(b.began); took > 0 {
		c.pace = float64(b.tally.Attempts()) / took.Seconds()
	}
	return nil
}

// writeConfig writes one section for each transfer; `next` resets all options.
func (c *curl) writeConfig(w *bytes.Buffer, phase string, n int) {
	version := "http2"
	if c.flags.H1() {
		version = "http1.1"
	}
	common := fmt.Sprintf("url = %q\nrequest = %s\n%s\ntls-max = %s\nsilent\nno-progress-meter\noutput = "+
		"/dev/null\nwrite-out = \"%%{stderr}%s\"\n%s",
		c.flags.URL, c.flags.Method, version, c.flags.MaxTLS, curlReport, c.extra)
	if c.flags.CA != "" {
		common += fmt.Sprintf("cacert = %q\n", c.flags.CA)
	}
	if body := c.flags.Body(); body != nil {
		common += fmt.Sprintf("data-binary = \"@%s\"\n", c.file("body"))
	}
	for i := range n {
		if i > 0 {
			w.WriteString("next\n")
		}
		w.WriteString(common)
		fmt.Fprintf(w, "header = \"%s: %s\"\n", kit.IDHeader, c.flags.ID(phase, i%c.flags.Concurrency, i))
	}
}

// read enters curl's lines as they arrive. The first transfer starts when curl has read its
// configuration, which takes a while for so many transfers.
func (c *curl) read(out io.Reader, b *book) (said *tail, err error) {
	said = &tail{}
	lines := bufio.NewScanner(out)
	for first := true; lines.Scan(); {
		line, ours := strings.CutPrefix(lines.Text(), curlMark)
		if !ours {
			fmt.Fprintln(said, lines.Text())
			continue
		}
		r, bad := parseCurl(line)
		if bad == nil && r.exit == 0 && !c.spoke(r.version) {
			bad = fmt.Errorf("%w: %s was asked for, but curl spoke HTTP/%s", kit.ErrProtocol, c.flags.Protocol,
				r.version)
		}
		now := time.Now()
		if first {
			b.began, first = now.Add(-r.took), false
		}
		if bad == nil {
			b.connects += r.connects
			b.enter(r.failure(len(c.flags.Body()), c.flags.Echoes()), r.took, now)
		} else if err == nil {
			err = bad // continue reading, so that curl doesn't block on a full pipe
		}
	}
	return said, errors.Join(err, lines.Err())
}

func (c *curl) spoke(version string) bool { return (version == "2") != c.flags.H1() }

// transfer is a line of curl's report.
type transfer struct {
	code, exit int
	took       time.Duration
	connects   int64
	size       int
	version    string
	message    string
}

func parseCurl(line string) (transfer, error) {
	f := strings.SplitN(line, "\t", 7)
	if len(f) != 7 {
		return transfer{}, fmt.Errorf("curl reported %q", line)
	}
	t := transfer{version: f[5], message: f[6]}
	var seconds float64
	if _, err := fmt.Sscan(line, &t.code, &t.exit, &seconds, &t.connects, &t.size); err != nil {
		return transfer{}, fmt.Errorf("curl reported %q: %w", line, err)
	}
	t.took = time.Duration(seconds * float64(time.Second))
	return t, nil
}

// failure returns the error that curl's user would see, or nil. Of an answer only the length is
// known, not the bytes.
func (t transfer) failure(sent int, echoes bool) *kit.Failure {
	switch {
	case t.exit != 0:
		return &kit.Failure{Kind: kit.Transport, Message: fmt.Sprintf("curl: (%d) %s", t.exit, t.message)}
	case status(t.code) != nil:
		return status(t.code)
	case echoes && t.size != sent:
		return &kit.Failure{
			Kind:    kit.Transport,
			Message: fmt.Sprintf("the answer is not the body that was sent: %d bytes sent, %d received", sent, t.size),
		}
	}
	return nil
}
