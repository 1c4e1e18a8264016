package workshop

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"h2lab/internal/facts"
)

// secret is the configuration of the unknown server while it starts. It has no name under which a learner could read
// it: nginx, which needs a file with a size, gets a file without a name as its standard input; Envoy, which refuses
// paths below /dev and /proc, gets a named pipe that can be read once.
type secret struct {
	stdin   *os.File // of the server; nil for Envoy
	path    string   // what the server opens
	written chan error
}

// hide makes the configuration readable for the server at path.
func hide(kind facts.Kind, path, text string) (*secret, error) {
	s := &secret{path: path}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if kind == facts.Envoy {
		return s, s.pipe(text)
	}
	return s, s.unnamed(text)
}

// unnamed writes the text to a file and removes its name first. Its path leads each process to its own standard input.
func (s *secret) unnamed(text string) (err error) {
	if s.stdin, err = os.CreateTemp(filepath.Dir(s.path), ".config-*"); err != nil {
		return err
	}
	err = os.Remove(s.stdin.Name())
	if err == nil {
		_, err = s.stdin.WriteString(text)
	}
	if err == nil {
		err = os.Symlink("/proc/self/fd/0", s.path)
	}
	if err != nil {
		err = errors.Join(err, s.stdin.Close())
	}
	return err
}

func (s *secret) pipe(text string) error {
	if err := makeFIFO(s.path); err != nil {
		return err
	}
	s.written = make(chan error, 1)
	go func() {
		f, err := os.OpenFile(s.path, os.O_WRONLY, 0) // waits for the reader
		if err == nil {
			_, err = strings.NewReader(text).WriteTo(f)
			err = errors.Join(err, f.Close())
		}
		s.written <- err
	}()
	return nil
}

// forget removes the text, when the server has read it or hasn't started.
func (s *secret) forget() error {
	if s.stdin != nil { // the server keeps it open
		err := errors.Join(s.stdin.Truncate(0), s.stdin.Close(), os.Remove(s.path))
		s.stdin = nil
		return err
	}
	if s.written == nil {
		return nil
	}
	reader, err := openUnread(s.path) // a writer that still waits goes on
	if err == nil {
		err = errors.Join(os.Remove(s.path), reader.Close())
	}
	<-s.written // its error is the server's that didn't read
	s.written = nil
	return err
}
