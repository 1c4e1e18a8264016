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

// timingsRead is the merged histogram with the ledger's field names.
type timingsRead struct {
	count        int64
	sum          time.Duration
	p50MS, p99MS float64
}

func (t *timings) read() timingsRead {
	all := hdrhistogram.New(shortestUS, longestUS, digits)
	var r timingsRead
	for i := range t.shards {
		s := &t.shards[i]
		s.Lock()
		all.Merge(s.h)
		r.sum += s.sum
		s.Unlock()
	}
	r.count = all.TotalCount()
	r.p50MS = float64(all.ValueAtPercentile(50)) / 1000
	r.p99MS = float64(all.ValueAtPercentile(99)) / 1000
	return r
}
