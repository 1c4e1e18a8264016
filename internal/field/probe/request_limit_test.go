package probe

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"net/http"
	"testing"
	"time"

	"golang.org/x/net/http2"
)

func TestTheLimitIsExactForEveryWayToEndAConnection(t *testing.T) {
	ways := []struct {
		name    string
		server  func(limit int) func(*peer)
		closing string
		last    func(limit int) uint32 // 0: unknown
	}{
		{"one stage, as nginx", likeNginx, "goaway", func(n int) uint32 { return uint32(2*n - 1) }},
		{"two stages, as Envoy", likeEnvoy, "goaway-two-stage", func(n int) uint32 { return uint32(2*n - 1) }},
		{"an id in the future, as HAProxy", likeHAProxy, "goaway-future-id",
			func(n int) uint32 { return uint32(2*n - 1 + 200) }},
		{"a close without a word", rude, "close", nil},
	}
	// Hints that are right, absent, too low, too high, and off by one.
	hints := func(n int) []int { return []int{n, 0, n / 2, 3 * n, n + 1, n - 1, n + 5, n - 5} }
	for _, w := range ways {
		t.Run(w.name, func(t *testing.T) {
			fast(t, func(t *testing.T) {
				for _, n := range []int{1, 2, 7, 100, 1000} {
					target := h2server(t, w.server(n))
					for _, hint := range hints(n) {
						got, err := RequestLimit(t.Context(), target, 5*n+300, hint)
						if err != nil {
							t.Fatalf("limit %d, hint %d: %v", n, hint, err)
						}
						if got.Effective == nil || *got.Effective != n || got.Closing != w.closing {
							t.Errorf("limit %d, hint %d: effective %v, closing %q; want %d, %q", n, hint,
								show(got.Effective), got.Closing, n, w.closing)
						}
						if w.last == nil {
							if got.LastStreamID != nil {
								t.Errorf("limit %d, hint %d: last stream %d out of nowhere", n, hint, *got.LastStreamID)
							}
						} else if hint == n && (got.LastStreamID == nil || *got.LastStreamID != w.last(n)) {
							t.Errorf("limit %d: last stream %v, want %d", n, show(got.LastStreamID), w.last(n))
						}
						if hint == n && got.ProbedRequests > n+1 {
							t.Errorf("limit %d with the right hint took %d requests", n, got.ProbedRequests)
						}
					}
				}
			})
		})
	}
}

// show prints the value that a pointer points to.
func show[T any](p *T) any {
	if p == nil {
		return "null"
	}
	return *p
}

func TestTheServersConcurrencyIsRespected(t *testing.T) {
	worst := 0
	done := make(chan struct{})
	target := h2server(t, func(p *peer) {
		defer close(done)
		var held []uint32
		for p.count < 60 {
			id := p.next()
			if id == 0 {
				return
			}
			held = append(held, id)
			worst = max(worst, len(held))
			if len(held) == 3 || p.br.Buffered() == 0 {
				for _, h := range held {
					p.answer(h)
				}
				held = held[:0]
			}
		}
		for id := p.next(); id != 0; id = p.next() {
			p.answer(id)
		}
	}, http2.Setting{ID: http2.SettingMaxConcurrentStreams, Val: 3})
	if _, err := RequestLimit(t.Context(), target, 200, 0); err != nil {
		t.Fatal(err)
	}
	<-done
	if worst != 3 {
		t.Errorf("%d requests at once where 3 are allowed", worst)
	}
}

func TestBodiesLargerThanTheWindowsComeThrough(t *testing.T) {
	chunk := make([]byte, 16384)
	target := h2server(t, func(p *peer) {
		for id := p.next(); id != 0; id = p.next() {
			_ = p.fr.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: []byte{0x88}, EndHeaders: true})
			window := streamWindow
			for range 3 * streamWindow / len(chunk) {
				for window < len(chunk) {
					_ = p.bw.Flush()
					f, err := p.fr.ReadFrame()
					if err != nil {
						return
					}
					if w, ok := f.(*http2.WindowUpdateFrame); ok && w.StreamID == id {
						window += int(w.Increment)
					}
				}
				window -= len(chunk)
				_ = p.fr.WriteData(id, false, chunk)
			}
			_ = p.fr.WriteData(id, true, nil)
		}
	})
	got, err := RequestLimit(t.Context(), target, 2, 2)
	if err != nil || got.ProbedRequests != 2 {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestAnEndedContextClosesTheConnection(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	closed := make(chan struct{})
	target := h2server(t, func(p *peer) {
		p.next() // and never answer
		cancel()
		for p.next() != 0 {
		}
		close(closed)
	})
	_, err := RequestLimit(ctx, target, 10, 1)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want the context's", err)
	}
	select {
	case <-closed:
	case <-time.After(2 * time.Second):
		t.Error("the connection is still open")
	}
}

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
		_ = c.NetConn().(*memoryConn).CloseWrite()
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
