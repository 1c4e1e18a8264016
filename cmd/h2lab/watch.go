package main

import (
	"time"

	"h2lab/internal/base/exitstatus"
	"h2lab/internal/field/watch"
)

type watchCmd struct {
	URL      string        `arg:"" name:"url" help:"nginx's stub_status, Envoy's /stats/prometheus or /stats, or the /metrics of nginx-prometheus-exporter or ingress-nginx."`
	Every    time.Duration `default:"1s" help:"Read so often (100ms to 1h)."`
	For      time.Duration `help:"End after this; goes on until Ctrl-C otherwise. Status 4 when an alarm is up then."`
	Limit    int64         `help:"The server's keepalive_requests, if it is known; it sets --min-ratio."`
	MinRatio float64       `help:"Alarm below so many requests a new connection; a fifth of --limit, or 25."`
	MinNew   int64         `default:"40" help:"New connections in a window for it to matter."`
	Window   time.Duration `default:"30s" help:"Judge over this time."`
	Patience time.Duration `default:"1m" help:"Ask a server that is gone for so long."`
	CA       string        `name:"ca" placeholder:"FILE" help:"Trust these certificates, PEM."`
	Insecure bool          `help:"Don't look at the server's certificate."`
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
	o.Rule = o.Rule.Complete()
	print := watch.Text(a.stdout, o.Rule)
	if c.JSON {
		print = watch.JSONLines(a.stdout)
	}
	return watch.RunURL(a.ctx, c.URL, watch.Trust{Insecure: c.Insecure, CAFile: c.CA}, o, print)
}
