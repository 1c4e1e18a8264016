package main

import (
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// BenchmarkEchoH2 is the load of the lab's main comparison without a proxy: 100 requests in flight
// on one HTTP/2 connection, each with a body of one byte and an id. Client and server share the
// machine, so half the time is the client's.
func BenchmarkEchoH2(b *testing.B) {
	r := startBackend(b, time.Second)
	c := r.client(true)
	r.must(c, "POST", "/echo", "", "1")
	var ids atomic.Int64
	b.SetParallelism(50) // × GOMAXPROCS, 100 on the two cores of the lab
	b.ReportAllocs()
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			a, err := r.send(c, "POST", "/echo?ms=0", "bench-"+strconv.FormatInt(ids.Add(1), 10),
				strings.NewReader("1"))
			if err != nil || a.status != 200 || a.body != "1" {
				b.Errorf("answer %+v, %v", a, err)
				return
			}
		}
	})
	b.StopTimer()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "requests/s")
}

// BenchmarkLedger measures the ledger alone: it enters an id and records a time.
func BenchmarkLedger(b *testing.B) {
	l := newLedger()
	var ids atomic.Int64
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			n := ids.Add(1)
			l.execute(strconv.FormatInt(n, 10))
			l.handled(time.Duration(n) * time.Microsecond)
			if n%(1<<19) == 0 {
				l.ids.forget()
			}
		}
	})
}
