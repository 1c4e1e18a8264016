package workshop

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// The programs send 5,000 requests in one second, and 100 are the limit of a connection.
func TestConnectionsInUseAtTheSameTimeAreCounted(t *testing.T) {
	begin := time.UnixMilli(1_700_000_000_000)
	at := func(ms float64) time.Time { return begin.Add(time.Duration(ms * float64(time.Millisecond))) }
	var steady, uneven []tick
	for ms := -20.0; ms <= 1020; ms += 4 {
		steady = append(steady, tick{at(ms), 70_000 + int64(min(max(ms, 0), 1000)*5)})
		if ms < 300 || ms > 400 { // the reader had no processor
			uneven = append(uneven, tick{at(ms), 70_000 + int64(min(max(ms, 0), 1000)*5)})
		}
	}
	// pools has k pools begin together, each with a share of the requests.
	pools := func(k int) (out []time.Time) {
		for renewal := 0.0; renewal*100*float64(k) < 5000; renewal++ {
			for i := range k {
				out = append(out, at(renewal*20*float64(k)+float64(i)*0.1))
			}
		}
		return out
	}
	for _, c := range []struct {
		what        string
		first       []time.Time
		ticks       []tick
		least, most int64
	}{
		{"one pool", pools(1), steady, 1, 2},
		{"one pool, read with a gap", pools(1), uneven, 1, 3},
		{"two pools", pools(2), steady, 2, 4},
		{"ten pools", pools(10), steady, 9, 11},
		{"a pool for each worker", pools(50), steady, 49, 51},
		{"pools that begin one after the other", []time.Time{at(0), at(1), at(2), at(3), at(4), at(5), at(6), at(7)}, steady, 6, 8},
		{"no request", nil, steady, 0, 0},
		{"no reading of the backend", pools(50), nil, 40, 60},
	} {
		if got := atOnce(c.first, c.ticks, 100); got < c.least || got > c.most {
			t.Errorf("%s: %d connections at once, want %d to %d", c.what, got, c.least, c.most)
		}
	}
}

func TestTheLogOfFirstRequestsIsRead(t *testing.T) {
	var log strings.Builder
	for _, ms := range []int64{1_700_000_000_500, 1_700_000_000_250} {
		fmt.Fprintf(&log, "%d.%03d 12 1 HTTP/2.0 TLSv1.3 .\n", ms/1000, ms%1000)
	}
	log.WriteString("no line of nginx\n17000.5")
	got := firstRequests([]byte(log.String()))
	if len(got) != 2 || got[0].UnixMilli() != 1_700_000_000_250 || got[1].UnixMilli() != 1_700_000_000_500 {
		t.Errorf("%v", got)
	}
}
