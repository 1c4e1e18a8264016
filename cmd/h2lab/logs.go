package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"h2lab/internal/base/nginxfile"
	"h2lab/internal/field/accesslog"
)

type logsCmd struct {
	Files       []string          `arg:"" optional:"" name:"file" help:"Access logs, the oldest first, gzip or not; - is stdin."`
	Format      string            `placeholder:"'LOG_FORMAT'" help:"The log_format, as it stands in nginx.conf, or Envoy's format string."`
	FormatFrom  string            `placeholder:"FILE[#NAME]" help:"Take the log_format of that name from nginx.conf."`
	Key         map[string]string `placeholder:"FIELD=NAME" help:"Keys of a JSON log with names of their own, such as connection=cid."`
	Limit       uint32            `help:"The limit, where it is known; found in the log otherwise."`
	Idle        time.Duration     `default:"75s" help:"How long a silent connection may be alive: keepalive_timeout."`
	NoUpstreams bool              `help:"This nginx dials no upstream, so that every serial without a line is an empty connection."`
	Since       string            `placeholder:"TIME" help:"Leave older lines out: 2026-09-22T10:00:00Z, or 2h for two hours ago."`
	Until       string            `placeholder:"TIME" help:"Leave newer lines out."`
	JSON        bool              `name:"json" help:"Answer in JSON (docs/logs.md)."`
}

// Help shows what a user can paste.
func (c *logsCmd) Help() string {
	return "Examples:\n  h2lab logs /var/log/nginx/access.log.1 /var/log/nginx/access.log\n" +
		"  zcat access.log.*.gz | h2lab logs --format-from /etc/nginx/nginx.conf#main -"
}

// Run reads the logs and says what they show. Ctrl-C ends it at once, also while
// it waits for a line that doesn't come.
func (c *logsCmd) Run(a *app) error {
	o, err := c.options()
	if err != nil {
		return err
	}
	if len(c.Files) == 0 {
		return usageError{errors.New("logs: no log named; give files, the oldest first, or - for stdin: h2lab logs /var/log/nginx/access.log")}
	}
	type answer struct {
		result *accesslog.Result
		err    error
	}
	done := make(chan answer, 1)
	go func() {
		r, err := accesslog.Read(a.ctx, c.Files, os.Stdin, o)
		done <- answer{r, err}
	}()
	var got answer
	select {
	case <-a.ctx.Done():
		return a.ctx.Err()
	case got = <-done:
	}
	if got.result == nil {
		return c.explained(got.err)
	}
	if err := c.write(a, got.result); err != nil {
		return err
	}
	if got.err != nil {
		return fmt.Errorf("logs: %w; what was read before is above", got.err)
	}
	return nil
}

// explained gives an error its status: a wrong order is wrong usage.
func (c *logsCmd) explained(err error) error {
	var order *accesslog.OrderError
	err = fmt.Errorf("logs: %w", err)
	if errors.As(err, &order) {
		return usageError{err}
	}
	return err
}

func (c *logsCmd) write(a *app, r *accesslog.Result) error {
	if !c.JSON {
		return r.WriteText(a.stdout)
	}
	e := json.NewEncoder(a.stdout)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(r)
}

func (c *logsCmd) options() (accesslog.Options, error) {
	o := accesslog.Options{Limit: c.Limit, Idle: c.Idle, NoUpstreams: c.NoUpstreams, Keys: c.Key}
	var err error
	if c.Idle < time.Second || c.Idle > 24*time.Hour {
		return o, usageError{fmt.Errorf("logs: --idle %v is out of range: give keepalive_timeout, 1s to 24h", c.Idle)}
	}
	if o.Since, err = c.moment("since", c.Since); err != nil {
		return o, err
	}
	if o.Until, err = c.moment("until", c.Until); err != nil {
		return o, err
	}
	for field := range c.Key {
		if !accesslog.KnownKey(field) {
			return o, usageError{fmt.Errorf("logs: --key %s: unknown field; the fields are %s", field, strings.Join(accesslog.KeyFields, ", "))}
		}
	}
	switch {
	case c.Format != "" && c.FormatFrom != "":
		return o, usageError{errors.New("logs: --format and --format-from exclude each other: give one")}
	case c.Format != "":
		if o.Format, err = accesslog.Compile(c.Format); err != nil {
			return o, c.badFormat("--format", err)
		}
	case c.FormatFrom != "":
		if o.Format, err = c.fromConfig(); err != nil {
			return o, err
		}
	}
	return o, nil
}

// badFormat tells a format that lacks the fields, which is an answer (status 1),
// from one that can't be read (status 2).
func (c *logsCmd) badFormat(where string, err error) error {
	var missing *accesslog.MissingError
	err = fmt.Errorf("logs: %s: %w", where, err)
	if errors.As(err, &missing) {
		return err
	}
	return usageError{err}
}

// mostConfig is far above any nginx.conf.
const mostConfig = 16 << 20

func (c *logsCmd) fromConfig() (*accesslog.Format, error) {
	file, name, _ := strings.Cut(c.FormatFrom, "#")
	if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && info.Size() > mostConfig {
		return nil, usageError{fmt.Errorf("logs: --format-from: %s is too large to be a configuration", file)}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("logs: --format-from: %w", err)
	}
	f, err := accesslog.FromConfig(file, string(text), name)
	if e, is := errors.AsType[*nginxfile.Error](err); is { // it names the file
		return nil, c.badFormat("--format-from", e)
	}
	if err != nil {
		return nil, c.badFormat("--format-from "+file, err)
	}
	return f, nil
}

// moment reads a point in time, or a duration before now.
func (c *logsCmd) moment(flag, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if ago, err := time.ParseDuration(text); err == nil && ago >= 0 {
		return time.Now().Add(-ago), nil
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02"} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	return time.Time{}, usageError{fmt.Errorf("logs: --%s %q is no time: give 2026-09-22T10:00:00Z, 2026-09-22 10:00 (UTC), or 2h for two hours ago", flag, text)}
}
