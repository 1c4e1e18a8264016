// The verbs that examine a user's own systems, in the order of the help.

package main

import (
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/term"

	"h2lab/internal/base/exitstatus"
	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
	"h2lab/internal/field/accesslog"
	"h2lab/internal/field/advise"
	advice "h2lab/internal/field/advise/document"
	"h2lab/internal/field/decode"
	"h2lab/internal/field/lint"
	"h2lab/internal/field/lint/check"
	"h2lab/internal/field/output"
	"h2lab/internal/field/probe"
	"h2lab/internal/field/probe/document"
	"h2lab/internal/field/trace/record"
	"h2lab/internal/field/watch"
)

type decodeCmd struct {
	What    []string `arg:"" optional:"" name:"text-or-file" help:"An error text in quotes, or files (gzip or not); - or nothing is stdin."`
	List    bool     `help:"List every known text."`
	Explain bool     `hidden:"" help:"Print the values of each stage, for those who change decode."`
	JSON    bool     `name:"json" help:"Answer in JSON (docs/decode.md)."`
}

// Run decodes a text or files. Ctrl-C ends it at once, even while it waits for input.
func (c *decodeCmd) Run(a *app) error {
	if c.List {
		return c.list(a)
	}
	if len(c.What) == 0 && term.IsTerminal(int(os.Stdin.Fd())) {
		return exitstatus.WrongUsage(errors.New("decode: no text: h2lab decode 'the error text', h2lab decode FILE, or pipe " +
			"a log into it"))
	}
	sources, err := decode.Sources(c.What)
	if err != nil {
		return err
	}
	if c.Explain {
		return decode.Explain(a.ctx, sources, a.stdout)
	}
	r, readErr := decode.ReadAll(a.ctx, sources)
	if r == nil {
		return readErr
	}
	return errors.Join(a.results(c.JSON, r.WriteJSON, r.WriteText), readErr)
}

func (c *decodeCmd) list(a *app) error {
	switch {
	case len(c.What) > 0:
		return exitstatus.WrongUsage(errors.New("decode: --list takes no text and no file: h2lab decode --list"))
	case c.JSON:
		return decode.WriteListJSON(a.stdout)
	}
	return decode.WriteList(a.stdout, texts.Language(a.language))
}

// questionFlags are the fields of output.Question.
type questionFlags struct {
	URL        string   `arg:"" name:"url" help:"The URL to request: https://host[:port]/path. Choose a path that is cheap and changes nothing."`
	Method     string   `default:"GET" help:"Method of every request."`
	Header     []string `short:"H" sep:"none" placeholder:"'NAME: VALUE'" help:"A header for every request; repeatable."`
	Data       string   `placeholder:"TEXT" help:"A body for every request, with --method POST or the like."`
	CACert     string   `name:"cacert" placeholder:"FILE" help:"Certificates of the authorities to trust, in PEM."`
	ServerName string   `name:"servername" placeholder:"NAME" help:"The name to send in SNI and to expect in the certificate."`
	Insecure   bool     `short:"k" help:"Skip certificate verification, with a warning."`
	HTTP1      bool     `name:"http1" help:"The same over HTTP/1.1."`
}

// paceFlags bound the requests of probe and trace.
type paceFlags struct {
	Rate       float64       `placeholder:"N" help:"Requests a second. Default: 200, and no bound on loopback."`
	MaxStreams int           `placeholder:"N" help:"Maximum number of requests on one connection. Default: 2500, and 20000 on loopback."`
	MaxTime    time.Duration `default:"1m" help:"Maximum time on one connection."`
	Timeout    time.Duration `default:"10s" help:"How long to wait for a connection, a handshake or an answer."`
}

type probeCmd struct {
	questionFlags
	paceFlags
	Connections int `default:"2" help:"Minimum number of connections to bring to their limit; 1 can't distinguish a count from an age."`

	Idle time.Duration `placeholder:"D" help:"Also watch an unused connection for this long (keepalive_timeout)."`
	Age  time.Duration `placeholder:"D" help:"Also watch a connection with few requests for this long (keepalive_time)."`

	RPS      float64 `name:"rps" placeholder:"N" help:"Your requests a second, for the price of a renewal."`
	InFlight int     `placeholder:"N" help:"Your requests in flight at a time, for the price of a renewal."`

	JSON bool `name:"json" help:"Print one JSON document."`
}

// Run measures how many requests one connection of a server gets and explains the result.
func (c *probeCmd) Run(a *app) error {
	ask := probe.Ask{MaxStreams: c.MaxStreams, Rate: c.Rate, MaxTime: c.MaxTime, Connections: c.Connections, HTTP1: c.HTTP1,
		Hold: probe.DefaultHold, Idle: c.Idle, Age: c.Age,
		Announce: func(i probe.Intent) { a.notice(document.Announcement(i)...) }}
	traffic, q := document.Traffic{RPS: c.RPS, InFlight: c.InFlight}, output.Question(c.questionFlags)
	t, err := probe.Request{Question: q, Timeout: c.Timeout}.Target()
	if err == nil {
		err = errors.Join(ask.CheckFlags(), traffic.Check())
	}
	if err != nil {
		return exitstatus.WrongUsage(err)
	}
	if c.Insecure {
		a.notice(facts.T("probe.insecure"))
	}
	ask.Announce = func(i probe.Intent) {
		for _, line := range document.Announcement(i) {
			a.notice(line)
		}
	}
	e, err := probe.Survey(a.ctx, t, ask)
	if e.Requests == 0 {
		return err
	}
	d, unpriced := document.New(e, traffic, q)
	if unpriced != nil {
		a.message("h2lab: %v", unpriced)
	}
	return errors.Join(a.results(c.JSON, d.WriteJSON, d.WriteText), err)
}

type traceCmd struct {
	questionFlags
	paceFlags
	Limit   int `placeholder:"N" help:"The request at which connections end. Default: a probe finds it."`
	Streams int `default:"6" placeholder:"N" help:"Requests sent at once across the limit: half up to it, half beyond."`

	Format string `enum:"text,json,har" default:"text" help:"Output format: ${enum}."`
	JSON   bool   `name:"json" help:"The same as --format json."`
	Out    string `placeholder:"FILE" help:"Write to this file instead of stdout."`
	KeyLog string `name:"keylog" placeholder:"FILE" help:"Write the TLS secrets to this file, which Wireshark and tshark read."`
	Pcap   string `placeholder:"FILE" help:"Capture the packets to this file (tcpdump or dumpcap); with editcap, Wireshark opens it decrypted."`
}

// Run prints the frames with which a server ends a connection at its request limit.
func (c *traceCmd) Run(a *app) error {
	switch {
	case c.JSON && c.Format != record.Text && c.Format != record.JSON:
		return exitstatus.WrongUsage(fmt.Errorf("--json and --format %s are two formats; give one", c.Format))
	case c.JSON:
		c.Format = record.JSON
	}
	return record.Run(a.ctx, record.Options{
		Request:    probe.Request{Timeout: c.Timeout, Verb: "trace", Question: output.Question(c.questionFlags)},
		Ask:        probe.TraceAsk{Limit: c.Limit, Streams: c.Streams, Rate: c.Rate, MaxTime: c.MaxTime, HTTP1: c.HTTP1},
		MaxStreams: c.MaxStreams, Format: c.Format, Out: c.Out, KeyLog: c.KeyLog, Pcap: c.Pcap,
	}, record.Printer{Language: texts.Language(a.language), Results: a.stdout, Notice: a.notice})
}

type lintCmd struct {
	Paths []string `arg:"" name:"path" help:"A configuration, the directory it is in, or - for standard input (such as nginx -vT 2>&1)."`

	Kind     string `enum:",nginx,envoy,haproxy,traefik,ingress-nginx" default:"" placeholder:"KIND" help:"The kind of configuration: nginx, envoy, haproxy, traefik or ingress-nginx. Default: recognised from the file."`
	Version  string `aliases:"nginx-version" placeholder:"V" help:"The server's version, such as 1.22.1: defaults depend on it."`
	InFlight int    `placeholder:"N" help:"Requests that a client has in flight on one connection. Default: 100."`

	JSON  bool `name:"json" xor:"form" help:"Print one JSON document."`
	SARIF bool `name:"sarif" xor:"form" help:"Print SARIF 2.1.0, for code hosts."`
	Fix   bool `xor:"form" help:"Apply the fixes to nginx's files, with backups (.NAME.before-lint), and print the remaining findings."`
	Patch bool `xor:"form" help:"Print the fixes as a unified diff and write nothing."`
}

// Run reads the configuration, applies the rules and prints the findings. It starts no program and
// connects to no server.
func (c *lintCmd) Run(a *app) error {
	o := lint.Options{Version: c.Version, InFlight: c.InFlight}
	if c.Fix || c.Patch {
		return c.fix(a, o)
	}
	r, err := check.Run(a.ctx, c.Paths, c.Kind, o)
	if err != nil {
		return err
	}
	switch {
	case c.SARIF:
		err = r.WriteSARIF(a.stdout)
	case c.JSON:
		err = r.WriteJSON(a.stdout)
	default:
		err = r.WriteText(a.stdout, texts.Language(a.language))
	}
	if err != nil {
		return err
	}
	return r.Contradiction()
}

// fix applies the fixes: to the files, or as a diff on stdout.
func (c *lintCmd) fix(a *app, o lint.Options) error {
	r, err := check.Fix(a.ctx, c.Paths, c.Kind, o)
	if err != nil {
		return err
	}
	if c.Patch {
		err = r.WritePatch(a.stdout)
	} else if err = r.Apply(a.stdout, texts.Language(a.language)); err == nil {
		err = r.WriteText(a.stdout, texts.Language(a.language))
	}
	if err != nil {
		return err
	}
	return r.Contradiction()
}

type logsCmd struct {
	Files []string `arg:"" optional:"" name:"file" help:"Access logs, gzip or not; - is stdin."`
	logFlags
	JSON bool `name:"json" help:"Answer in JSON (docs/logs.md)."`
}

// logFlags are the fields of accesslog.Flags.
type logFlags struct {
	Format      string            `placeholder:"'LOG_FORMAT'" help:"The log_format, as it stands in nginx.conf, or Envoy's format string."`
	FormatFrom  string            `placeholder:"FILE[#NAME]" help:"Take the log_format of that name from nginx.conf."`
	Keys        map[string]string `name:"key" placeholder:"FIELD=NAME" help:"A JSON key with another name, such as connection=cid."`
	Limit       uint32            `help:"The request limit, if known; found in the log otherwise."`
	Idle        time.Duration     `default:"75s" help:"How long a silent connection may be open: keepalive_timeout."`
	NoUpstreams bool              `help:"This nginx opens no connections to upstreams, so every serial without a line is an empty connection."`
	Since       string            `placeholder:"TIME" help:"Exclude older lines: 2026-09-22T10:00:00Z, or 2h for two hours ago."`
	Until       string            `placeholder:"TIME" help:"Exclude newer lines."`
}

// Run reads the logs and prints what they show. Ctrl-C ends it at once, even while it waits for input.
func (c *logsCmd) Run(a *app) error {
	o, err := accesslog.Flags(c.logFlags).Options(a.ctx, time.Now())
	if err != nil {
		return err
	}
	if len(c.Files) == 0 {
		return exitstatus.WrongUsage(errors.New("logs: no log named; give files, or - for stdin: h2lab logs " +
			"/var/log/nginx/access.log"))
	}
	r, readErr := accesslog.ReadAll(a.ctx, c.Files, os.Stdin, o)
	if r == nil {
		return readErr
	}
	return errors.Join(a.results(c.JSON, r.WriteJSON, r.WriteText), readErr)
}

type watchCmd struct {
	URL      string        `arg:"" name:"url" help:"nginx's stub_status, Envoy's /stats/prometheus or /stats, or the /metrics of nginx-prometheus-exporter or ingress-nginx."`
	Every    time.Duration `default:"1s" help:"Interval between readings (100ms to 1h)."`
	For      time.Duration `help:"End after this time, with status 4 if an alarm is up; without it, Ctrl-C ends the watch."`
	Limit    int64         `help:"The server's request limit per connection, if known; sets --min-ratio to a fifth of it."`
	MinRatio float64       `help:"Alarm below this number of requests for each new connection. Default: a fifth of --limit, or 25."`
	MinNew   int64         `default:"40" help:"Minimum number of new connections in a window."`
	Window   time.Duration `default:"30s" help:"Length of a window."`
	Patience time.Duration `default:"1m" help:"How long to retry a server that can't be reached."`
	CA       string        `name:"ca" placeholder:"FILE" help:"Trust these certificates, PEM."`
	Insecure bool          `help:"Skip certificate verification."`
	JSON     bool          `name:"json" help:"One JSON object a line (docs/watch.md)."`
}

// Run watches until Ctrl-C, which is not a failure: it then prints the summary.
func (c *watchCmd) Run(a *app) error {
	o := watch.Options{Every: c.Every, For: c.For, Patience: c.Patience,
		Rule: watch.Rule{Limit: c.Limit, MinRatio: c.MinRatio, MinNew: c.MinNew, Window: c.Window}}
	if err := o.Check(); err != nil {
		return exitstatus.WrongUsage(err)
	}
	trust := watch.Trust{Insecure: c.Insecure, CAFile: c.CA}
	o.Again = watch.Command(c.URL, trust, o)
	o.Rule = o.Rule.Complete()
	print := watch.Text(a.stdout, o.Rule, texts.Language(a.language))
	if c.JSON {
		print = watch.JSONLines(a.stdout)
	}
	return watch.RunURL(a.ctx, c.URL, trust, o, print)
}

// adviseCmd predicts what a limit costs at the user's traffic. Its flags are the fields of
// advise.Question.
type adviseCmd struct {
	Rate        float64       `required:"" help:"Requests a second over HTTP/2, over all client pools."`
	InFlight    int           `required:"" help:"Requests under way at a time, over all pools: rate × latency."`
	Limit       int           `default:"1000" help:"Requests a connection: nginx's keepalive_requests."`
	Pools       int           `default:"1" help:"Client pools that share them: processes, or http.Clients in them."`
	Client      string        `default:"stampede" help:"How a pool renews: stampede (a dial for each waiting request, Go's net/http), single-dial, or h1."`
	Key         string        `default:"rsa" help:"Key of the server's certificate, rsa (2048) or ecdsa (P-256)."`
	TLS         string        `name:"tls" default:"1.3" help:"TLS version, 1.2 or 1.3."`
	Resumed     float64       `default:"0" help:"Share of handshakes that resume a session (0 to 1)."`
	RTT         time.Duration `name:"rtt" default:"0ms" help:"Round trip between client and server."`
	Backend     time.Duration `default:"0ms" help:"The part of a request's latency that the backend takes."`
	CPUs        float64       `name:"cpus" default:"1" help:"Cores the server may use."`
	Backends    int           `default:"1" help:"Servers behind a balancer of connections."`
	HandshakeMS float64       `name:"handshake-ms" default:"0" help:"Processor time of a full handshake at the server, instead of measuring one here."`
	RequestMS   float64       `name:"request-ms" default:"0" help:"Processor time of a request at the server; that of the recorded runs if not given."`
	Explain     bool          `help:"Show every number's formula."`
	JSON        bool          `name:"json" help:"Answer with one JSON document."`
}

func (c *adviseCmd) question() advise.Question {
	ms := func(d time.Duration) float64 { return d.Seconds() * 1000 }
	return advise.Question{RateRPS: c.Rate, InFlight: c.InFlight, Pools: c.Pools, Limit: c.Limit, Key: c.Key, TLS: c.TLS,
		Client: advise.Client(c.Client), ResumedShare: c.Resumed, RTTMS: ms(c.RTT), BackendMS: ms(c.Backend), CPUs: c.CPUs,
		Backends: c.Backends, HandshakeMS: c.HandshakeMS, RequestMS: c.RequestMS}
}

// check adds to advise.Check what only a command line can get wrong: in a Question 0 means "the
// default", so an explicit 0 is rejected here.
func (c *adviseCmd) check() error {
	for flag, zero := range map[string]bool{"pools": c.Pools == 0, "cpus": c.CPUs == 0, "backends": c.Backends == 0} {
		if zero {
			return fmt.Errorf("--%s 0 leaves nothing to count: leave it out, or give more than 0", flag)
		}
	}
	return advise.Check(c.question())
}

// Run prints the prediction. It measures only the handshake, and only when the user didn't give its
// cost.
func (c *adviseCmd) Run(a *app) error {
	if err := c.check(); err != nil {
		return exitstatus.WrongUsage(err)
	}
	d, err := advice.New(a.ctx, c.question(), c.Explain, a.notice)
	if err != nil {
		return err
	}
	return a.results(c.JSON, d.WriteJSON, d.WriteText)
}
