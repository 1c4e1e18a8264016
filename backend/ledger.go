package main

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
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
	if all, _ := l.handling.merged(); all.TotalCount() > 0 {
		p.HandlingMS.P50 = new(float64(all.ValueAtPercentile(50)) / 1000)
		p.HandlingMS.P99 = new(float64(all.ValueAtPercentile(99)) / 1000)
	}
	return p
}

// maxConnections limits the memory for connections. A stampede holds as many at once as there are
// requests in flight, which is far fewer. Beyond the limit, new connections wait in the kernel's
// accept queue and are not refused.
const maxConnections = 8192

// trackedConn is a TCP connection with the ledger's state of it. It is below the TLS connection,
// where every hook of net/http can find it without a map.
type trackedConn struct {
	net.Conn
	state   atomic.Int32 // the last http.ConnState
	carried atomic.Bool  // it carried a request
}

// trackingListener makes a trackedConn of each connection.
type trackingListener struct{ net.Listener }

func (l trackingListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	t := &trackedConn{Conn: c}
	t.state.Store(int32(http.StateNew))
	return t, nil
}

// tracked returns the trackedConn below a connection of the front.
func tracked(c net.Conn) *trackedConn { return c.(*tls.Conn).NetConn().(*trackedConn) }

type connKey struct{}

// keepConn is the front's ConnContext hook: requests of both protocols derive their contexts from
// the one it returns.
func keepConn(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, tracked(c))
}

func connOf(ctx context.Context) *trackedConn { return ctx.Value(connKey{}).(*trackedConn) }

const (
	// maxIDs is how many ids are stored at once: more than a minute of the fastest load measured
	// here (15,000 requests/s), in some 40 MiB at most.
	maxIDs = 1 << 20
	// maxIDBytes limits the length of one id; the lab's own ids have some 40 bytes.
	maxIDBytes = 256
	idShards   = 64
)

// idKey is the first half of an id's SHA-256, so that every id takes the same memory. Two of 2^20
// ids collide with a probability of one in 2^89, so the counts are exact.
type idKey [16]byte

// idAnswer is what add returns about an id.
type idAnswer int

const (
	idFirst   idAnswer = iota // new
	idAgain                   // already stored
	idUnknown                 // the set is full and doesn't contain it
)

// idSet stores which request ids were executed since it was last emptied.
type idSet struct {
	capacity  int64
	held      atomic.Int64
	saturated atomic.Bool
	shards    [idShards]struct {
		sync.Mutex
		seen map[idKey]struct{}
		_    [48]byte // a cache line of its own
	}
}

func newIDSet(capacity int64) *idSet {
	s := &idSet{capacity: capacity}
	for i := range s.shards {
		s.shards[i].seen = make(map[idKey]struct{})
	}
	return s
}

// add stores an id and returns whether it was stored before. A full set still recognises the ids
// that it contains; for others add returns idUnknown and marks the set as saturated.
func (s *idSet) add(id string) idAnswer {
	sum := sha256.Sum256([]byte(id))
	key := idKey(sum[:16])
	shard := &s.shards[key[0]%idShards]
	shard.Lock()
	defer shard.Unlock()
	if _, ok := shard.seen[key]; ok {
		return idAgain
	}
	if s.held.Add(1) > s.capacity {
		s.held.Add(-1)
		s.saturated.Store(true)
		return idUnknown
	}
	shard.seen[key] = struct{}{}
	return idFirst
}

// forget empties the set atomically and returns how many ids it contained.
func (s *idSet) forget() int64 {
	for i := range s.shards {
		s.shards[i].Lock()
		defer s.shards[i].Unlock()
	}
	for i := range s.shards {
		clear(s.shards[i].seen)
	}
	s.saturated.Store(false)
	return s.held.Swap(0)
}

// timingShards reduces contention between requests that end at the same time; each lock is held for
// one increment.
const timingShards = 8

// The histogram's range: from a microsecond to more than the longest delay plus the write time-out,
// with three significant digits.
const (
	shortestUS = 1
	longestUS  = int64(5 * time.Minute / time.Microsecond)
	digits     = 3
)

// timings is a histogram of handling times since the start.
type timings struct {
	shards [timingShards]struct {
		sync.Mutex
		h   *hdrhistogram.Histogram
		sum time.Duration
		_   [32]byte // a cache line of its own
	}
}

func newTimings() *timings {
	t := new(timings)
	for i := range t.shards {
		t.shards[i].h = hdrhistogram.New(shortestUS, longestUS, digits)
	}
	return t
}

func (t *timings) record(d time.Duration) {
	us := min(max(d.Microseconds(), shortestUS), longestUS)
	s := &t.shards[rand.Uint32()%timingShards]
	s.Lock()
	defer s.Unlock()
	s.sum += d
	_ = s.h.RecordValue(us) // us is in the histogram's range
}

// merged is one histogram of all shards, with the sum of the times.
func (t *timings) merged() (all *hdrhistogram.Histogram, sum time.Duration) {
	all = hdrhistogram.New(shortestUS, longestUS, digits)
	for i := range t.shards {
		s := &t.shards[i]
		s.Lock()
		all.Merge(s.h)
		sum += s.sum
		s.Unlock()
	}
	return all, sum
}

// timingsPage is the document /timings.json: how many requests took how long, since the start. A
// reader subtracts two readings to learn about the time in between.
type timingsPage struct {
	Unit string `json:"unit"`
	// Counts are pairs of a time and how many requests took it, in ascending order. The histogram has
	// three significant digits; a time is the highest of its bucket.
	Counts [][2]int64 `json:"counts"`
}

func (t *timings) page() timingsPage {
	p := timingsPage{Unit: "us", Counts: [][2]int64{}}
	all, _ := t.merged()
	for _, bar := range all.Distribution() {
		if bar.Count > 0 {
			p.Counts = append(p.Counts, [2]int64{bar.To, bar.Count})
		}
	}
	return p
}

// newCounters makes the handler of the loopback-only listener.
func newCounters(l *ledger) http.Handler {
	registry := prometheus.NewRegistry()
	registry.MustRegister(exporter{l})
	mux := http.NewServeMux()
	mux.HandleFunc("GET /ledger.json", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, l.read())
	})
	mux.HandleFunc("GET /timings.json", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, l.handling.page())
	})
	mux.HandleFunc("POST /ids/forget", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, map[string]int64{"forgotten": l.ids.forget()})
	})
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /healthz", healthz)
	return mux
}

func writeJSON(w http.ResponseWriter, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		http.Error(w, fmt.Sprintf("could not write the counters: %v", err), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(append(b, '\n'))
}

// exporter exports the ledger to Prometheus under the ledger's names; it stores no numbers.
type exporter struct{ ledger *ledger }

// Describe implements prometheus.Collector.
func (e exporter) Describe(ch chan<- *prometheus.Desc) { prometheus.DescribeByCollect(e, ch) }

// Collect implements prometheus.Collector.
func (e exporter) Collect(ch chan<- prometheus.Metric) {
	p := e.ledger.read()
	desc := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc("h2lab_backend_"+name, help, labels, nil)
	}
	counter := func(d *prometheus.Desc, v int64, label ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(v), label...)
	}
	gauge := func(d *prometheus.Desc, v int64, label ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, float64(v), label...)
	}
	conns := desc("connections_total",
		"Connections of the front: new (accepted, before TLS), used (carried a request), closed.", "event")
	counter(conns, p.Connections.New, "new")
	counter(conns, p.Connections.Used, "used")
	counter(conns, p.Connections.Closed, "closed")
	open := desc("connections", "Connections of the front that are open now, by state.", "state")
	gauge(open, p.Connections.Active, "active")
	gauge(open, p.Connections.Idle, "idle")
	requests := desc("requests_total", "Requests on the front.", "protocol")
	counter(requests, p.Requests.H1, "h1")
	counter(requests, p.Requests.H2, "h2")
	counter(desc("executed_total", "Requests with an "+requestIDHeader+" that were executed."), p.Executed)
	ids := desc("request_ids_total", "Executed requests whose id was new (distinct) or had been seen (duplicate).", "kind")
	counter(ids, p.Distinct, "distinct")
	counter(ids, p.Duplicates, "duplicate")
	saturated := desc("request_ids_saturated", "1 when ids came that could not be remembered.")
	gauge(saturated, map[bool]int64{true: 1}[p.IDsSaturated])
	gauge(desc("open_streams", "Requests that are being handled now."), p.OpenStreams)
	counter(desc("handshake_errors_total",
		"Connections that ended before they could carry a request, as net/http logs them."), e.ledger.handshakeErrors.Load())
	all, sum := e.ledger.handling.merged()
	handling := desc("handling_seconds", "From a request's headers to its written answer, the delay it asked for included.")
	ch <- prometheus.MustNewConstSummary(handling, uint64(all.TotalCount()), sum.Seconds(), map[float64]float64{
		0.5: float64(all.ValueAtPercentile(50)) / 1e6, 0.99: float64(all.ValueAtPercentile(99)) / 1e6})
}
