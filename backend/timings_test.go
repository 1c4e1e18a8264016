package main

import (
	"encoding/json"
	"slices"
	"testing"
	"time"
)

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

// The two documents show one histogram.
func TestTimingsAgreeWithTheLedger(t *testing.T) {
	times := newTimings()
	for ms := range 100 {
		times.record(time.Duration(ms) * time.Millisecond)
	}
	var at int64
	want := times.read()
	for _, pair := range times.page().Counts {
		if at += pair[1]; at >= 50 {
			if float64(pair[0])/1000 != want.p50MS {
				t.Errorf("the median is %d µs, in the ledger %v ms", pair[0], want.p50MS)
			}
			return
		}
	}
	t.Errorf("only %d times", at)
}
