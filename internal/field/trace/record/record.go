// Package record runs h2lab trace: it finds the limit, traces a renewal, captures packets and TLS
// secrets if requested, and writes the files.
package record

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"runtime"
	"slices"
	"sync"

	"h2lab/internal/base/exitstatus"
	"h2lab/internal/base/notes"
	"h2lab/internal/base/system"
	"h2lab/internal/facts"
	"h2lab/internal/field/cause"
	"h2lab/internal/field/family"
	"h2lab/internal/field/output"
	"h2lab/internal/field/probe"
	"h2lab/internal/field/probe/document"
	"h2lab/internal/field/trace"
	"h2lab/internal/field/trace/capture"
)

// The formats of a trace.
const (
	Text = "text"
	JSON = "json"
	HAR  = "har"
)

// Options is what the user requested.
type Options struct {
	Request    probe.Request
	Ask        probe.TraceAsk
	MaxStreams int // maximum requests on one connection when searching for the limit
	Format     string
	// Out, KeyLog and Pcap are files; empty means none, and for Out standard output.
	Out, KeyLog, Pcap string
}

// Printer receives results, and notices in English. In is the user's language, which results are in.
type Printer struct {
	Results io.Writer
	Notice  func(format string, args ...any)
	In      output.Translate
}

// target reads the options. Its errors are usage errors.
func (o Options) target() (probe.Target, error) {
	t, err := o.Request.Target()
	if err == nil {
		way := probe.Ask{MaxStreams: o.MaxStreams, Rate: o.Ask.Rate, MaxTime: o.Ask.MaxTime, HTTP1: o.Ask.HTTP1,
			Connections: connections}
		err = way.CheckFlags()
	}
	switch {
	case err != nil:
		return t, err
	case o.Ask.Streams < 1:
		return t, fmt.Errorf("--streams %d is out of range: 1 to %d", o.Ask.Streams, probe.MostStreams)
	case o.Ask.Limit > 0 && o.MaxStreams > 0:
		return t, errors.New("--max-streams is for finding the limit, which --limit names; give one")
	}
	return t, o.Ask.Check()
}

// connections is how many connections are brought to their limit to find it.
const connections = 2

// Run traces a renewal and delivers it. If an error ends the trace, Run delivers what was traced
// before.
func Run(ctx context.Context, o Options, p Printer) error {
	if err := given(o.Request.URL); err != nil {
		return exitstatus.WrongUsage(err)
	}
	t, err := o.target()
	if err != nil {
		return exitstatus.WrongUsage(err)
	}
	if err := system.OnLinux.Refusal(system.Capture, runtime.GOOS); o.Pcap != "" && err != nil {
		return fmt.Errorf("%w; or capture with Wireshark, which decrypts with the file of --keylog", err)
	}
	f, err := open(o.Out, o.KeyLog, o.Pcap)
	if err != nil {
		return err
	}
	defer f.discard()
	r := &recording{Options: o, Printer: p, files: f}
	if o.Pcap != "" {
		if r.program, err = capture.Find(ctx); err != nil {
			return err
		}
	}
	if o.Request.Insecure {
		p.Notice("h2lab: --insecure: the certificate is not verified, so any host may have answered")
	}
	asked, failure := r.findLimit(ctx, &t)
	if failure != nil && r.Ask.Near == 0 {
		return failure
	}
	seen, err := r.trace(ctx, t)
	err = cmp.Or(failure, err)
	if len(seen.Renewal.Frames) == 0 || ctx.Err() != nil {
		return err
	}
	seen.LimitGiven = o.Ask.Limit > 0
	if failure != nil {
		r.failed = true
	} else if asked != nil {
		withSurvey(&seen, *asked)
		r.find = afterProbe(*asked, o.Request.Question)
	}
	return errors.Join(err, r.deliver(ctx, seen))
}

// recording is one trace with its files.
type recording struct {
	Options
	Printer
	files    *files
	program  *capture.Program
	secrets  secrets
	captured bool
	unlocked bool // the capture contains its TLS secrets
	// find shows the server's settings where a probe's own next step is this trace; "" elsewhere.
	find string
	// failed says that the search for the limit ended with an error, as a probe would.
	failed bool
}

// afterProbe is the step that a probe would leave to a trace.
func afterProbe(asked facts.Endpoint, q output.Question) string {
	d, _ := document.New(asked, document.Traffic{}, q)
	if d.Verdict.Next != q.Command("trace") {
		return ""
	}
	return d.Verdict.Find
}

// withSurvey adds the facts of the survey that found the limit.
func withSurvey(seen *facts.FrameTrace, asked facts.Endpoint) {
	seen.Warnings = append(seen.Warnings, asked.Warnings...)
	c := cause.Of(asked)
	if c.Kind != cause.Failure {
		seen.AskedUpTo = &asked.Budget.AskedUpTo
	}
	seen.LimitVaries = seen.Limit != nil && c.Requests == nil
	if c.Kind != cause.Count && c.Kind != cause.None {
		seen.Warnings = append(seen.Warnings, facts.NewNote(notes.Error, "text", family.Judge(asked).Limit))
	}
}

// findLimit finds the limit if the user gave none; the endpoint is nil if the user gave one. Where something else
// stopped the search (resets, an error code, answers that don't come), Ask.Near is the request that met it, since its
// frames are what the user asked for.
func (r *recording) findLimit(ctx context.Context, t *probe.Target) (*facts.Endpoint, error) {
	if r.Ask.Limit > 0 {
		r.Notice("h2lab: sending %d %s requests on one connection and one on another to %s",
			r.Ask.Limit+r.Ask.Streams/2, r.Request.Method, r.Request.URL)
		return nil, nil
	}
	e, err := probe.Survey(ctx, *t, probe.Ask{MaxStreams: r.MaxStreams, Rate: r.Ask.Rate, MaxTime: r.Ask.MaxTime,
		HTTP1: r.Ask.HTTP1, Connections: connections,
		Announce: func(i probe.Intent) {
			r.Notice("%s\nh2lab: that finds the limit; then the same number again on a connection that is traced",
				document.Announcement(i))
		}})
	var stopped probe.Stopped // a server that asks for fewer requests gets no more
	if err != nil && (e.Address == "" || ctx.Err() != nil || errors.As(err, &stopped)) {
		return nil, err
	}
	*t = t.At(e.Address)
	switch c := cause.Of(e); {
	case err != nil:
		r.Ask.Near = answeredBefore(e) + 1
	case c.Kind == cause.Failure:
		r.Ask.Near = firstError(c)
	case c.Requests != nil:
		r.Ask.Limit = *c.Requests
	case len(c.Groups) > 0:
		r.Ask.Limit = c.Groups[0].Requests
	}
	return &e, err
}

// answeredBefore is how many answers the last connection gave that was brought to its limit.
func answeredBefore(e facts.Endpoint) int {
	for _, a := range slices.Backward(e.Asked) {
		if a.For == facts.ForLimit {
			return a.Answered
		}
	}
	return 0
}

// firstError is the fewest requests after which a connection ended with an error.
func firstError(c cause.Cause) int {
	fewest := math.MaxInt
	for _, end := range c.Ends {
		if end.Error {
			fewest = min(fewest, end.Requests)
		}
	}
	return fewest
}

// trace runs the trace, with packet capture and TLS secrets if requested.
func (r *recording) trace(ctx context.Context, t probe.Target) (facts.FrameTrace, error) {
	if r.KeyLog != "" || r.Pcap != "" {
		t.KeyLog = &r.secrets
	}
	if r.program == nil {
		return probe.Trace(ctx, t, r.Ask)
	}
	t, where, err := pinned(ctx, t)
	if err != nil {
		return facts.FrameTrace{}, err
	}
	run, err := r.program.Start(ctx, where, r.files.pcap)
	if err != nil {
		return facts.FrameTrace{}, err
	}
	seen, err := probe.Trace(ctx, t, r.Ask)
	warnings, stopErr := run.Stop(capture.Settled)
	r.captured = true
	seen.Warnings = append(seen.Warnings, warnings...)
	return seen, errors.Join(err, stopErr)
}

// pinned resolves the target once, so that the captured address is the dialled one.
func pinned(ctx context.Context, t probe.Target) (probe.Target, net.TCPAddr, error) {
	address, err := t.Resolve(ctx)
	if err != nil {
		return t, net.TCPAddr{}, err
	}
	tcp, err := net.ResolveTCPAddr("tcp", address)
	if err != nil {
		return t, net.TCPAddr{}, err
	}
	return t.At(address), *tcp, nil
}

// draw formats the trace in the requested format.
func (r *recording) draw(t facts.FrameTrace) ([]byte, error) {
	switch r.Format {
	case JSON:
		return trace.JSON(t)
	case HAR:
		return trace.HAR(t)
	}
	return []byte(trace.Text(t, r.In)), nil
}

// secrets stores the TLS secrets of a few handshakes.
type secrets struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *secrets) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *secrets) bytes() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return bytes.Clone(s.b.Bytes())
}
