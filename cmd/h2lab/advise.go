package main

import (
	"fmt"
	"time"

	"h2lab/internal/base/exitstatus"
	"h2lab/internal/base/texts"
	"h2lab/internal/field/advise"
	"h2lab/internal/field/advise/document"
)

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

// Help shows what a user can paste.
func (c *adviseCmd) Help() string {
	return "Examples:\n  h2lab advise --rate 9900 --in-flight 100\n" +
		"  h2lab advise --rate 300 --in-flight 40 --pools 8 --key ecdsa --rtt 2ms --backend 100ms --backends 3 " +
		"--explain"
}

func (c *adviseCmd) question() advise.Question {
	ms := func(d time.Duration) float64 { return d.Seconds() * 1000 }
	return advise.Question{RateRPS: c.Rate, InFlight: c.InFlight, Pools: c.Pools, Limit: c.Limit,
		Client: advise.Client(c.Client),
		Key:    c.Key, TLS: c.TLS, ResumedShare: c.Resumed, RTTMS: ms(c.RTT), BackendMS: ms(c.Backend), CPUs: c.CPUs,
		Backends:    c.Backends,
		HandshakeMS: c.HandshakeMS, RequestMS: c.RequestMS}
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
	d, err := document.New(a.ctx, c.question(), c.Explain, a.message)
	if err != nil {
		return err
	}
	if c.JSON {
		return d.WriteJSON(a.stdout)
	}
	return d.WriteText(a.stdout, texts.Language(a.language), a.translate())
}
