package main

import (
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

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
