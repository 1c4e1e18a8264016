package main

import (
	"fmt"
	"time"

	"h2lab/internal/base/exitstatus"
	"h2lab/internal/base/texts"
	"h2lab/internal/field/output"
	"h2lab/internal/field/probe"
	"h2lab/internal/field/trace/record"
)

type traceCmd struct {
	URL string `arg:"" name:"url" help:"The URL to request: https://host[:port]/path. Choose a path that is cheap and changes nothing."`

	Limit   int `placeholder:"N" help:"The request at which connections end. Default: a probe finds it."`
	Streams int `default:"6" placeholder:"N" help:"Requests sent at once across the limit: half up to it, half beyond."`

	Format string `enum:"text,json,har" default:"text" help:"Output format: ${enum}."`
	JSON   bool   `name:"json" help:"The same as --format json."`
	Out    string `placeholder:"FILE" help:"Write to this file instead of stdout."`
	KeyLog string `name:"keylog" placeholder:"FILE" help:"Write the TLS secrets to this file, which Wireshark and tshark read."`
	Pcap   string `placeholder:"FILE" help:"Capture the packets to this file (tcpdump or dumpcap); with editcap, Wireshark opens it decrypted."`

	Method string   `default:"GET" help:"Method of every request."`
	Header []string `short:"H" sep:"none" placeholder:"'NAME: VALUE'" help:"A header for every request; repeatable."`
	Data   string   `placeholder:"TEXT" help:"A body for every request, with --method POST or the like."`

	Rate       float64       `placeholder:"N" help:"Requests a second. Default: 200, and no bound on loopback."`
	MaxStreams int           `placeholder:"N" help:"Maximum number of requests on one connection, to find the limit. Default: 2500, and 20000 on loopback."`
	MaxTime    time.Duration `default:"1m" help:"Maximum time on one connection."`
	Timeout    time.Duration `default:"10s" help:"How long to wait for a connection, a handshake or an answer."`

	CACert     string `name:"cacert" placeholder:"FILE" help:"Certificates of the authorities to trust, in PEM."`
	Insecure   bool   `short:"k" help:"Skip certificate verification, with a warning."`
	ServerName string `name:"servername" placeholder:"NAME" help:"The name to send in SNI and to expect in the certificate."`
	HTTP1      bool   `name:"http1" help:"Trace HTTP/1.1."`
}

// Help shows what a user can paste.
func (c *traceCmd) Help() string {
	return "Examples:\n  h2lab trace https://example.org/health\n  h2lab trace --limit 1000 --pcap renewal.pcapng " +
		"https://example.org/health"
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
		Request: probe.Request{Timeout: c.Timeout, Verb: "trace", Question: output.Question{URL: c.URL, Method: c.Method,
			Header: c.Header, Data: c.Data, CACert: c.CACert, Insecure: c.Insecure, ServerName: c.ServerName,
			HTTP1: c.HTTP1}},
		Ask: probe.TraceAsk{Limit: c.Limit, Streams: c.Streams, Rate: c.Rate, MaxTime: c.MaxTime,
			HTTP1: c.HTTP1},
		MaxStreams: c.MaxStreams, Format: c.Format, Out: c.Out, KeyLog: c.KeyLog, Pcap: c.Pcap,
	}, record.Printer{Language: texts.Language(a.language), Results: a.stdout, Notice: a.notice, In: a.translate()})
}
