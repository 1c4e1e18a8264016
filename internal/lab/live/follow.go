package live

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
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
			if err := send(line); err != nil {
				return err
			}
			t.rest = rest
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
	there, err := os.Stat(t.path)
	if errors.Is(err, fs.ErrNotExist) {
		t.close()
		return nil
	}
	if err != nil {
		return err
	}
	if t.file != nil {
		if mine, err := t.file.Stat(); err == nil && os.SameFile(mine, there) {
			return nil
		}
		t.close()
	}
	t.file, err = os.Open(t.path)
	return err
}
