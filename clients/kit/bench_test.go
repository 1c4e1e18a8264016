package kit

import (
	"context"
	"testing"
	"time"
)

// BenchmarkScheduleAt2000 shows how late requests are sent at 2,000 a second, each of which takes 5 ms.
func BenchmarkScheduleAt2000(b *testing.B) {
	s := &fake{send: func(context.Context, Call) (*Failure, error) { time.Sleep(5 * time.Millisecond); return nil, nil }}
	for b.Loop() {
		l := &openLoop{loop{subject: s, flags: Flags{Rate: 2000, Concurrency: 1000, Arrivals: "constant",
			Patience: time.Second, Nonce: "t"}}}
		tally, err := l.window(b.Context(), "run", time.Second)
		if err != nil || tally.attempts != 2000 {
			b.Fatal(err, tally.attempts)
		}
		late := percentiles(tally.pace.late)
		b.ReportMetric(*late.P50, "late-ms-p50")
		b.ReportMetric(*late.P99, "late-ms-p99")
		b.ReportMetric(*late.Max, "late-ms-max")
	}
}

// BenchmarkCount is what the counts and histograms of one request cost: an open loop keeps three.
func BenchmarkCount(b *testing.B) {
	for name, p := range map[string]*pace{"closed": nil, "open": newPace()} {
		b.Run(name, func(b *testing.B) {
			a := &account{tally: NewTally()}
			a.tally.pace = p
			for b.Loop() {
				if _, err := a.begin(time.Microsecond); err != nil {
					b.Fatal(err)
				}
				if _, err := a.count(nil, 5*time.Millisecond, 4*time.Millisecond); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkEncode is what it costs once for each window to write the histogram.
func BenchmarkEncode(b *testing.B) {
	h := newHistogram()
	for i := range 100_000 {
		if err := record(h, time.Duration(i*i%50_000)*time.Microsecond); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		if _, err := encoded(h); err != nil {
			b.Fatal(err)
		}
	}
}
