package accesslog

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"h2lab/internal/base/await"
	"h2lab/internal/base/exitstatus"
	"h2lab/internal/base/nginxfile"
	"h2lab/internal/base/text"
	"h2lab/internal/field/output"
)

// Flags are Options as command-line values.
type Flags struct {
	Format, FormatFrom string
	Keys               map[string]string
	Limit              uint32
	Idle               time.Duration
	NoUpstreams        bool
	Since, Until       string
}

// Options parses the flags. A duration in Since and Until counts back from now.
func (f Flags) Options(ctx context.Context, now time.Time) (Options, error) {
	o := Options{Limit: f.Limit, Idle: f.Idle, NoUpstreams: f.NoUpstreams, Keys: f.Keys, Again: f.command()}
	var err error
	if f.Idle < time.Second || f.Idle > 24*time.Hour {
		return o, exitstatus.WrongUsage(fmt.Errorf("logs: --idle %v is out of range: give keepalive_timeout, 1s to 24h",
			f.Idle))
	}
	if o.Since, err = timeOf("since", f.Since, now); err != nil {
		return o, err
	}
	if o.Until, err = timeOf("until", f.Until, now); err != nil {
		return o, err
	}
	for field := range f.Keys {
		if !KnownKey(field) {
			return o, exitstatus.WrongUsage(fmt.Errorf("logs: --key %s: unknown field; the fields are %s",
				field, strings.Join(KeyFields, ", ")))
		}
	}
	switch {
	case f.Format != "" && f.FormatFrom != "":
		return o, exitstatus.WrongUsage(errors.New("logs: --format and --format-from exclude each other: give one"))
	case f.Format != "":
		if o.Format, err = Compile(f.Format); err != nil {
			return o, badFormat("--format", err)
		}
	case f.FormatFrom != "":
		if o.Format, err = f.fromConfig(ctx); err != nil {
			return o, err
		}
	}
	return o, nil
}

// command is the command line with these flags; ReadAll adds the files.
func (f Flags) command() string {
	words := []string{"h2lab", "logs"}
	for _, flag := range [][2]string{{"--format", f.Format}, {"--format-from", f.FormatFrom}} {
		if flag[1] != "" {
			words = append(words, flag[0], text.ShellWord(flag[1]))
		}
	}
	for _, field := range slices.Sorted(maps.Keys(f.Keys)) {
		words = append(words, "--key", text.ShellWord(field+"="+f.Keys[field]))
	}
	if f.Idle != usualIdle {
		words = append(words, "--idle", f.Idle.String())
	}
	if f.NoUpstreams {
		words = append(words, "--no-upstreams")
	}
	return strings.Join(words, " ")
}

// ReadAll is Read with errors for users; it returns at once when the context ends. The result is
// nil if nothing was read before an error.
func ReadAll(ctx context.Context, files []string, stdin io.Reader, o Options) (*Result, error) {
	for _, name := range files {
		o.Again += " " + text.ShellWord(name)
	}
	r, err := await.Result(ctx, func() (*Result, error) { return Read(ctx, files, stdin, o) })
	switch {
	case err == nil || r == nil && ctx.Err() != nil:
		return r, err
	case r != nil:
		return r, fmt.Errorf("logs: %w; what was read before is above", err)
	}
	return nil, fmt.Errorf("logs: %w", err)
}

// WriteJSON writes the result as one JSON document.
func (r *Result) WriteJSON(w io.Writer) error { return output.JSON(w, r) }

// badFormat distinguishes a format without the required fields, which is a result (status 1), from
// one that can't be parsed (status 2).
func badFormat(where string, err error) error {
	var missing *MissingError
	err = fmt.Errorf("logs: %s: %w", where, err)
	if errors.As(err, &missing) {
		return err
	}
	return exitstatus.WrongUsage(err)
}

// mostConfig is far above the size of any nginx.conf.
const mostConfig = 16 << 20

func (f Flags) fromConfig(ctx context.Context) (*Format, error) {
	file, name, _ := strings.Cut(f.FormatFrom, "#")
	text, err := await.Read(ctx, file, mostConfig+1)
	if err != nil {
		return nil, fmt.Errorf("logs: --format-from: %w", err)
	}
	if len(text) > mostConfig {
		return nil, exitstatus.WrongUsage(
			fmt.Errorf("logs: --format-from: %s is too large to be a configuration", file))
	}
	format, err := FromConfig(file, string(text), name)
	if e, is := errors.AsType[*nginxfile.Error](err); is { // it names the file
		return nil, badFormat("--format-from", e)
	}
	if err != nil {
		return nil, badFormat("--format-from "+file, err)
	}
	return format, nil
}

// timeOf parses a point in time, or a duration before now.
func timeOf(flag, text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if ago, err := time.ParseDuration(text); err == nil && ago >= 0 {
		return now.Add(-ago), nil
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", time.DateTime, "2006-01-02 15:04", time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	return time.Time{}, exitstatus.WrongUsage(fmt.Errorf("logs: --%s %q is no time: give 2026-09-22T10:00:00Z, "+
		"2026-09-22 10:00 (UTC), or 2h for two hours ago", flag, text))
}
