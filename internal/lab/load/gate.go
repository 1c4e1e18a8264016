package load

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"h2lab/internal/base/loopback"
)

// gate is where the VUs of a k6 script wait for each other and for the
// conductor: POST /warm and POST /done are answered when all may go on, and
// POST /tally takes each VU's account. Web pages are refused (loopback.Only):
// one of them could otherwise arrive in a VU's place.
type gate struct {
	url              string
	warm, done, told *barrier
	server           *http.Server

	mu  sync.Mutex
	got []tally
}

// openGate listens on a free loopback port for n VUs.
func openGate(n int) (*gate, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("a gate for its VUs: %w", err)
	}
	g := &gate{
		url:  "http://" + ln.Addr().String(),
		warm: newBarrier("to the gate after the warm-up", n),
		done: newBarrier("to the gate after the window", n),
		told: newBarrier("to the gate with their tallies", n),
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /warm", g.warm.serve)
	mux.HandleFunc("POST /done", g.done.serve)
	mux.HandleFunc("POST /tally", g.take)
	g.server = &http.Server{Handler: loopback.Only(mux), ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = g.server.Serve(ln) }() // ErrServerClosed, by close
	return g, nil
}

// close turns away who still waits.
func (g *gate) close() { _ = g.server.Close() }

// tallies are what the VUs have delivered.
func (g *gate) tallies() []tally {
	g.mu.Lock()
	defer g.mu.Unlock()
	return append([]tally(nil), g.got...)
}

// take stores one VU's tally. Whether it adds up is asked later, where the
// answer reaches the user.
func (g *gate) take(w http.ResponseWriter, r *http.Request) {
	var t tally
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 8<<20)).Decode(&t); err != nil {
		http.Error(w, "no tally: "+err.Error(), http.StatusBadRequest)
		return
	}
	if err := g.told.arrive(r.URL.Query().Get("vu"), func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.got = append(g.got, t)
	}); err != nil {
		http.Error(w, err.Error(), http.StatusConflict)
	}
}

// barrier counts VUs in and lets none through before it is opened.
type barrier struct {
	what string
	need int
	full chan struct{} // closed when all have come
	free chan struct{} // closed when they may pass

	mu   sync.Mutex
	come map[string]bool
}

func newBarrier(what string, n int) *barrier {
	return &barrier{what: what, need: n, full: make(chan struct{}), free: make(chan struct{}), come: map[string]bool{}}
}

var errTwice = errors.New("this VU has been here already")

// arrive notes a VU, once, and then calls do before anyone may see that all have come.
func (b *barrier) arrive(vu string, do func()) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if vu == "" || b.come[vu] {
		return fmt.Errorf("vu %q: %w", vu, errTwice)
	}
	if len(b.come) == b.need {
		return fmt.Errorf("vu %q: all %d have come already", vu, b.need)
	}
	b.come[vu] = true
	do()
	if len(b.come) == b.need {
		close(b.full)
	}
	return nil
}

// open lets everyone pass; it is called once.
func (b *barrier) open() { close(b.free) }

// progress says who is missing.
func (b *barrier) progress() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return fmt.Sprintf("the way of all %d VUs %s (%d have come)", b.need, b.what, len(b.come))
}

func (b *barrier) serve(w http.ResponseWriter, r *http.Request) {
	if err := b.arrive(r.URL.Query().Get("vu"), func() {}); err != nil {
		http.Error(w, err.Error(), http.StatusConflict)
		return
	}
	select {
	case <-b.free:
		_, _ = w.Write([]byte("go\n"))
	case <-r.Context().Done():
	}
}
