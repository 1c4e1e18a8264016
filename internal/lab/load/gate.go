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

// gate synchronizes the VUs of a k6 script with each other and with the conductor: it answers POST
// /warm and POST /done when all may continue, and POST /tally receives each VU's tally. It refuses
// web pages (loopback.Only): one of them could otherwise count as a VU.
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
		warm: newBarrier("at the gate after the warm-up", n),
		done: newBarrier("at the gate after the window", n),
		told: newBarrier("at the gate with their tallies", n),
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /warm", g.warm.serve)
	mux.HandleFunc("POST /done", g.done.serve)
	mux.HandleFunc("POST /tally", g.take)
	g.server = &http.Server{Handler: loopback.Only(mux), ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = g.server.Serve(ln) }() // returns ErrServerClosed after close
	return g, nil
}

// close ends the requests that still wait.
func (g *gate) close() { _ = g.server.Close() }

// tallies are the tallies received from the VUs.
func (g *gate) tallies() []tally {
	g.mu.Lock()
	defer g.mu.Unlock()
	return append([]tally(nil), g.got...)
}

// take stores one VU's tally. Its consistency is checked later, where an error can reach the user.
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

// barrier counts arriving VUs and blocks them until it is opened.
type barrier struct {
	what string
	need int
	full chan struct{} // closed when all have arrived
	free chan struct{} // closed when they may continue

	mu   sync.Mutex
	come map[string]bool
}

func newBarrier(what string, n int) *barrier {
	return &barrier{what: what, need: n, full: make(chan struct{}), free: make(chan struct{}), come: map[string]bool{}}
}

var errTwice = errors.New("this VU has already arrived")

// arrive records a VU, once, and calls do before full can be closed.
func (b *barrier) arrive(vu string, do func()) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if vu == "" || b.come[vu] {
		return fmt.Errorf("vu %q: %w", vu, errTwice)
	}
	if len(b.come) == b.need {
		return fmt.Errorf("vu %q: all %d have already arrived", vu, b.need)
	}
	b.come[vu] = true
	do()
	if len(b.come) == b.need {
		close(b.full)
	}
	return nil
}

// open lets all VUs continue; it is called once.
func (b *barrier) open() { close(b.free) }

// progress says which VUs are missing.
func (b *barrier) progress() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return fmt.Sprintf("the arrival of all %d VUs %s (%d have arrived)", b.need, b.what, len(b.come))
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
