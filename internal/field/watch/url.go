package watch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"h2lab/internal/base/exitstatus"
)

// RunURL opens a source and watches it. It returns an error if an alarm was raised within
// Options.For.
func RunURL(ctx context.Context, url string, t Trust, o Options, print func(Event) error) error {
	source, err := Open(ctx, url, t)
	if err != nil {
		var path *os.PathError
		err = fmt.Errorf("watch: %w", err)
		if errors.As(err, &path) {
			return exitstatus.Lacks(err)
		}
		return exitstatus.WrongUsage(err)
	}
	defer source.Close()
	summary, err := Run(ctx, source, o, print)
	switch {
	case err != nil:
		return fmt.Errorf("watch: %w", err)
	case summary.Raised && o.For > 0 && ctx.Err() == nil:
		return exitstatus.Contradicts(fmt.Errorf("watch: connections are wasted: %s", summary.Worst))
	}
	return nil
}

// JSONLines returns a function that writes one JSON object per line.
func JSONLines(w io.Writer) func(Event) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return func(event Event) error { return e.Encode(event) }
}

// Check rejects values out of range, before the rule's defaults are filled in.
func (o Options) Check() error {
	for _, d := range []struct {
		name        string
		value       time.Duration
		least, most time.Duration
	}{
		{"every", o.Every, 100 * time.Millisecond, time.Hour},
		{"for", o.For, 0, 366 * 24 * time.Hour},
		{"window", o.Rule.Window, o.Every, 24 * time.Hour},
		{"patience", o.Patience, 0, 24 * time.Hour},
	} {
		if d.value < d.least || d.value > d.most {
			return fmt.Errorf("watch: --%s %v is out of range: give %v to %v", d.name, d.value, d.least, d.most)
		}
	}
	r := o.Rule
	switch {
	case r.Limit < 0:
		return fmt.Errorf("watch: --limit %d is out of range: give the server's keepalive_requests, 1 or more", r.Limit)
	case r.MinRatio < 0:
		return fmt.Errorf("watch: --min-ratio %v is out of range: give a number above 0", r.MinRatio)
	case r.MinNew < 1:
		return fmt.Errorf("watch: --min-new %d is out of range: give 1 or more", r.MinNew)
	}
	return nil
}
