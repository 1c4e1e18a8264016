package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

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

// Run watches until Ctrl-C, which is no failure: the summary is the answer.
func (c *watchCmd) Run(a *app) error {
	if err := c.check(); err != nil {
		return usageError{err}
	}
	source, err := watch.Open(c.URL, watch.Trust{Insecure: c.Insecure, CAFile: c.CA})
	if err != nil {
		var path *os.PathError
		err = fmt.Errorf("watch: %w", err)
		if errors.As(err, &path) {
			return missingError{err}
		}
		return usageError{err}
	}
	defer source.Close()
	rule := watch.Rule{Limit: c.Limit, MinRatio: c.MinRatio, MinNew: c.MinNew, Window: c.Window}.Complete()
	say := watch.Text(a.stdout, rule)
	if c.JSON {
		say = ndjson(a.stdout)
	}
	summary, err := watch.Run(a.ctx, source, watch.Options{Every: c.Every, For: c.For, Patience: c.Patience, Rule: rule}, say)
	switch {
	case err != nil:
		return fmt.Errorf("watch: %w", err)
	case summary.Raised && c.For > 0 && a.ctx.Err() == nil:
		return contradiction{fmt.Errorf("watch: connections are burnt: %s", summary.Worst)}
	}
	return nil
}

// ndjson writes one object a line.
func ndjson(w io.Writer) func(watch.Event) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return func(event watch.Event) error { return e.Encode(event) }
}

func (c *watchCmd) check() error {
	for _, d := range []struct {
		name        string
		value       time.Duration
		least, most time.Duration
	}{
		{"every", c.Every, 100 * time.Millisecond, time.Hour},
		{"for", c.For, 0, 366 * 24 * time.Hour},
		{"window", c.Window, c.Every, 24 * time.Hour},
		{"patience", c.Patience, 0, 24 * time.Hour},
	} {
		if d.value < d.least || d.value > d.most {
			return fmt.Errorf("watch: --%s %v is out of range: give %v to %v", d.name, d.value, d.least, d.most)
		}
	}
	switch {
	case c.Limit < 0:
		return fmt.Errorf("watch: --limit %d is out of range: give the server's keepalive_requests, 1 or more", c.Limit)
	case c.MinRatio < 0:
		return fmt.Errorf("watch: --min-ratio %v is out of range: give a number above 0", c.MinRatio)
	case c.MinNew < 1:
		return fmt.Errorf("watch: --min-new %d is out of range: give 1 or more", c.MinNew)
	}
	return nil
}
