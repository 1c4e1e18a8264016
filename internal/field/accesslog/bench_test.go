//go:build unix

package accesslog

import (
	"bytes"
	"io"
	"syscall"
	"testing"
	"time"
)

func BenchmarkText(b *testing.B) {
	benchmark(b, &traffic{limit: 1000, alive: 50, empty: 40, perSec: 5000})
}

func BenchmarkJSON(b *testing.B) {
	benchmark(b, &traffic{limit: 1000, alive: 50, empty: 40, perSec: 5000, json: true})
}

// benchmark reads the same log repeatedly, one line per operation.
func benchmark(b *testing.B, g *traffic) {
	g.lines = 400_000
	text, err := io.ReadAll(g)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text) / g.lines))
	b.ReportAllocs()
	b.ResetTimer()
	n, before := 0, processor(b)
	for n < b.N {
		got := read(b, bytes.NewReader(text), Options{})
		n += int(got.Lines)
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "lines/s")
	b.ReportMetric(float64(n)/(processor(b)-before).Seconds(), "lines/cpu-s")
}

// processor is the processor time of this process: unlike wall-clock time it excludes other
// programs.
func processor(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
