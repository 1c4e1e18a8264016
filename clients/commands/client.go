// Command commands drives command-line load tools as clients of the lab: curl, h2load and hey. The
// tool sends the requests; this program reads and counts what the tool reports of every transfer,
// so that latencies and failures are the tool's own.
//
// A tool differs from a library in three ways. The measured window also starts from an empty pool,
// because no tool keeps its connections between two runs. The tool decides when it is done: curl is
// given a number of transfers, computed from the pace of the warm-up. And only curl can give every
// request its own id; requests of the other tools carry none, and the backend's ledger doesn't
// count them as executed.
package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"h2lab/clients/kit"
)

// tool is one command-line tool.
type tool interface {
	// work sends requests for about d and enters them into the book.
	work(ctx context.Context, phase string, d time.Duration, b *book) error
	// version is the tool's name and version, and what it is built with.
	version() (library, runtime string)
}

// client is a tool with a directory for its files.
type client struct {
	flags    kit.Flags
	tool     tool
	dir      string
	reported atomic.Int64 // connections the tool says it made
	tls      atomic.Value // string
	library  string
	runtime  string
}

func newClient(f kit.Flags) (*client, error) {
	if err := kit.CheckCA(f); err != nil {
		return nil, err
	}
	c := &client{flags: f}
	for _, v := range variants {
		if v.name == f.Variant {
			c.tool = v.new(c)
		}
	}
	if c.library, c.runtime = c.tool.version(); c.library == "" {
		return nil, fmt.Errorf("%w: the tool of %s; see README.md beside this program", kit.ErrMissing, f.Variant)
	}
	if tool, _, _ := strings.Cut(c.library, " "); f.MaxTLS != "1.3" && tool != "curl" {
		return nil, fmt.Errorf("%w: %s has no option for the highest TLS version; leave --max-tls out", kit.ErrUsage, tool)
	} else if tool == "h2load" && f.Method != http.MethodPost && f.Method != http.MethodGet {
		return nil, fmt.Errorf("%w: h2load sends GET or POST, not %s", kit.ErrUsage, f.Method)
	}
	dir, err := os.MkdirTemp("", "h2lab-commands-")
	if err != nil {
		return nil, err
	}
	c.dir = dir
	return c, os.WriteFile(c.file("body"), f.Body(), 0o600)
}

func (c *client) file(name string) string { return filepath.Join(c.dir, name) }

func (c *client) Library() string { return c.library }
func (c *client) Runtime() string { return c.runtime }
func (c *client) Close()          { os.RemoveAll(c.dir) }

func (c *client) Counts() kit.Counts {
	var counts kit.Counts
	if _, silent := c.tool.(*h2load); !silent { // h2load doesn't report its connections
		reported := c.reported.Load()
		counts.Reported = &reported
	}
	if v, ok := c.tls.Load().(string); ok {
		counts.TLSVersion = v
	}
	return counts
}

// Window runs the tool.
func (c *client) Window(ctx context.Context, phase string, d time.Duration) (*kit.Tally, error) {
	b := &book{flags: c.flags, tally: kit.NewTally(), began: time.Now()}
	if err := c.tool.work(ctx, phase, d, b); err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return nil, err
	}
	c.reported.Add(b.connects)
	end := b.last
	if b.idle.After(end) {
		end = b.idle
	}
	b.tally.Elapsed = max(end.Sub(b.began), time.Microsecond)
	return b.tally, nil
}

// command makes the tool's process. It is killed when the context ends, and in any case shortly
// after the harness's patience is over; cut reports whether that happened.
func (c *client) command(ctx context.Context, d time.Duration, argv ...string) (cmd *exec.Cmd, cut func() bool,
	done context.CancelFunc) {
	limited, done := context.WithTimeout(ctx, d+c.flags.Patience+500*time.Millisecond)
	cmd = exec.CommandContext(limited, argv[0], argv[1:]...)
	kit.Tie(cmd)
	cmd.WaitDelay = time.Second
	return cmd, func() bool { return limited.Err() != nil && ctx.Err() == nil }, done
}

// firstLine returns the first line of a command's output, or "" when the command is missing.
func firstLine(argv ...string) string {
	out, err := exec.Command(argv[0], argv[1:]...).Output()
	if err != nil {
		return ""
	}
	line, _, _ := bytes.Cut(out, []byte("\n"))
	return string(line)
}

func main() {
	os.Exit(kit.Main(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr, kit.Program{
		Name:        "commands",
		Description: "Sends requests with a command-line tool, and counts what the tool reports.",
		Variants:    names(),
		NewBatch:    func(f kit.Flags) (kit.Batch, error) { return newClient(f) },
	}))
}

// variants are the tools, each in the ways that users run it.
var variants = []struct {
	name string
	new  func(*client) tool
}{
	{"curl-parallel", func(c *client) tool { return &curl{client: c} }},
	{"curl-retry", func(c *client) tool { return &curl{client: c, extra: retrying} }},
	{"h2load", func(c *client) tool { return &h2load{client: c, clients: 1, streams: c.flags.Concurrency} }},
	{"h2load-connections", func(c *client) tool {
		return &h2load{client: c, clients: c.flags.Concurrency, streams: 1}
	}},
	{"hey", func(c *client) tool { return &hey{client: c} }},
}

func names() []string {
	var all []string
	for _, v := range variants {
		all = append(all, v.name)
	}
	return all
}

// book is the counts of a window, filled while the tool's report is read.
type book struct {
	flags    kit.Flags
	tally    *kit.Tally
	began    time.Time // of the first transfer
	last     time.Time // of the last one's end
	idle     time.Time // end of a time in which the tool did nothing more, if there was one
	connects int64
}

// enter counts one transfer that ended at a time.
func (b *book) enter(f *kit.Failure, waited time.Duration, ended time.Time) {
	if ended.After(b.last) {
		b.last = ended
	}
	b.tally.Count(f, waited)
}

// unsettled counts transfers that were in flight when the tool ended. If the tool was still making
// progress, they were cut short and their result is unknown; if nothing had happened for the
// harness's patience, they hung.
func (b *book) unsettled(n int, ended time.Time, said string) {
	if n > 0 && b.last.IsZero() {
		b.last = b.began
	}
	if n <= 0 || ended.Sub(b.last) < b.flags.Patience*9/10 {
		return
	}
	b.idle = ended
	for range n {
		b.tally.CountHung(b.flags.Patience, said)
	}
}

// status returns the failure for an answer with this status, or nil.
func status(code int) *kit.Failure {
	if code >= 200 && code <= 299 {
		return nil
	}
	return &kit.Failure{Kind: kit.Status, Message: fmt.Sprintf("HTTP status %d", code)}
}

// tail keeps the end of a tool's output, for error messages.
type tail struct{ text []byte }

func (t *tail) Write(p []byte) (int, error) {
	t.text = append(t.text, p...)
	if over := len(t.text) - 4096; over > 0 {
		t.text = t.text[over:]
	}
	return len(p), nil
}

func (t *tail) String() string { return strings.Join(strings.Fields(string(t.text)), " ") }
