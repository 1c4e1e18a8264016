package probe

import (
	"crypto/tls"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"h2lab/internal/base/labtest"
	"h2lab/internal/base/notes"
	"h2lab/internal/field/cause"
)

// restarting stops listening after so many requests of all connections, closes them, and listens again a while later.
func restarting(t *testing.T, requests int64) Target {
	t.Helper()
	cert := labtest.WriteCert(t, t.TempDir())
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var all atomic.Int64
	stopped := make(chan struct{})
	handler := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		if all.Add(1) == requests {
			close(stopped)
		}
	})
	newServer := func() *http.Server {
		return &http.Server{Handler: handler, TLSConfig: &tls.Config{Certificates: []tls.Certificate{cert.Pair}}}
	}
	first, second := newServer(), newServer()
	go func() { _ = first.ServeTLS(ln, "", "") }()
	over := make(chan struct{})
	go func() {
		defer close(over)
		select {
		case <-stopped:
		case <-t.Context().Done():
			return
		}
		_ = first.Close()
		time.Sleep(500 * time.Millisecond)
		if again, err := net.Listen("tcp", ln.Addr().String()); err == nil {
			_ = second.ServeTLS(again, "", "")
		}
	}()
	t.Cleanup(func() { _, _ = first.Close(), second.Close(); <-over })
	return Target{Addr: ln.Addr().String(), CAFile: cert.File}
}

func TestAServerThatRestartsIsAskedAgain(t *testing.T) {
	target := somebody(t, restarting(t, 300), "/")
	got, err := Survey(t.Context(), target, Ask{MaxStreams: 2000})
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, n := range got.Warnings {
		said = append(said, notes.InEnglish(n))
	}
	if c := cause.Of(got); c.Kind == cause.Count || c.Kind == cause.Unclear || len(got.Asked) < 5 {
		t.Errorf("%s %v of %d connections, ends %+v", c.Kind, c.Fits, len(got.Asked), c.Ends)
	}
	if !strings.Contains(strings.Join(said, "\n"), "refused connections for") {
		t.Errorf("warnings %q", said)
	}
}
