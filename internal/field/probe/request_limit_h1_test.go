package probe

import (
	"bufio"
	"crypto/tls"
	"net"
	"net/http"
	"strings"
	"testing"
)

// h1server answers requests on each connection; the answer to the limit-th has Connection: close
// unless the server is rude.
func h1server(t *testing.T, limit int, rude bool) Target {
	return serve(t, "http/1.1", func(c *tls.Conn) {
		br, bw := bufio.NewReader(c), bufio.NewWriter(c)
		for n := 1; n <= limit; n++ {
			if _, err := http.ReadRequest(br); err != nil {
				return
			}
			answer := "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n"
			if n == limit && !rude {
				answer += "Connection: close\r\n"
			}
			_, _ = bw.WriteString(answer + "\r\nok\n")
			if br.Buffered() == 0 || n == limit {
				_ = bw.Flush()
			}
		}
		_ = c.CloseWrite()
		_ = c.NetConn().(*net.TCPConn).CloseWrite()
		for {
			if _, err := br.Discard(1); err != nil { // read on, as real servers do (lingering close)
				return
			}
		}
	})
}

func TestTheHTTP1LimitIsTheCountOfAnswers(t *testing.T) {
	for _, n := range []int{1, 2, 7, 100, 1000} {
		for _, rude := range []bool{false, true} {
			got, err := RequestLimitH1(t.Context(), h1server(t, n, rude), 3*n+10)
			if err != nil {
				t.Fatalf("limit %d: %v", n, err)
			}
			closing := map[bool]string{false: "connection-close", true: "close"}[rude]
			if got.Effective == nil || *got.Effective != n || got.Closing != closing || got.LastStreamID != nil {
				t.Errorf("limit %d: %+v (effective %v)", n, got, show(got.Effective))
			}
		}
	}
}

func TestAnHTTP1ServerWithoutALimitGetsAsManyAsAllowed(t *testing.T) {
	got, err := RequestLimitH1(t.Context(), h1server(t, 1<<30, false), 333)
	if err != nil || got.Effective != nil || got.Closing != "none" || got.ProbedRequests != 333 {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestAServerThatDislikesPipeliningIsAskedOneAtATime(t *testing.T) {
	// Envoy's behaviour: it closes after the second answer if more requests wait.
	target := serve(t, "http/1.1", func(c *tls.Conn) {
		br := bufio.NewReader(c)
		for n := 1; ; n++ {
			if _, err := http.ReadRequest(br); err != nil {
				return
			}
			if n == 40 || n == 2 && br.Buffered() > 0 {
				_, _ = c.Write([]byte("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"))
				return
			}
			_, _ = c.Write([]byte("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"))
		}
	})
	got, err := RequestLimitH1(t.Context(), target, 100)
	if err != nil || got.Effective == nil || *got.Effective != 40 {
		t.Errorf("effective %v, %+v, %v; want 40", show(got.Effective), got, err)
	}
}

func TestABadHTTP1ServerHasAClearError(t *testing.T) {
	for name, x := range map[string]struct {
		handle func(*tls.Conn)
		want   string
	}{
		"garbage": {func(c *tls.Conn) { _, _ = c.Write([]byte("SSH-2.0-OpenSSH_9.2\r\n")) }, "does not speak HTTP/1.1"},
		"closed at once": {
			func(c *tls.Conn) { _ = c.Handshake(); _, _ = c.Read(make([]byte, 1<<14)) },
			"without an answer",
		},
		"endless header": {func(c *tls.Conn) {
			line := []byte("X-Long: " + strings.Repeat("x", 8000) + "\r\n")
			_, _ = c.Write([]byte("HTTP/1.1 200 OK\r\n"))
			for {
				if _, err := c.Write(line); err != nil {
					return
				}
			}
		}, "an answer is larger than"},
	} {
		target := serve(t, "http/1.1", x.handle)
		_, err := RequestLimitH1(t.Context(), target, 10)
		if err == nil || !strings.Contains(err.Error(), x.want) || !strings.Contains(err.Error(), target.Addr) {
			t.Errorf("%s: error %v, want %q and the address", name, err, x.want)
		}
	}
	if _, err := RequestLimitH1(t.Context(), h2server(t, likeNginx(7)), 10); err == nil ||
		!strings.Contains(err.Error(), "not http/1.1") {
		t.Errorf("a server of h2 only: error %v", err)
	}
}
