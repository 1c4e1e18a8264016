package main

import (
	"crypto/tls"
	"encoding/json"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/http2"

	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
)

func TestTheLedgerCountsEveryRequestAndConnectionExactly(t *testing.T) {
	r := startBackend(t, time.Second)
	for _, h2 := range []bool{false, true} {
		c := r.client(h2)
		for n := range 7 {
			a := r.must(c, "POST", "/echo?ms=0", fmt.Sprintf("%v-%d", h2, n), "1")
			if a.status != 200 || a.body != "1" || (a.proto == 2) != h2 {
				t.Fatalf("h2 %v: %+v", h2, a)
			}
		}
	}
	r.must(r.client(true), "GET", "/healthz", "not-work", "")
	r.must(r.client(true), "GET", "/delay", "", "") // work without an id
	p := r.until("no request in flight", func(p page) bool { return p.OpenStreams == 0 })
	if p.Requests.H1 != 7 || p.Requests.H2 != 9 {
		t.Errorf("requests %+v, want 7 and 9", p.Requests)
	}
	if p.Executed != 14 || p.Distinct != 14 || p.Duplicates != 0 || p.IDsSaturated {
		t.Errorf("executed %d, distinct %d, duplicates %d, saturated %v, want 14, 14, 0, false", p.Executed, p.Distinct,
			p.Duplicates, p.IDsSaturated)
	}
	if p.Connections.New != 4 || p.Connections.Used != 4 {
		t.Errorf("connections %+v, want 4 new and 4 used", p.Connections)
	}
	if p.HandlingMS.P50 == nil || *p.HandlingMS.P50 <= 0 || *p.HandlingMS.P99 < *p.HandlingMS.P50 {
		t.Errorf("handling %+v", p.HandlingMS)
	}
}

func TestAConnectionWithoutARequestIsNewButNotUsed(t *testing.T) {
	r := startBackend(t, time.Second)
	bare, err := net.Dial("tcp", r.frontLn.Addr().String())
	labtest.Check(t, err)
	conns := []net.Conn{bare}
	for _, proto := range []string{"h2", "http/1.1"} {
		c, err := tls.Dial("tcp", r.frontLn.Addr().String(), &tls.Config{RootCAs: r.roots, NextProtos: []string{proto}})
		labtest.Check(t, err)
		if got := c.ConnectionState().NegotiatedProtocol; got != proto {
			t.Errorf("negotiated %q, want %q", got, proto)
		}
		conns = append(conns, c)
	}
	p := r.until("three connections", func(p page) bool { return p.Connections.New == 3 })
	if p.Connections.Used != 0 {
		t.Errorf("%d used, want none", p.Connections.Used)
	}
	for _, c := range conns {
		_ = c.Close()
	}
	p = r.until("three closed ones", func(p page) bool { return p.Connections.Closed == 3 })
	if p.Connections.Active != 0 || p.Connections.Idle != 0 || p.Connections.Used != 0 ||
		p.Requests.H1+p.Requests.H2 != 0 {
		t.Errorf("at the end %+v", p)
	}
}

func TestOpenConnectionsAreActiveOrIdle(t *testing.T) {
	for _, h2 := range []bool{false, true} {
		r := startBackend(t, time.Second)
		c := r.client(h2)
		answered := make(chan reply, 1)
		go func() {
			a, _ := r.send(c, "GET", "/delay?ms=400", "", nil)
			answered <- a
		}()
		r.until("one active", func(p page) bool { return p.Connections.Active == 1 && p.OpenStreams == 1 })
		if a := <-answered; a.status != 200 {
			t.Errorf("h2 %v: %+v", h2, a)
		}
		r.until("one idle", func(p page) bool {
			return p.Connections.Idle == 1 && p.Connections.Active == 0 && p.OpenStreams == 0
		})
	}
}

func TestAnIDThatComesAgainIsADuplicateUntilItIsForgotten(t *testing.T) {
	r := startBackend(t, time.Second)
	c := r.client(true)
	for range 3 {
		r.must(c, "POST", "/post/0/1", "same", `{}`)
	}
	if p := r.page(); p.Executed != 3 || p.Distinct != 1 || p.Duplicates != 2 {
		t.Errorf("executed %d, distinct %d, duplicates %d, want 3, 1, 2", p.Executed, p.Distinct, p.Duplicates)
	}
	if got := string(r.counter("POST", "/ids/forget")); got != "{\"forgotten\":1}\n" {
		t.Errorf("forget answered %q", got)
	}
	r.must(c, "POST", "/post/0/1", "same", `{}`)
	if p := r.page(); p.Executed != 4 || p.Distinct != 2 || p.Duplicates != 2 {
		t.Errorf("after forgetting: executed %d, distinct %d, duplicates %d, want 4, 2, 2", p.Executed, p.Distinct,
			p.Duplicates)
	}
}

func TestReadingTheCountersDoesNotMoveThem(t *testing.T) {
	r := startBackend(t, time.Second)
	before := r.page()
	r.counter("GET", "/metrics")
	r.counter("GET", "/healthz")
	if after := r.page(); after != before {
		t.Errorf("before %+v, after %+v", before, after)
	}
}

func TestOneConnectionCarriesMoreThanAThousandRequests(t *testing.T) {
	r := startBackend(t, time.Second)
	c := r.client(true)
	r.must(c, "GET", "/healthz", "", "")
	var all sync.WaitGroup
	for worker := range 30 {
		all.Go(func() {
			for n := range 50 {
				if a, err := r.send(c, "POST", "/echo", fmt.Sprintf("%d-%d", worker, n),
					strings.NewReader("1")); err != nil || a.status != 200 {
					t.Errorf("%+v, %v", a, err)
				}
			}
		})
	}
	all.Wait()
	p := r.page()
	if p.Connections.New != 1 || p.Connections.Used != 1 || p.Requests.H2 != 1501 || p.Executed != 1500 ||
		p.Distinct != 1500 {
		t.Errorf("%+v, want 1501 requests and 1500 ids on one connection", p)
	}
}

func TestTheServerOffersAsManyStreamsAsTheLabSays(t *testing.T) {
	r := startBackend(t, time.Second)
	c, err := tls.Dial("tcp", r.frontLn.Addr().String(), &tls.Config{RootCAs: r.roots, NextProtos: []string{"h2"}})
	labtest.Check(t, err)
	defer c.Close()
	if _, err := c.Write([]byte(http2.ClientPreface)); err != nil {
		t.Fatal(err)
	}
	framer := http2.NewFramer(c, c)
	labtest.Check(t, framer.WriteSettings())
	f, err := framer.ReadFrame()
	labtest.Check(t, err)
	settings, ok := f.(*http2.SettingsFrame)
	if !ok {
		t.Fatalf("the first frame is %v, want SETTINGS", f)
	}
	if most, ok := settings.Value(http2.SettingMaxConcurrentStreams); !ok || most != facts.MaxConcurrentStreams {
		t.Errorf("SETTINGS_MAX_CONCURRENT_STREAMS %d (%v), want %d", most, ok, facts.MaxConcurrentStreams)
	}
}

func TestAFullSetKnowsWhatItHoldsAndSaysThatItIsFull(t *testing.T) {
	s := newIDSet(3)
	for _, id := range []string{"a", "b", "c"} {
		if got := s.add(id); got != idFirst {
			t.Errorf("%s: %v, want first", id, got)
		}
	}
	if s.saturated.Load() {
		t.Error("saturated before anything was lost")
	}
	if got := s.add("d"); got != idUnknown || !s.saturated.Load() {
		t.Errorf("a fourth of three: %v, saturated %v", got, s.saturated.Load())
	}
	if got := s.add("b"); got != idAgain {
		t.Errorf("one that is held: %v, want again", got)
	}
	if n := s.forget(); n != 3 || s.saturated.Load() {
		t.Errorf("forgot %d, saturated %v, want 3 and false", n, s.saturated.Load())
	}
	if got := s.add("d"); got != idFirst {
		t.Errorf("after forgetting: %v, want first", got)
	}
}

func TestASaturatedLedgerJudgesNoIDItDoesNotKnow(t *testing.T) {
	l := newLedger()
	l.ids = newIDSet(2)
	for _, id := range []string{"a", "b", "c", "a", "c"} {
		l.execute(id)
	}
	if p := l.read(); p.Executed != 5 || p.Distinct != 2 || p.Duplicates != 1 || !p.IDsSaturated {
		t.Errorf("executed %d, distinct %d, duplicates %d, saturated %v, want 5, 2, 1, true", p.Executed, p.Distinct,
			p.Duplicates, p.IDsSaturated)
	}
}

func TestIDsThatComeAtTheSameTimeAreFirstOnce(t *testing.T) {
	s := newIDSet(maxIDs)
	var first atomic.Int64
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for n := range 2000 {
				if s.add(strconv.Itoa(n)) == idFirst {
					first.Add(1)
				}
			}
		})
	}
	all.Wait()
	if first.Load() != 2000 || s.held.Load() != 2000 {
		t.Errorf("%d first and %d held, want 2000 each", first.Load(), s.held.Load())
	}
}

func TestTheNameOfAMetricStandsForTheLedgersNumber(t *testing.T) {
	r := startBackend(t, 1)
	c := r.client(true)
	r.must(c, "POST", "/echo", "x", "1")
	r.must(c, "POST", "/echo", "x", "1")
	r.must(r.client(false), "GET", "/healthz", "", "")
	text := string(r.counter("GET", "/metrics"))
	for _, want := range []string{
		`h2lab_backend_connections_total{event="new"} 2`,
		`h2lab_backend_connections_total{event="used"} 2`,
		`h2lab_backend_requests_total{protocol="h1"} 1`,
		`h2lab_backend_requests_total{protocol="h2"} 2`,
		`h2lab_backend_executed_total 2`,
		`h2lab_backend_request_ids_total{kind="distinct"} 1`,
		`h2lab_backend_request_ids_total{kind="duplicate"} 1`,
		`h2lab_backend_request_ids_saturated 0`,
		`h2lab_backend_handling_seconds_count 2`,
		`h2lab_backend_open_streams 0`,
	} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("no line %q in:\n%s", want, text)
		}
	}
}

// timingsOf reads /timings.json.
func (r *running) timingsOf() (p timingsPage) {
	r.t.Helper()
	if err := json.Unmarshal(r.counter("GET", "/timings.json"), &p); err != nil {
		r.t.Fatal(err)
	}
	return p
}

// total is how many requests a page counts.
func (p timingsPage) total() (n int64) {
	for _, pair := range p.Counts {
		n += pair[1]
	}
	return n
}

func TestTimingsCountEveryAnswerAndNothingElse(t *testing.T) {
	r := startBackend(t, time.Second)
	if got := string(r.counter("GET", "/timings.json")); got != `{"unit":"us","counts":[]}`+"\n" {
		t.Errorf("before the first request: %s", got)
	}
	c := r.client(true)
	for range 3 {
		r.must(c, "GET", "/check?ms=20", "", "")
	}
	r.must(c, "POST", "/echo", "an-id", "1")
	r.must(c, "GET", "/healthz", "", "")
	r.must(c, "GET", "/check?ms=x", "", "")
	r.until("the last answer's time", func(page) bool { return r.timingsOf().total() >= 4 })
	p := r.timingsOf()
	slow := int64(0)
	for _, pair := range p.Counts {
		if pair[0] >= 20_000 {
			slow += pair[1]
		}
	}
	if p.Unit != "us" || p.total() != 4 || slow < 3 {
		t.Errorf("%+v: want four times, three of 20 ms or more", p)
	}
	r.counter("GET", "/timings.json")
	if again := r.timingsOf(); again.total() != 4 {
		t.Errorf("reading the times changed them: %+v", again)
	}
}

func TestTimingsAreCumulativeAscendingAndBounded(t *testing.T) {
	times := newTimings()
	const each = 2
	n := int64(0)
	for us := int64(1); us <= longestUS; us = max(us+1, us*10_003/10_000) {
		for range each {
			times.record(time.Duration(us) * time.Microsecond)
			n++
		}
	}
	times.record(time.Hour) // as the longest time
	times.record(-time.Second)
	n += 2
	p := times.page()
	if p.total() != n {
		t.Errorf("%d times of %d", p.total(), n)
	}
	if !slices.IsSortedFunc(p.Counts, func(a, b [2]int64) int { return int(a[0] - b[0]) }) {
		t.Error("the times don't ascend")
	}
	if last := p.Counts[len(p.Counts)-1][0]; float64(last) < float64(longestUS) || float64(last) > 1.001*float64(longestUS) {
		t.Errorf("the longest time is %d µs, want that of the histogram, %d", last, longestUS)
	}
	// The lab reads at most a mebibyte. A count of a day at full speed has ten digits.
	for i := range p.Counts {
		p.Counts[i][1] = 9_999_999_999
	}
	if b, err := json.Marshal(p); err != nil || len(b) > 1<<20 || len(p.Counts) < 15_000 {
		t.Errorf("%d counts in %d bytes (%v), want the whole histogram in a mebibyte", len(p.Counts), len(b), err)
	}
}
