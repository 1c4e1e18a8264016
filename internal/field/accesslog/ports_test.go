package accesslog

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// byPorts is a log of connections with so many requests each, of one client; those in again use the port of an earlier
// one.
func byPorts(connections, requests int, again map[int]int) string {
	var b strings.Builder
	began := time.Date(2026, 9, 22, 10, 0, 0, 0, time.UTC)
	for i := range connections {
		port, reused := again[i]
		if !reused {
			port = i
		}
		for range requests + i%5/4 { // one in five has a request more in flight
			fmt.Fprintf(&b, `10.0.0.%d - - [%s] "GET / HTTP/2.0" 200 5 "-" "x" port=%d`+"\n", i%4,
				began.Add(time.Duration(i)*time.Second/4).Format("02/Jan/2006:15:04:05 -0700"), 30000+port)
		}
	}
	return b.String()
}

// A port that is used again soon has the requests of two connections: a few such are no limit twice as high, and no
// batches.
func TestPortsThatAreUsedAgainHideNoLimit(t *testing.T) {
	for _, again := range []map[int]int{{120: 8, 160: 12}, {101: 9, 122: 10, 143: 11, 164: 12}} {
		got := read(t, strings.NewReader(byPorts(200, 50, again)), Options{})
		if got.Limit == nil || got.Limit.Requests != 50 || got.Verdict.ID != SameCount {
			t.Errorf("%d ports again: %+v, %s", len(again), got.Limit, got.Verdict.ID)
		}
	}
}
