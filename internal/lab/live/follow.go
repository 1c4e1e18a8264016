package live

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"syscall"
	"time"
)

// pace is the interval for reading the journal: ten times a second, as fast as a person can follow.
const pace = 100 * time.Millisecond

// longestLine bounds how much of an unfinished line is kept.
const longestLine = 1 << 16

// Feed passes the lines of a run to send, old ones first, until ctx ends or send fails.
type Feed func(ctx context.Context, send func(line []byte) error) error

// Follow is the feed of a journal: its lines so far, and new ones. A new run replaces the file, and
// Follow then reads it from the start.
func Follow(path string) Feed {
	return func(ctx context.Context, send func([]byte) error) error {
		t := &tail{path: path}
		defer t.close()
		tick := time.NewTicker(pace)
		defer tick.Stop()
		for {
			if err := t.read(send); err != nil {
				return err
			}
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-tick.C:
			}
		}
	}
}

// tail is the position up to which a journal has been read.
type tail struct {
	path string
	file *os.File
	rest []byte // an unfinished line
}

func (t *tail) close() {
	if t.file != nil {
		_ = t.file.Close()
	}
	t.file, t.rest = nil, nil
}

// read sends the complete lines that were added.
func (t *tail) read(send func([]byte) error) error {
	if err := t.newest(); err != nil || t.file == nil {
		return err
	}
	buf := make([]byte, 32<<10)
	for {
		n, err := t.file.Read(buf)
		t.rest = append(t.rest, buf[:n]...)
		for {
			line, rest, whole := bytes.Cut(t.rest, []byte("\n"))
			if !whole {
				break
			}
			t.rest = rest
			event, known := parsed(line)
			if !known {
				continue
			}
			if err := send(event); err != nil {
				return err
			}
		}
		if len(t.rest) > longestLine {
			t.rest = nil
		}
		if errors.Is(err, io.EOF) || n == 0 {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// newest opens the journal, and opens it again when a new run has replaced it. A missing journal is
// not an error: no run has begun yet.
func (t *tail) newest() error {
	there, err := os.Lstat(t.path)
	if errors.Is(err, fs.ErrNotExist) {
		t.close()
		return nil
	}
	if err != nil {
		return err
	}
	if !there.Mode().IsRegular() { // opening a pipe would block, and a link would be followed
		return fmt.Errorf("%s is not a regular file written by h2lab: move it away (mv %s %s.old)",
			t.path, t.path, t.path)
	}
	if t.file != nil {
		if mine, err := t.file.Stat(); err == nil && os.SameFile(mine, there) {
			return nil
		}
		t.close()
	}
	t.file, err = os.OpenFile(t.path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	return err
}

// parsed returns a line as a journal event. It skips a line that is no event and writes an event
// anew, since a CR within it would begin another line of the event stream (WHATWG HTML §9.2.6).
func parsed(line []byte) ([]byte, bool) {
	var e Event
	if json.Unmarshal(line, &e) != nil || !slices.Contains(kinds, e.Kind) {
		return nil, false
	}
	again, err := json.Marshal(e)
	return again, err == nil
}
