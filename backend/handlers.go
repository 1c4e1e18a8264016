package main

import (
	"context"
	"encoding/json"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"
)

// handlers are the handlers of the front.
type handlers struct {
	ledger *ledger
	bodies *bodies
}

// newFront makes the front's handler. It counts every request, whatever its result, with the
// connection that carried it.
func newFront(l *ledger) http.Handler {
	h := &handlers{l, newBodies(maxBodiesBytes)}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /delay", h.delay)
	mux.HandleFunc("GET /check", h.check)
	mux.HandleFunc("/echo", h.echo)
	mux.HandleFunc("POST /post/{ms}/{items}", h.post)
	mux.HandleFunc("GET /healthz", healthz)
	calls := newRPC(l, h.bodies)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		l.arrived(r)
		defer l.left()
		if isGRPC(r) {
			calls.serve(w, r)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

func healthz(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok\n") }

// delay answers an empty 200 after ms.
func (h *handlers) delay(w http.ResponseWriter, r *http.Request) {
	wait, no := delayOf(r.URL.RawQuery)
	h.work(w, r, task{wait: wait, refused: no, answer: func(http.Header, []byte) []byte { return nil }})
}

// check answers "ok" after ms.
func (h *handlers) check(w http.ResponseWriter, r *http.Request) {
	wait, no := delayOf(r.URL.RawQuery)
	h.work(w, r, task{wait: wait, refused: no, contentType: "text/plain; charset=utf-8",
		answer: func(http.Header, []byte) []byte { return okay }})
}

// echo sends the body back after ms, for any method.
func (h *handlers) echo(w http.ResponseWriter, r *http.Request) {
	wait, no := delayOf(r.URL.RawQuery)
	h.work(w, r, task{wait: wait, refused: no, contentType: "application/octet-stream",
		answer: func(_ http.Header, body []byte) []byte { return body }})
}

// post accepts any JSON value and answers, after ms, with an object of that many random fields. The
// header textLengthHeader has the length of the text that it received.
func (h *handlers) post(w http.ResponseWriter, r *http.Request) {
	wait, no := milliseconds(r.PathValue("ms"))
	items := 0
	if no == nil {
		items, no = number("items", r.PathValue("items"), maxItems)
	}
	h.work(w, r, task{wait: wait, refused: no, contentType: "application/json",
		check: wantJSON, answer: func(header http.Header, body []byte) []byte {
			header.Set(textLengthHeader, strconv.Itoa(textLength(body)))
			return randomFields(items)
		}})
}

// task is a request whose URL and headers were read.
type task struct {
	wait        time.Duration
	refused     *refusal // the URL was wrong
	check       func(body []byte) *refusal
	contentType string
	answer      func(header http.Header, body []byte) []byte // header is that of the answer
}

// work carries out a task and enters it in the ledger. A request counts as executed as soon as it
// is known to be complete and valid, before the delay: a client that disconnects during the delay
// has caused the effect without seeing an answer.
func (h *handlers) work(w http.ResponseWriter, r *http.Request, t task) {
	began := time.Now()
	if t.refused != nil {
		t.refused.send(w)
		return
	}
	id := r.Header.Get(requestIDHeader)
	if len(id) > maxIDBytes {
		refuse(http.StatusBadRequest, "%s has %d bytes, but at most %d are allowed", requestIDHeader, len(id),
			maxIDBytes).send(w)
		return
	}
	body, done, no := h.bodies.read(w, r)
	if no != nil {
		no.send(w)
		return
	}
	defer done()
	if t.check != nil {
		if no := t.check(body); no != nil {
			no.send(w)
			return
		}
	}
	h.ledger.execute(id)
	h.ledger.posting(r, id, body)
	if !sleep(r.Context(), t.wait) {
		return // the client has gone
	}
	out := t.answer(w.Header(), body)
	if t.contentType != "" {
		w.Header().Set("Content-Type", t.contentType)
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(out)))
	if _, err := w.Write(out); err == nil || r.Method == http.MethodHead {
		h.ledger.handled(time.Since(began))
	}
}

// send writes the refusal as one line of text.
func (no *refusal) send(w http.ResponseWriter) { http.Error(w, no.reason, no.status) }

// sleep waits for d or until the client has gone, and reports whether it waited for d.
func sleep(ctx context.Context, d time.Duration) bool {
	if d == 0 {
		return true
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// okay is the answer of /check.
var okay = []byte("ok")

func wantJSON(body []byte) *refusal {
	if json.Valid(body) {
		return nil
	}
	return refuse(http.StatusBadRequest, `the body is not JSON, e.g. {"name":"value"}`)
}

// randomFields writes {"f0":"<16 hex digits>",…} with n fields.
func randomFields(n int) []byte {
	out := make([]byte, 0, 2+n*26)
	out = append(out, '{')
	for i := range n {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, `"f`...)
		out = strconv.AppendInt(out, int64(i), 10)
		out = append(out, `":"`...)
		for bits, digit := rand.Uint64(), 0; digit < 16; digit++ {
			out = append(out, "0123456789abcdef"[bits&15])
			bits >>= 4
		}
		out = append(out, '"')
	}
	return append(out, '}')
}
