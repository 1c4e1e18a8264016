package main

import (
	"time"

	"h2lab/internal/base/exitstatus"
	"h2lab/internal/base/texts"
	"h2lab/internal/field/watch"
)

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

// Help shows what a user can paste.
func (c *watchCmd) Help() string {
	return "Examples:\n  h2lab watch http://127.0.0.1/stub_status --limit 1000\n" +
		"  h2lab watch http://127.0.0.1:9901/stats/prometheus --for 5m --json"
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
	print := watch.Text(a.stdout, o.Rule, texts.Language(a.language), a.translate())
	if c.JSON {
		print = watch.JSONLines(a.stdout)
	}
	return watch.RunURL(a.ctx, c.URL, trust, o, print)
}
