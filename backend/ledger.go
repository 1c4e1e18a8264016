package main

import (
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// requestIDHeader carries the id that a client of the lab gives every request. Only requests that
// carry it are counted as executed.
const requestIDHeader = "X-Lab-Request-Id"

// ledger counts what happens on the front. Its counters only grow, so a reader may subtract two
// readings; active, idle and open are gauges.
type ledger struct {
	accepted, used, closed   atomic.Int64
	active, idle             atomic.Int64
	h1, h2, open             atomic.Int64
	executed, distinct, dups atomic.Int64
	posted                   atomic.Int64
	handshakeErrors          atomic.Int64
	ids                      *idSet
	handling                 *timings
}

func newLedger() *ledger {
	return &ledger{ids: newIDSet(maxIDs), handling: newTimings()}
}

// moved is the front's ConnState hook. http.StateNew comes before the TLS handshake, so it also
// counts connections that never send a byte. For HTTP/2, net/http reports active as soon as the
// handshake is over; "used" is therefore counted from the first request and not here.
func (l *ledger) moved(c net.Conn, to http.ConnState) {
	if to == http.StateNew {
		l.accepted.Add(1)
	}
	if to == http.StateClosed {
		l.closed.Add(1)
	}
	from := tracked(c).state.Swap(int32(to))
	l.gauge(http.ConnState(from), -1)
	l.gauge(to, 1)
}

func (l *ledger) gauge(s http.ConnState, by int64) {
	switch s {
	case http.StateActive:
		l.active.Add(by)
	case http.StateIdle:
		l.idle.Add(by)
	}
}

// arrived counts a request and the connection that carried it.
func (l *ledger) arrived(r *http.Request) {
	l.open.Add(1)
	if r.ProtoMajor == 2 {
		l.h2.Add(1)
	} else {
		l.h1.Add(1)
	}
	c := connOf(r.Context())
	// Load comes before Swap so that only a connection's first request writes.
	if !c.carried.Load() && !c.carried.Swap(true) {
		l.used.Add(1)
	}
}

// posting counts a request with an id that is a POST with a body, which a client can't always send again.
func (l *ledger) posting(r *http.Request, id string, body []byte) {
	if id != "" && r.Method == http.MethodPost && len(body) > 0 {
		l.posted.Add(1)
	}
}

// left ends the request that arrived counted.
func (l *ledger) left() { l.open.Add(-1) }

// execute enters the id of a request that is executed now: it is complete and valid, and is carried
// out whether or not the client still waits for the answer.
func (l *ledger) execute(id string) {
	if id == "" {
		return
	}
	l.executed.Add(1)
	switch l.ids.add(id) {
	case idFirst:
		l.distinct.Add(1)
	case idAgain:
		l.dups.Add(1)
	}
}

// handled records how long an answered request took.
func (l *ledger) handled(d time.Duration) { l.handling.record(d) }

// page is the document /ledger.json.
type page struct {
	Connections struct {
		New    int64 `json:"new"`
		Active int64 `json:"active"`
		Idle   int64 `json:"idle"`
		Closed int64 `json:"closed"`
		Used   int64 `json:"used"`
	} `json:"connections"`
	Requests struct {
		H1 int64 `json:"h1"`
		H2 int64 `json:"h2"`
	} `json:"requests"`
	Executed   int64 `json:"executed"`
	Distinct   int64 `json:"distinct"`
	Duplicates int64 `json:"duplicates"`
	// Posted is how many of the executed requests were POSTs with a body.
	Posted int64 `json:"posted"`
	// IDsSaturated is true when the id set was full: executed − distinct − duplicates requests were
	// then not classified.
	IDsSaturated bool `json:"ids_saturated"`
	// HandlingMS is null until a request was answered.
	HandlingMS struct {
		P50 *float64 `json:"p50"`
		P99 *float64 `json:"p99"`
	} `json:"handling_ms"`
	// OpenStreams is how many requests are being handled now, over either protocol.
	OpenStreams int64 `json:"open_streams"`
}

// read copies the ledger. It reads parts before the sums they belong to, so that a page read under
// load never shows more classified ids than executed requests.
func (l *ledger) read() page {
	var p page
	p.Distinct, p.Duplicates = l.distinct.Load(), l.dups.Load()
	p.Posted = l.posted.Load()
	p.Executed = l.executed.Load()
	p.IDsSaturated = l.ids.saturated.Load()
	p.Connections.Closed, p.Connections.Used = l.closed.Load(), l.used.Load()
	p.Connections.Active, p.Connections.Idle = l.active.Load(), l.idle.Load()
	p.Connections.New = l.accepted.Load()
	p.Requests.H1, p.Requests.H2 = l.h1.Load(), l.h2.Load()
	p.OpenStreams = l.open.Load()
	if t := l.handling.read(); t.count > 0 {
		p.HandlingMS.P50, p.HandlingMS.P99 = &t.p50MS, &t.p99MS
	}
	return p
}
