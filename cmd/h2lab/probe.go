package main

import (
	"errors"
	"time"

	"h2lab/internal/base/exitstatus"
	"h2lab/internal/field/output"
	"h2lab/internal/field/probe"
	"h2lab/internal/field/probe/document"
)

type probeCmd struct {
	URL string `arg:"" name:"url" help:"The URL to request: https://host[:port]/path. Choose a path that is cheap and changes nothing."`

	Method string   `default:"GET" help:"Method of every request."`
	Header []string `short:"H" sep:"none" placeholder:"'NAME: VALUE'" help:"A header for every request; repeatable."`
	Data   string   `placeholder:"TEXT" help:"A body for every request, with --method POST or the like."`

	Rate        float64       `placeholder:"N" help:"Requests a second. Default: 200, and no bound on loopback."`
	MaxStreams  int           `placeholder:"N" help:"Maximum number of requests on one connection. Default: 2500, and 20000 on loopback."`
	MaxTime     time.Duration `default:"1m" help:"Maximum time on one connection."`
	Connections int           `default:"2" help:"Minimum number of connections to bring to their limit; 1 can't distinguish a count from an age."`
	Timeout     time.Duration `default:"10s" help:"How long to wait for a connection, a handshake or an answer."`

	CACert     string `name:"cacert" placeholder:"FILE" help:"Certificates of the authorities to trust, in PEM."`
	Insecure   bool   `short:"k" help:"Skip certificate verification, with a warning."`
	ServerName string `name:"servername" placeholder:"NAME" help:"The name to send in SNI and to expect in the certificate."`
	HTTP1      bool   `name:"http1" help:"The same over HTTP/1.1."`

	Idle time.Duration `placeholder:"D" help:"Also watch an unused connection for this long (keepalive_timeout)."`
	Age  time.Duration `placeholder:"D" help:"Also watch a connection with few requests for this long (keepalive_time)."`

	RPS      float64 `name:"rps" placeholder:"N" help:"Your requests a second, for the price of a renewal."`
	InFlight int     `placeholder:"N" help:"Your requests in flight at a time, for the price of a renewal."`

	JSON bool `name:"json" help:"Print one JSON document."`
}

// Run measures how many requests one connection of a server gets and explains the result.
func (c *probeCmd) Run(a *app) error {
	ask := probe.Ask{
		MaxStreams:  c.MaxStreams,
		Rate:        c.Rate,
		MaxTime:     c.MaxTime,
		Connections: c.Connections,
		HTTP1:       c.HTTP1,
		Hold:        probe.DefaultHold,
		Idle:        c.Idle,
		Age:         c.Age,
	}
	traffic := document.Traffic{RPS: c.RPS, InFlight: c.InFlight}
	q := output.Question{URL: c.URL, Method: c.Method, Header: c.Header, Data: c.Data, CACert: c.CACert,
		Insecure: c.Insecure, ServerName: c.ServerName, HTTP1: c.HTTP1}
	t, err := probe.Request{Question: q, Timeout: c.Timeout}.Target()
	if err == nil {
		err = errors.Join(ask.CheckFlags(), traffic.Check())
	}
	if err != nil {
		return exitstatus.WrongUsage(err)
	}
	if c.Insecure {
		a.notice("h2lab: --insecure: the certificate is not verified, so any host may have answered")
	}
	ask.Announce = func(i probe.Intent) { a.notice("%s", document.Announcement(i)) }
	e, err := probe.Survey(a.ctx, t, ask)
	if e.Requests == 0 {
		return err
	}
	d, unpriced := document.New(e, traffic, q)
	if unpriced != nil {
		a.message("h2lab: %v", unpriced)
	}
	print := a.translate().To(d.WriteText)
	if c.JSON {
		print = d.WriteJSON
	}
	return errors.Join(print(a.stdout), err)
}
