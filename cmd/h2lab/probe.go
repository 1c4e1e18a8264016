package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"h2lab/internal/facts"
	"h2lab/internal/field/family"
	"h2lab/internal/field/probe"
)

// probeSchema is the version of the document that probe --json prints.
const probeSchema = 1

type probeCmd struct {
	URL string `arg:"" name:"url" help:"What to ask: https://host[:port]/path. Light and harmless paths are best."`

	Method string   `default:"GET" help:"Method of every request."`
	Header []string `short:"H" sep:"none" placeholder:"'NAME: VALUE'" help:"A header for every request; may be given again."`
	Data   string   `placeholder:"TEXT" help:"A body for every request, with --method POST or the like."`

	Rate        float64       `placeholder:"N" help:"Requests a second. Default: 200, and no bound on loopback."`
	MaxStreams  int           `placeholder:"N" help:"Requests on one connection at most. Default: 2500, and 20000 on loopback."`
	MaxTime     time.Duration `default:"1m" help:"How long one connection may take to its limit."`
	Connections int           `default:"2" help:"How many connections are brought to their limit, one after the other."`
	Timeout     time.Duration `default:"10s" help:"How long a connection, a handshake or an answer is waited for."`

	CACert     string `name:"cacert" placeholder:"FILE" help:"Certificates that may have signed the server's, in PEM."`
	Insecure   bool   `short:"k" help:"Take any certificate."`
	ServerName string `name:"servername" placeholder:"NAME" help:"The name to ask for by SNI and to find in the certificate."`
	HTTP1      bool   `name:"http1" help:"Ask the same over HTTP/1.1."`

	Idle time.Duration `placeholder:"D" help:"Also watch an unused connection that long (keepalive_timeout)."`
	Age  time.Duration `placeholder:"D" help:"Also watch a lightly used connection that long (keepalive_time)."`

	RPS      float64 `name:"rps" placeholder:"N" help:"Your requests a second, for the price of a renewal."`
	InFlight int     `placeholder:"N" help:"Your requests in flight at a time, for the same."`

	JSON bool `name:"json" help:"Print one JSON document."`
}

// Run asks a server how many requests a connection gets, and says what that means.
func (c *probeCmd) Run(a *app) error {
	t, ask, err := c.question()
	if err != nil {
		return usageError{err}
	}
	if c.Insecure {
		a.say("h2lab: --insecure: any certificate is taken, so who answers is not proven")
	}
	ask.Announce = func(i probe.Intent) { a.say("%s", announcement(i)) }
	e, err := probe.Survey(a.ctx, t, ask)
	if e.Requests == 0 {
		return err
	}
	return errors.Join(c.print(a, e), err)
}

// question is what the command line asks for.
func (c *probeCmd) question() (probe.Target, probe.Ask, error) {
	ask := probe.Ask{MaxStreams: c.MaxStreams, Rate: c.Rate, MaxTime: c.MaxTime, Connections: c.Connections, HTTP1: c.HTTP1, Idle: c.Idle, Age: c.Age}
	t, err := probe.ParseTarget(c.URL)
	if err != nil {
		return t, ask, err
	}
	t.UserAgent = userAgent()
	t.CAFile, t.Insecure, t.ServerName, t.Patience = c.CACert, c.Insecure, c.ServerName, c.Timeout
	for _, h := range c.Header {
		if err := t.AddHeader(h); err != nil {
			return t, ask, err
		}
	}
	if err := t.SetMethod(c.Method, c.Data); err != nil {
		return t, ask, err
	}
	switch {
	case c.Timeout <= 0 || c.Timeout > time.Hour:
		return t, ask, fmt.Errorf("--timeout %v is out of range: up to 1h", c.Timeout)
	case c.Connections < 1:
		return t, ask, fmt.Errorf("--connections %d is out of range: 1 to %d", c.Connections, probe.CeilingConnections)
	case c.MaxTime <= 0:
		return t, ask, fmt.Errorf("--max-time %v is out of range: up to %v", c.MaxTime, probe.CeilingTime)
	case c.HTTP1 && c.Idle+c.Age > 0:
		return t, ask, errors.New("--idle and --age are asked over HTTP/2 only; leave out --http1")
	}
	return t, ask, errors.Join(ask.Check(), c.checkTraffic())
}

// userAgent names the probe in the server's log.
func userAgent() string {
	version := "dev"
	if info, ok := debug.ReadBuildInfo(); ok && !strings.HasPrefix(info.Main.Version, "(") {
		version = cmp.Or(info.Main.Version, version)
	}
	return "h2lab-probe/" + version + " (counts the requests that a connection gets)"
}

// announcement says what is about to be sent, and to whom.
func announcement(i probe.Intent) string {
	rate := "as fast as it answers"
	if i.Rate > 0 {
		rate = fmt.Sprintf("at most %g a second", i.Rate)
	}
	s := fmt.Sprintf("h2lab: sending up to %d %s requests on each of %d connections, one connection at a time, %s, to %s (%s)",
		i.MaxStreams, i.Method, i.Connections, rate, i.URL, i.Address)
	if !i.Safe() {
		s += fmt.Sprintf("\nh2lab: %s may change something each time; you asked for it with --method", i.Method)
	}
	return s
}

// probeDocument is what --json prints.
type probeDocument struct {
	SchemaVersion int            `json:"schema_version"`
	Endpoint      facts.Endpoint `json:"endpoint"`
	Verdict       family.Verdict `json:"verdict"`
	Price         *renewalPrice  `json:"price"`
}

// print draws facts, then what they mean, then what to change.
func (c *probeCmd) print(a *app, e facts.Endpoint) error {
	d := probeDocument{SchemaVersion: probeSchema, Endpoint: e, Verdict: family.Judge(e)}
	var err error
	if d.Price, err = c.priceOf(e); err != nil {
		a.say("h2lab: no price of a renewal: %v", err)
	}
	if c.JSON {
		enc := json.NewEncoder(a.stdout)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(d)
	}
	for _, line := range append(endpointLines(e), judgementLines(e, d.Verdict, d.Price)...) {
		if _, err := fmt.Fprintln(a.stdout, strings.TrimRight(line, " ")); err != nil {
			return err
		}
	}
	return nil
}
