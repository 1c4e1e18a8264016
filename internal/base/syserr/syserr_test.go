package syserr

import (
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"testing"
)

// The errors are this system's own: each is provoked.
func TestErrorsOfThisSystemAreRecognised(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	_, taken := net.Listen("tcp", addr)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	_, refused := net.Dial("tcp", addr)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	_ = r.Close()
	_, gone := w.Write([]byte("x"))
	_ = w.Close()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, notDir := os.ReadDir(file)
	for _, c := range []struct {
		what string
		is   func(error) bool
		err  error
	}{
		{"a port that is taken", PortTaken, taken}, {"a port without a listener", Refused, refused},
		{"a connection that was reset", Reset, afterReset(t)}, {"a pipe whose reader is gone", ReaderGone, gone},
		{"a file in the place of a directory", NoDirectory, notDir},
	} {
		if !c.is(c.err) {
			t.Errorf("%s isn't recognised: %v", c.what, c.err)
		}
		for name, other := range map[string]func(error) bool{"full": DiskFull, "read-only": ReadOnly, "a loop": LinkLoop} {
			if other(c.err) {
				t.Errorf("%s counts as %s: %v", c.what, name, c.err)
			}
		}
		if c.is(nil) || c.is(io.EOF) || c.is(errors.New("reset")) {
			t.Errorf("%s: another error is recognised", c.what)
		}
	}
}

// afterReset is the error of reading a connection that the peer has reset.
func afterReset(t *testing.T) error {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close() //nolint:errcheck // only for one connection
	ours, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer ours.Close() //nolint:errcheck // it was reset
	theirs, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	if err := theirs.(*net.TCPConn).SetLinger(0); err != nil { // close with RST
		t.Fatal(err)
	}
	_ = theirs.Close()
	_, err = ours.Read(make([]byte, 1))
	return err
}
