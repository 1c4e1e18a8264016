package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
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
	if s, ok := c.tool.(interface{ suits() error }); ok {
		if err := s.suits(); err != nil {
			return nil, fmt.Errorf("%w: %w", kit.ErrUsage, err)
		}
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
