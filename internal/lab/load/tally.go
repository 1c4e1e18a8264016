package load

import (
	"fmt"
	"math"
	"strings"

	"github.com/HdrHistogram/hdrhistogram-go"

	"h2lab/internal/facts"
)

// tally is one VU's report, as k6/lib/tally.js makes it.
type tally struct {
	Attempts       *int64     `json:"attempts"`
	Succeeded      *int64     `json:"succeeded"`
	Failed         *int64     `json:"failed"`
	WarmupRequests *int64     `json:"warmup_requests"`
	ClientReported *int64     `json:"client_reported"`
	BeganMS        *float64   `json:"began_ms"`
	EndedMS        *float64   `json:"ended_ms"`
	MaxMS          float64    `json:"max_ms"`
	TLS            string     `json:"tls"` // "tls1.3"
	LatencyUS      [][2]int64 `json:"latency_us"`
	Failures       []failure  `json:"failures"`
}

// longest is the largest latency of the histogram, in µs; a request may take at most twelve
// seconds.
const longest = 60_000_000

// mergeTallies makes one answer of all VUs' tallies: sums, and the time from the first VU's release
// to the last VU's last answer.
func mergeTallies(all []tally, p facts.Protocol) (Answer, error) {
	var a Answer
	var failures []failure
	var reported int64
	h := hdrhistogram.New(1, longest, 3)
	began, ended, most := math.Inf(1), math.Inf(-1), 0.0
	for i, t := range all {
		for _, n := range []*int64{t.Attempts, t.Succeeded, t.Failed, t.WarmupRequests, t.ClientReported} {
			if n == nil || *n < 0 {
				return Answer{}, fmt.Errorf("the tally of its VU %d of %d lacks a number or has a negative one: %+v",
					i+1, len(all), t)
			}
		}
		if t.BeganMS == nil || t.EndedMS == nil {
			return Answer{}, fmt.Errorf("the tally of its VU %d of %d has no time", i+1, len(all))
		}
		a.Attempts += *t.Attempts
		a.Succeeded += *t.Succeeded
		a.Failed += *t.Failed
		a.WarmupRequests += *t.WarmupRequests
		reported += *t.ClientReported
		began, ended, most = min(began, *t.BeganMS), max(ended, *t.EndedMS), max(most, t.MaxMS)
		for _, bucket := range t.LatencyUS {
			if err := h.RecordValues(min(max(bucket[0], 0), longest), bucket[1]); err != nil {
				return Answer{}, fmt.Errorf("its latencies: %w", err)
			}
		}
		failures = append(failures, t.Failures...)
		if t.TLS != "" {
			a.TLS.Version = strings.TrimPrefix(t.TLS, "tls")
		}
	}
	if h.TotalCount() != a.Succeeded {
		return Answer{}, fmt.Errorf("its tallies have %d latencies for %d successes", h.TotalCount(), a.Succeeded)
	}
	a.ElapsedS = (ended - began) / 1000
	a.ClientReported = &reported
	a.Latency = percentiles(h, most)
	a.Errors = groupErrors(failures, p)
	return a, a.verify(failures)
}

// percentiles are in ms; most is the exact maximum.
func percentiles(h *hdrhistogram.Histogram, most float64) facts.Latency {
	if h.TotalCount() == 0 {
		return facts.Latency{}
	}
	at := func(q float64) *float64 {
		ms := min(float64(h.ValueAtQuantile(q))/1000, most) // a bucket may end above the maximum
		return &ms
	}
	return facts.Latency{P50: at(50), P90: at(90), P95: at(95), P99: at(99), P999: at(99.9), Max: &most}
}
