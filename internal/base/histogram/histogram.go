// Package histogram reads, merges and writes distributions of latencies: HdrHistograms of µs, V2,
// compressed, in base64, as other HdrHistogram libraries write them too (hdrhistogram.org).
//
// A percentile of several trials or machines comes from their merged histograms. The mean or the median
// of their percentiles is no percentile of all requests.
package histogram

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/HdrHistogram/hdrhistogram-go"
)

const (
	// longestUS is the largest latency: an hour. No client of the lab waits longer than two minutes.
	longestUS = 3_600_000_000
	// digits is the precision: three significant digits.
	digits = 3
	// mostSamples keeps sums far from an int64's end. A million requests a second for a year are fewer.
	mostSamples = 1_000_000_000_000_000
)

// Histogram counts latencies.
type Histogram struct{ counts *hdrhistogram.Histogram }

// New returns an empty histogram.
func New() *Histogram { return &Histogram{hdrhistogram.New(1, longestUS, digits)} }

// Add counts n latencies of us microseconds. A latency above an hour counts as an hour.
func (h *Histogram) Add(us, n int64) error {
	if us < 0 || n < 0 || n > mostSamples-h.Samples() {
		return fmt.Errorf("%d latencies of %d µs: neither number may be negative, and a histogram holds at most %d",
			n, us, int64(mostSamples))
	}
	return h.counts.RecordValues(min(us, longestUS), n)
}

// Merge adds the samples of other histograms.
func (h *Histogram) Merge(others ...*Histogram) error {
	for _, o := range others {
		if o.Samples() > mostSamples-h.Samples() {
			return fmt.Errorf("histograms with more than %d samples together can't be merged", int64(mostSamples))
		}
		if lost := h.counts.Merge(o.counts); lost > 0 {
			return fmt.Errorf("%d samples don't fit into the merged histogram", lost)
		}
	}
	return nil
}

// Samples is how many latencies were counted.
func (h *Histogram) Samples() int64 { return h.counts.TotalCount() }

// Covers reports whether a percentile lies within the samples: at least one of them is above it.
// p99.99 of 5,000 requests would be their maximum.
func (h *Histogram) Covers(percentile float64) bool {
	const rounding = 1e-6 // 100 − 99.99 isn't 0.01
	return h.Samples() > 0 && float64(h.Samples())*(100-percentile)/100 >= 1-rounding
}

// AtMS is a percentile in ms; nil where the samples don't cover it.
func (h *Histogram) AtMS(percentile float64) *float64 {
	if !h.Covers(percentile) || percentile < 0 {
		return nil
	}
	return new(float64(h.counts.ValueAtPercentile(percentile)) / 1000)
}

// MaxMS is the largest latency in ms, within the histogram's precision; nil without samples.
func (h *Histogram) MaxMS() *float64 {
	if h.Samples() == 0 {
		return nil
	}
	return new(float64(h.counts.Max()) / 1000)
}

// Text writes the histogram.
func (h *Histogram) Text() (string, error) {
	text, err := h.counts.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	return string(text), err
}

// Read reads what Text wrote. It rejects a histogram that is much larger than the lab's own, so that a file
// from elsewhere can't make it use much memory.
func Read(text string) (*Histogram, error) {
	if err := known(text); err != nil {
		return nil, fmt.Errorf("the histogram can't be read: %w", err)
	}
	counts, err := hdrhistogram.Decode([]byte(text))
	if err != nil {
		return nil, fmt.Errorf("the histogram can't be read: %w", err)
	}
	if counts.TotalCount() > mostSamples {
		return nil, fmt.Errorf("the histogram can't be read: it has %d samples, more than %d", counts.TotalCount(),
			int64(mostSamples))
	}
	return &Histogram{counts}, nil
}

// known rejects what the lab doesn't write: hdrhistogram-go allocates as many counts as a histogram's header
// asks for, up to 50 MB.
func known(text string) error {
	head, err := header(text)
	switch {
	case err != nil:
		return err
	case head.Digits < 1 || head.Digits > digits:
		return fmt.Errorf("it has %d significant digits; 1 to %d are known", head.Digits, digits)
	case head.Lowest < 0 || head.Highest < 2 || head.Highest > longestUS:
		return fmt.Errorf("it counts latencies from %d to %d µs; the largest known is %d", head.Lowest, head.Highest,
			int64(longestUS))
	case math.Float64bits(head.Ratio) != math.Float64bits(1):
		return errors.New("its numbers are no microseconds: the conversion ratio isn't 1")
	}
	return nil
}

// longestText is more than a histogram of New can take: 24,576 counts of at most nine bytes, in base64.
const longestText = 1 << 19

// prefix is the cookie and the length of what follows, which is compressed.
const prefix = 8

// head is the beginning of the uncompressed histogram, as the V2 encoding orders it
// (AbstractHistogram.encodeIntoByteBuffer in HdrHistogram's Java implementation).
type head struct {
	Cookie, Length, Offset, Digits int32
	Lowest, Highest                int64
	Ratio                          float64
}

// header reads the head alone.
func header(text string) (out head, err error) {
	if len(text) > longestText {
		return out, fmt.Errorf("it has %d characters, more than %d", len(text), longestText)
	}
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return out, err
	}
	if len(data) < prefix {
		return out, errors.New("it is too short")
	}
	z, err := zlib.NewReader(bytes.NewReader(data[prefix:]))
	if err != nil {
		return out, err
	}
	var raw [40]byte
	if _, err := io.ReadFull(z, raw[:]); err != nil {
		return out, err
	}
	_, err = binary.Decode(raw[:], binary.BigEndian, &out)
	return out, err
}
