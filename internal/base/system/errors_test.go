package system

import (
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"testing"

	"h2lab/internal/base/labtest"
)

// The errors are this system's own: each is provoked.
func TestErrorsOfThisSystemAreRecognised(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	labtest.Check(t, err)
	addr := l.Addr().String()
	_, taken := net.Listen("tcp", addr)
	labtest.Check(t, l.Close())
	_, refused := net.Dial("tcp", addr)
	r, w, err := os.Pipe()
	labtest.Check(t, err)
	_ = r.Close()
	_, gone := w.Write([]byte("x"))
	_ = w.Close()
	file := filepath.Join(t.TempDir(), "file")
	labtest.Write(t, file, "")
	_, notDir := os.ReadDir(file)
	_, elsewhere := net.Listen("tcp4", "192.0.2.1:0") // RFC 5737: no machine has it
	for _, c := range []struct {
		what string
		is   Condition
		err  error
	}{
		{"a port that is taken", PortTaken, taken}, {"a port without a listener", Refused, refused},
		{"a pipe whose reader is gone", ReaderGone, gone}, {"a file in the place of a directory", NoDirectory, notDir},
		{"another machine's address", NoAddress, elsewhere},
	} {
		recognised(t, c.what, c.is, c.err)
	}
}

func TestAResetIsRecognised(t *testing.T) {
	labtest.NotOnWine(t, "WSAECONNRESET after a reset (Microsoft's page of recv), where wine 8 reports the connection's end")
	recognised(t, "a connection that was reset", Reset, afterReset(t))
}

// recognised checks that one function recognises an error, and no other.
func recognised(t *testing.T, what string, is Condition, err error) {
	t.Helper()
	if !is.Is(err) {
		t.Errorf("%s isn't recognised: %v", what, err)
	}
	for name, other := range map[string]Condition{"full": DiskFull, "read-only": ReadOnly, "a loop": LinkLoop} {
		if other.Is(err) {
			t.Errorf("%s counts as %s: %v", what, name, err)
		}
	}
	if is.Is(nil) || is.Is(io.EOF) || is.Is(errors.New("reset")) {
		t.Errorf("%s: another error is recognised", what)
	}
}

// afterReset is the error of reading a connection that the peer has reset.
func afterReset(t *testing.T) error {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	labtest.Check(t, err)
	defer l.Close() //nolint:errcheck // only for one connection
	ours, err := net.Dial("tcp", l.Addr().String())
	labtest.Check(t, err)
	defer ours.Close() //nolint:errcheck // it was reset
	theirs, err := l.Accept()
	labtest.Check(t, err)
	if err := theirs.(*net.TCPConn).SetLinger(0); err != nil { // close with RST
		t.Fatal(err)
	}
	_ = theirs.Close()
	_, err = ours.Read(make([]byte, 1))
	return err
}
