package main

import (
	"errors"
	"io"
	"os"
	"time"

	"h2lab/internal/base/exitstatus"
	"h2lab/internal/base/texts"
	"h2lab/internal/field/accesslog"
)

type logsCmd struct {
	Files       []string          `arg:"" optional:"" name:"file" help:"Access logs, the oldest first, gzip or not; - is stdin."`
	Format      string            `placeholder:"'LOG_FORMAT'" help:"The log_format, as it stands in nginx.conf, or Envoy's format string."`
	FormatFrom  string            `placeholder:"FILE[#NAME]" help:"Take the log_format of that name from nginx.conf."`
	Key         map[string]string `placeholder:"FIELD=NAME" help:"A JSON key with another name, such as connection=cid."`
	Limit       uint32            `help:"The request limit, if known; found in the log otherwise."`
	Idle        time.Duration     `default:"75s" help:"How long a silent connection may be open: keepalive_timeout."`
	NoUpstreams bool              `help:"This nginx opens no connections to upstreams, so every serial without a line is an empty connection."`
	Since       string            `placeholder:"TIME" help:"Exclude older lines: 2026-09-22T10:00:00Z, or 2h for two hours ago."`
	Until       string            `placeholder:"TIME" help:"Exclude newer lines."`
	JSON        bool              `name:"json" help:"Answer in JSON (docs/logs.md)."`
}

// Help shows what a user can paste.
func (c *logsCmd) Help() string {
	return "Examples:\n  h2lab logs /var/log/nginx/access.log.1 /var/log/nginx/access.log\n" +
		"  zcat access.log.*.gz | h2lab logs --format-from /etc/nginx/nginx.conf#main -"
}

// Run reads the logs and prints what they show. Ctrl-C ends it at once, even while it waits for input.
func (c *logsCmd) Run(a *app) error {
	o, err := accesslog.Flags{Format: c.Format, FormatFrom: c.FormatFrom, Keys: c.Key, Limit: c.Limit, Idle: c.Idle,
		NoUpstreams: c.NoUpstreams, Since: c.Since, Until: c.Until}.Options(a.ctx, time.Now())
	if err != nil {
		return err
	}
	if len(c.Files) == 0 {
		return exitstatus.WrongUsage(errors.New("logs: no log named; give files, the oldest first, or - for stdin: h2lab logs " +
			"/var/log/nginx/access.log"))
	}
	r, readErr := accesslog.ReadAll(a.ctx, c.Files, os.Stdin, o)
	if r == nil {
		return readErr
	}
	print := func(w io.Writer) error { return r.WriteText(w, texts.Language(a.language), a.translate()) }
	if c.JSON {
		print = r.WriteJSON
	}
	return errors.Join(print(a.stdout), readErr)
}
