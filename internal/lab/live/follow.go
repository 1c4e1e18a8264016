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

// pace is how often the journal is looked at: ten times a second, as often as
// an eye can use.
const pace = 100 * time.Millisecond

// longestLine bounds what is kept of a line that doesn't end.
const longestLine = 1 << 16

// Feed gives the lines of a run, old ones first, to send until ctx ends or send fails.
type Feed func(ctx context.Context, send func(line []byte) error) error

// Follow is the feed of a journal: what is in it, and what is added. A run
// that begins later replaces the file, which is then followed from its start.
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

// tail is how far a journal has been read.
type tail struct {
	path string
	file *os.File
	rest []byte // of a line whose end isn't there yet
}

func (t *tail) close() {
	if t.file != nil {
		_ = t.file.Close()
	}
	t.file, t.rest = nil, nil
}

// read sends the whole lines that were added.
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

// newest opens the journal, and opens it again when a new run has replaced it.
// None at all is no error: nobody has measured yet.
func (t *tail) newest() error {
	there, err := os.Lstat(t.path)
	if errors.Is(err, fs.ErrNotExist) {
		t.close()
		return nil
	}
	if err != nil {
		return err
	}
	if !there.Mode().IsRegular() { // a pipe would be waited for, and a link followed
		return fmt.Errorf("%s is no regular file, and no journal that h2lab wrote: move it away (mv %s %s.old)", t.path, t.path, t.path)
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

// parsed is a line as an event that the journal may have. A line that is no
// event is passed over; one that is, is written anew, since a CR within it would
// begin another line of the event stream (WHATWG HTML §9.2.6).
func parsed(line []byte) ([]byte, bool) {
	var e Event
	if json.Unmarshal(line, &e) != nil || !slices.Contains(kinds, e.Kind) {
		return nil, false
	}
	again, err := json.Marshal(e)
	return again, err == nil
}
