package counters

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"h2lab/internal/facts"
)

// longestHandledUS limits the times that are accepted: more than the backend's longest, 5 minutes.
const longestHandledUS = int64(time.Hour / time.Microsecond)

// Histogram is how many requests a backend has answered in which time since its start.
type Histogram struct {
	server string
	counts map[int64]int64 // by µs
}

// Handled reads how long the backend took for its requests so far, from a request's headers to its
// written answer (/timings.json). The backend enters a time just after it has written the answer,
// so read it when the other counters have settled.
func Handled(ctx context.Context, backend facts.Server) (Histogram, error) {
	f := newFetcher(backend, "/timings.json", new(own))
	defer f.Close()
	if err := f.get(ctx); err != nil {
		return Histogram{}, err
	}
	counts, err := readTimings(f.body.Bytes())
	if err != nil {
		return Histogram{}, f.unreadable(err)
	}
	return Histogram{backend.Name, counts}, nil
}

// readTimings rejects a document that the backend can't have written.
func readTimings(document []byte) (map[int64]int64, error) {
	var page struct {
		Unit   string    `json:"unit"`
		Counts [][]int64 `json:"counts"`
	}
	d := json.NewDecoder(bytes.NewReader(document))
	if err := d.Decode(&page); err != nil {
		return nil, fmt.Errorf("its times: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is more than the document of its times")
	}
	if page.Unit != "us" {
		return nil, fmt.Errorf(`the unit of its times is %q, not "us"`, page.Unit)
	}
	if page.Counts == nil {
		return nil, errors.New("its times have no counts")
	}
	counts, last, sum := make(map[int64]int64, len(page.Counts)), int64(-1), int64(0)
	for i, pair := range page.Counts {
		if len(pair) != 2 {
			return nil, fmt.Errorf("count %d has %d numbers, not a time and how many requests took it", i+1, len(pair))
		}
		us, n := pair[0], pair[1]
		if us <= last || us > longestHandledUS {
			return nil, fmt.Errorf("count %d: the time %d µs follows %d and must lie between it and an hour", i+1, us, last)
		}
		if sum += n; n < 1 || sum < 0 {
			return nil, fmt.Errorf("count %d: %d requests, or more than a counter can have", i+1, n)
		}
		counts[us], last = n, us
	}
	return counts, nil
}

// Since is the time of the requests that were answered after an earlier reading, in ms; its values
// are nil where there were none. It is an error if a count has fallen: then another process
// answers.
func (h Histogram) Since(earlier Histogram) (*facts.Latency, error) {
	for us, before := range earlier.counts {
		if now := h.counts[us]; now < before {
			return nil, fmt.Errorf("times of %s: %d requests took %d µs, fewer than the %d read before; it was "+
				"restarted; next: make down, then the same command again", h.server, now, us, before)
		}
	}
	all := hdrhistogram.New(1, longestHandledUS, 3)
	for us, now := range h.counts {
		if err := all.RecordValues(us, now-earlier.counts[us]); err != nil {
			return nil, fmt.Errorf("times of %s: %w", h.server, err)
		}
	}
	if all.TotalCount() == 0 {
		return &facts.Latency{}, nil
	}
	at := func(percentile float64) *float64 {
		return new(float64(all.ValueAtPercentile(percentile)) / 1000)
	}
	return &facts.Latency{P50: at(50), P90: at(90), P95: at(95), P99: at(99), P999: at(99.9), Max: at(100)}, nil
}
