package core

import (
	"errors"
	"fmt"
	"slices"

	"h2lab/internal/base/histogram"
	"h2lab/internal/facts"
	"h2lab/internal/judge/statistics"
)

// NoHistogram says why a cell's histograms can't be merged.
type NoHistogram struct {
	Trial int   // its index
	Err   error // nil where the trial has none
}

func (e NoHistogram) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("trial %d has no histogram", e.Trial)
	}
	return fmt.Sprintf("trial %d: %v", e.Trial, e.Err)
}

// Latencies merges the histograms of a cell's counted trials. Without a readable histogram of every
// trial there is none, and the error says which is missing: a merged histogram of some trials would look
// like one of all.
func Latencies(c *facts.Cell) (*histogram.Histogram, error) {
	all := histogram.New()
	for _, t := range Counted(c.Trials) {
		if t.Succeeded == 0 {
			continue
		}
		if t.Histogram == "" {
			return nil, NoHistogram{Trial: t.Index}
		}
		one, err := histogram.Read(t.Histogram)
		if err == nil && one.Samples() != t.Succeeded {
			err = fmt.Errorf("it has %d latencies for %d successful requests", one.Samples(), t.Succeeded)
		}
		if err == nil {
			err = all.Merge(one)
		}
		if err != nil {
			return nil, NoHistogram{t.Index, err}
		}
	}
	if all.Samples() == 0 {
		return nil, errors.New("no request succeeded")
	}
	return all, nil
}

// HasHistograms reports whether a run's trials have histograms; those of earlier versions have none.
func HasHistograms(run *facts.Result) bool {
	for _, c := range run.Cells {
		for _, t := range c.Trials {
			if t.Histogram != "" {
				return true
			}
		}
	}
	return false
}

// merged are the percentiles of all counted trials' requests; nil without histograms.
func merged(c *facts.Cell) *facts.Percentiles {
	h, err := Latencies(c)
	if err != nil {
		return nil
	}
	return &facts.Percentiles{Samples: h.Samples(), P50: h.AtMS(50), P90: h.AtMS(90), P95: h.AtMS(95), P99: h.AtMS(99),
		P999: h.AtMS(99.9), P9999: h.AtMS(99.99), Max: h.MaxMS()}
}

// P50Of is the median latency of all requests of a summary's trials; where they have no histograms, the
// median of the trials' medians.
func P50Of(s facts.Summary) *float64 {
	if s.MergedMS != nil {
		return s.MergedMS.P50
	}
	return s.P50MS.Median
}

// P99Of is the 99th percentile in the same way.
func P99Of(s facts.Summary) *float64 {
	if s.MergedMS != nil {
		return s.MergedMS.P99
	}
	return s.P99MS.Median
}

// Pooled is a percentile of the latency of all requests of a cell's counted trials, from their merged
// histograms; nil where of is another number or a trial has no histogram.
func Pooled(c *facts.Cell, of func(facts.Trial) *float64) *float64 {
	if c == nil || !slices.ContainsFunc(c.Trials, func(t facts.Trial) bool { return t.Histogram != "" }) {
		return nil
	}
	if at := latencyOf(of); at != nil {
		if m := merged(c); m != nil {
			return at(m)
		}
	}
	return nil
}

// Middle is one number of a cell: Pooled, or else the median of its trials.
func Middle(c *facts.Cell, of func(facts.Trial) *float64) *float64 {
	if v := Pooled(c, of); v != nil || c == nil {
		return v
	}
	return statistics.Median(Sample(c.Trials, of)).Median
}

// latencyOf returns the same percentile of merged histograms, or nil where of isn't a percentile of
// LatencyMS. It finds out by asking of for its number of a trial that has nothing else.
func latencyOf(of func(facts.Trial) *float64) func(*facts.Percentiles) *float64 {
	l := facts.Latency{P50: new(float64), P90: new(float64), P95: new(float64), P99: new(float64), P999: new(float64)}
	switch of(facts.Trial{LatencyMS: l}) {
	case l.P50:
		return func(p *facts.Percentiles) *float64 { return p.P50 }
	case l.P90:
		return func(p *facts.Percentiles) *float64 { return p.P90 }
	case l.P95:
		return func(p *facts.Percentiles) *float64 { return p.P95 }
	case l.P99:
		return func(p *facts.Percentiles) *float64 { return p.P99 }
	case l.P999:
		return func(p *facts.Percentiles) *float64 { return p.P999 }
	}
	return nil
}
