package main

import (
	"bytes"
	"errors"
	"fmt"
	"sync"
	"time"

	"h2lab/internal/facts"
	"h2lab/internal/field/probe"
	"h2lab/internal/field/trace"
)

type traceCmd struct {
	URL string `arg:"" name:"url" help:"What to ask: https://host[:port]/path. Light and harmless paths are best."`

	Limit   int `placeholder:"N" help:"The request at which a connection is used up; asked for first when not given."`
	Streams int `default:"6" placeholder:"N" help:"Requests sent at once across the limit: half up to it, half beyond."`

	Format string `enum:"text,json,qlog,har" default:"text" help:"How to draw it: ${enum}."`
	JSON   bool   `name:"json" help:"The same as --format json."`
	Out    string `placeholder:"FILE" help:"Write it there and not to stdout."`
	KeyLog string `name:"keylog" placeholder:"FILE" help:"Write the TLS secrets there, as Wireshark and tshark read them."`
	Pcap   string `placeholder:"FILE" help:"Capture the packets there (tcpdump or dumpcap); with editcap it opens decrypted."`

	Method string   `default:"GET" help:"Method of every request."`
	Header []string `short:"H" sep:"none" placeholder:"'NAME: VALUE'" help:"A header for every request; may be given again."`
	Data   string   `placeholder:"TEXT" help:"A body for every request, with --method POST or the like."`

	Rate       float64       `placeholder:"N" help:"Requests a second. Default: 200, and no bound on loopback."`
	MaxStreams int           `placeholder:"N" help:"Requests on one connection at most, to find the limit. Default: 2500, and 20000 on loopback."`
	MaxTime    time.Duration `default:"1m" help:"How long one connection may take to its limit."`
	Timeout    time.Duration `default:"10s" help:"How long a connection, a handshake or an answer is waited for."`

	CACert     string `name:"cacert" placeholder:"FILE" help:"Certificates that may have signed the server's, in PEM."`
	Insecure   bool   `short:"k" help:"Take any certificate."`
	ServerName string `name:"servername" placeholder:"NAME" help:"The name to ask for by SNI and to find in the certificate."`
	HTTP1      bool   `name:"http1" help:"Trace HTTP/1.1."`
}

// Help shows what a user can paste.
func (c *traceCmd) Help() string {
	return "Examples:\n  h2lab trace https://example.org/health\n  h2lab trace --limit 1000 --pcap renewal.pcapng https://example.org/health"
}

// Run shows frame by frame how a server ends a connection that is used up.
func (c *traceCmd) Run(a *app) (err error) {
	t, ask, err := c.question()
	if err != nil {
		return usageError{err}
	}
	files, err := openTraceFiles(c.Out, c.KeyLog, c.Pcap)
	if err != nil {
		return err
	}
	defer files.discard()
	var sniffer *sniffer
	if c.Pcap != "" {
		if sniffer, err = findSniffer(a.ctx); err != nil {
			return err
		}
	}
	if c.Insecure {
		a.say("h2lab: --insecure: any certificate is taken, so who answers is not proven")
	}
	asked, err := c.known(a, &t, &ask)
	if err != nil {
		return err
	}
	line, secrets, capture, err := c.watched(a, t, ask, sniffer, files)
	if len(line.Renewal.Frames) == 0 || a.ctx.Err() != nil {
		return err
	}
	line.LimitGiven = c.Limit > 0
	if asked != nil {
		line.AskedUpTo = &asked.Budget.AskedUpTo
		line.Warnings = append(line.Warnings, asked.Warnings...)
		if b := asked.Budget; b.Most != nil && !b.Exact() {
			line.Warnings = append(line.Warnings, fmt.Sprintf("connections got %d to %d requests when they were asked; this one was expected to get %d", b.Least, *b.Most, b.Least))
		}
	}
	return errors.Join(err, c.deliver(a, line, secrets, capture, files))
}

// question is what the command line asks for.
func (c *traceCmd) question() (probe.Target, probe.TraceAsk, error) {
	ask := probe.TraceAsk{Limit: c.Limit, Streams: c.Streams, Rate: c.Rate, MaxTime: c.MaxTime, HTTP1: c.HTTP1}
	shared := probeCmd{URL: c.URL, Method: c.Method, Header: c.Header, Data: c.Data, Rate: c.Rate, MaxStreams: c.MaxStreams, MaxTime: c.MaxTime,
		Connections: 2, Timeout: c.Timeout, CACert: c.CACert, Insecure: c.Insecure, ServerName: c.ServerName, HTTP1: c.HTTP1}
	t, _, err := shared.question()
	switch {
	case err != nil:
		return t, ask, err
	case c.Streams < 1:
		return t, ask, fmt.Errorf("--streams %d is out of range: 1 to %d", c.Streams, probe.MostStreams)
	case c.JSON && c.Format != "text" && c.Format != "json":
		return t, ask, fmt.Errorf("--json and --format %s are two formats; give one", c.Format)
	case c.Limit > 0 && c.MaxStreams > 0:
		return t, ask, errors.New("--max-streams is for finding the limit, which --limit names; give one")
	}
	return t, ask, ask.Check()
}

// known sees to it that the limit is known: it asks when it was not given. What
// was asked is nil where it was.
func (c *traceCmd) known(a *app, t *probe.Target, ask *probe.TraceAsk) (*facts.Endpoint, error) {
	if c.Limit > 0 {
		a.say("h2lab: sending %d %s requests on one connection and one on another to %s", c.Limit+c.Streams/2, c.Method, c.URL)
		return nil, nil
	}
	e, err := probe.Survey(a.ctx, *t, probe.Ask{MaxStreams: c.MaxStreams, Rate: c.Rate, MaxTime: c.MaxTime, HTTP1: c.HTTP1, Connections: 2,
		Announce: func(i probe.Intent) {
			a.say("%s\nh2lab: that finds the limit; then as many once more on a connection that is traced", announcement(i))
		}})
	if err != nil {
		return nil, err
	}
	*t = t.At(e.Address)
	if e.Budget.Most != nil {
		ask.Limit = e.Budget.Least
	}
	return &e, nil
}

// watched traces, with the packets captured and the secrets kept where that was asked for.
func (c *traceCmd) watched(a *app, t probe.Target, ask probe.TraceAsk, s *sniffer, files *traceFiles) (facts.Timeline, []byte, *captured, error) {
	var secrets keeper
	if c.KeyLog != "" || c.Pcap != "" {
		t.KeyLog = &secrets
	}
	if s == nil {
		line, err := probe.Trace(a.ctx, t, ask)
		return line, secrets.bytes(), nil, err
	}
	t, where, err := pinned(a.ctx, t)
	if err != nil {
		return facts.Timeline{}, nil, nil, err
	}
	run, err := s.start(a.ctx, where, files.pcap)
	if err != nil {
		return facts.Timeline{}, nil, nil, err
	}
	line, err := probe.Trace(a.ctx, t, ask)
	capture, stopErr := run.stop(settled)
	return line, secrets.bytes(), capture, errors.Join(err, stopErr)
}

// keeper keeps the secrets of a few handshakes.
type keeper struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (k *keeper) Write(p []byte) (int, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.b.Write(p)
}

func (k *keeper) bytes() []byte {
	k.mu.Lock()
	defer k.mu.Unlock()
	return bytes.Clone(k.b.Bytes())
}

// draw is the timeline in the format that was asked for.
func (c *traceCmd) draw(t facts.Timeline) ([]byte, error) {
	switch {
	case c.JSON || c.Format == "json":
		return trace.JSON(t)
	case c.Format == "qlog":
		return trace.QLog(t)
	case c.Format == "har":
		return trace.HAR(t)
	}
	return []byte(trace.Text(t)), nil
}
