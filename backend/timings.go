package main

import (
	"math/rand/v2"
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

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

// timingsRead is the merged histogram with the ledger's field names.
type timingsRead struct {
	count        int64
	sum          time.Duration
	p50MS, p99MS float64
}

func (t *timings) read() timingsRead {
	all, sum := t.merged()
	return timingsRead{count: all.TotalCount(), sum: sum, p50MS: float64(all.ValueAtPercentile(50)) / 1000,
		p99MS: float64(all.ValueAtPercentile(99)) / 1000}
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
