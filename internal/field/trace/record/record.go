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
	"io/fs"
	"math"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/net/http2"

	"h2lab/internal/base/exitstatus"
	"h2lab/internal/base/rooted"
	"h2lab/internal/base/system"
	"h2lab/internal/base/text"
	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
	"h2lab/internal/field/cause"
	"h2lab/internal/field/family"
	"h2lab/internal/field/intake"
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

// Printer receives results and notices in the user's language.
type Printer struct {
	texts.Language
	Results io.Writer
	Notice  func(...facts.Text)
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
		p.Notice(facts.T("probe.insecure"))
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
	secrets  bytes.Buffer // of a few handshakes; crypto/tls writes one line at a time
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
	if d.Verdict.Next.String() != q.Command("trace") {
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
		seen.Warnings = append(seen.Warnings, facts.NewNote("note.error", facts.Text(family.Judge(asked).Limit)))
	}
}

// findLimit finds the limit if the user gave none; the endpoint is nil if the user gave one. Where something else
// stopped the search (resets, an error code, answers that don't come), Ask.Near is the request that met it, since its
// frames are what the user asked for.
func (r *recording) findLimit(ctx context.Context, t *probe.Target) (*facts.Endpoint, error) {
	if r.Ask.Limit > 0 {
		r.Notice(facts.T("trace.sending", r.Ask.Limit+r.Ask.Streams/2, r.Request.Method, r.Request.URL))
		return nil, nil
	}
	e, err := probe.Survey(ctx, *t, probe.Ask{MaxStreams: r.MaxStreams, Rate: r.Ask.Rate, MaxTime: r.Ask.MaxTime,
		HTTP1: r.Ask.HTTP1, Connections: connections,
		Announce: func(i probe.Intent) {
			r.Notice(append(document.Announcement(i), facts.T("trace.then-again"))...)
		}})
	var stopped probe.Told // a server that asks for fewer requests gets no more
	if err != nil && (e.Address == "" || ctx.Err() != nil || errors.As(err, &stopped) && stopped.Own) {
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
	return []byte(trace.Text(t, r.Language)), nil
}

// next are the commands to run next: first for the capture, then for the server.
func (r *recording) next(t facts.FrameTrace) []string {
	var steps []string
	if r.captured {
		steps = append(steps, r.readCapture())
	}
	q := r.Request.Question
	if t.Limit == nil && t.AskedUpTo != nil && *t.AskedUpTo < probe.CeilingStreams && len(t.Warnings) == 0 {
		steps = append(steps, q.Command("trace", fmt.Sprintf("--max-streams %d", min(10**t.AskedUpTo, probe.CeilingStreams))))
	}
	switch {
	case r.failed && demandsHTTP1(t):
		q.HTTP1 = true
		return append(steps, q.Command("trace"))
	case r.failed: // a probe meets the same
		return steps
	}
	if r.find != "" {
		return append(steps, r.find)
	}
	return append(steps, q.Command("probe"))
}

// demandsHTTP1 reports whether the server resets streams to have the request over HTTP/1.1 (RFC 9113 §7).
func demandsHTTP1(t facts.FrameTrace) bool {
	return slices.ContainsFunc(t.Renewal.Frames, func(f facts.Frame) bool {
		return f.Type == "RST_STREAM" && f.Detail == http2.ErrCodeHTTP11Required.String()
	})
}

func (r *recording) readCapture() string {
	layer := "http2"
	if r.Ask.HTTP1 {
		layer = "http"
	}
	pcap := text.ShellWord(r.Pcap)
	switch {
	case r.unlocked:
		return "tshark -r " + pcap + " -Y " + layer + "   # Wireshark opens it decrypted too"
	case r.KeyLog != "":
		return "tshark -r " + pcap + " -o tls.keylog_file:" + text.ShellWord(r.KeyLog) + " -Y " + layer
	}
	return r.Request.Question.Command("trace", "--keylog", "keys.log", "--pcap", pcap) // this one stays encrypted
}

// asks is why a file can't be traced.
const asks = "and trace asks a server itself, so it reads no recording"

// given is the error for a file in the place of a URL; nil where the text names none.
func given(content string) error {
	switch {
	case content == "-":
		return errors.New("- is standard input, " + asks + "; a log goes to: h2lab decode -")
	case content == "" || strings.Contains(content, "://"):
		return nil
	}
	info, err := os.Stat(content)
	switch missing := errors.Is(err, fs.ErrNotExist) && namesFile(content); {
	case err != nil && !missing:
		return nil // a host, rather
	case missing || info.IsDir():
		return fmt.Errorf("%s is no file, %s; give the address of a server: h2lab trace https://host/path", content, asks)
	case info.Mode().IsRegular(): // of a pipe nobody may write to, a read would not return
		kind, known, err := intake.OfFile(content)
		if err != nil {
			return err
		}
		if known {
			return fmt.Errorf("%s is %s, %s; next: %s", content, kind.What, asks, kind.Next(content))
		}
	}
	return fmt.Errorf("%s is a file, %s; if it is a log of errors or frames: %s", content, asks, intake.Log(text.ShellWord(content)))
}

// namesFile reports whether a text without a scheme is rather a file's name than a host's.
func namesFile(text string) bool {
	return strings.HasPrefix(text, ".") || strings.HasPrefix(text, "/") ||
		slices.Contains([]string{".pcap", ".pcapng", ".cap", ".log", ".har", ".json", ".txt", ".gz"}, filepath.Ext(text))
}

// files are the output files of a trace, each written completely or not at all.
type files struct {
	out, keylog, pcap *rooted.Pending
}

// open checks before anything is sent that the files can be written. Only the owner may read files
// with secrets.
func open(out, keylog, pcap string) (*files, error) {
	f := &files{}
	seen := map[string]bool{}
	for _, x := range []struct {
		flag, path string
		perm       fs.FileMode
		at         **rooted.Pending
	}{{"--out", out, 0o644, &f.out}, {"--keylog", keylog, 0o600, &f.keylog}, {"--pcap", pcap, 0o600, &f.pcap}} {
		if x.path == "" {
			continue
		}
		abs, err := filepath.Abs(x.path)
		if err == nil && seen[abs] {
			f.discard()
			return nil, exitstatus.WrongUsage(fmt.Errorf("%s %s is named twice; give each file its own name",
				x.flag, x.path))
		}
		seen[abs] = true
		if *x.at, err = openFile(x.path, x.perm); err != nil {
			f.discard()
			return nil, fmt.Errorf("%s can't be written: %w; choose another place", x.flag, err)
		}
	}
	return f, nil
}

func openFile(path string, perm fs.FileMode) (*rooted.Pending, error) {
	// Renaming would replace a device with a file.
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file", path)
	}
	return rooted.CreateFile(path, perm)
}

// discard removes the files that were not kept.
func (f *files) discard() {
	for _, p := range []*rooted.Pending{f.out, f.keylog, f.pcap} {
		if p != nil {
			_ = p.Cleanup()
		}
	}
}

// deliver writes the files and prints the remaining output.
func (r *recording) deliver(ctx context.Context, t facts.FrameTrace) error {
	if r.captured {
		if err := r.keepCapture(ctx); err != nil {
			return fmt.Errorf("--pcap: %w", err)
		}
	}
	if r.files.keylog != nil {
		if err := fill(r.files.keylog, r.secrets.Bytes()); err != nil {
			return fmt.Errorf("--keylog: %w", err)
		}
		r.Notice(facts.T("trace.keylog", r.KeyLog))
	}
	t.Next = r.next(t)
	drawn, err := r.draw(t)
	if err != nil {
		return err
	}
	if r.files.out == nil {
		_, err := r.Results.Write(drawn)
		if r.Format == HAR {
			for _, step := range t.Next {
				r.Notice(facts.T("trace.next", step))
			}
		}
		return err
	}
	if err := fill(r.files.out, drawn); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	_, err = fmt.Fprintf(r.Results, "%s\n%s\n%s\n", r.Out, r.Note(t.Renewal.Summary), r.steps(t))
	return err
}

// steps are the lines of the next steps.
func (r *recording) steps(t facts.FrameTrace) string {
	var lines []string
	for _, step := range t.Next {
		lines = append(lines, r.Language.In(facts.T("trace.next", step)))
	}
	return strings.Join(lines, "\n")
}

// fill writes a file and renames it to its place.
func fill(f *rooted.Pending, b []byte) error {
	if _, err := f.Write(b); err != nil {
		return err
	}
	return f.CloseAtomicallyReplace()
}

// keepCapture stores the capture, with the secrets in it if editcap is installed.
func (r *recording) keepCapture(ctx context.Context) error {
	f, secrets := r.files.pcap, r.secrets.Bytes()
	editcap := capture.Look("editcap")
	if editcap == "" || len(secrets) == 0 {
		return f.CloseAtomicallyReplace()
	}
	unlocked, err := capture.Inject(ctx, editcap, f.Name(), secrets)
	if err != nil {
		return errors.Join(err, ctx.Err())
	}
	if err := f.Truncate(0); err != nil {
		return err
	}
	if _, err := f.Seek(0, 0); err != nil {
		return err
	}
	r.unlocked = true
	r.Notice(facts.T("trace.unlocked"))
	return fill(f, unlocked)
}
