package workshop

import (
	"bytes"
	"sort"
	"strconv"
	"time"
)

// A program with a pool for each of its fifty workers opens fifty connections and dials once for each, whatever its
// transport does: it has no stampede and loses nothing, for the wrong reason. So the checks count how many connections
// carry requests at the same time. nginx logs when a connection has answered its first request, and the backend counts
// requests. The connections of one pool follow each other: a next one is used when limit requests have been answered.

// atOnceMost is how many connections may carry requests at the same time: one pool has two of them during a renewal,
// a program with two pools has four, and the readings are some milliseconds apart.
const atOnceMost = 5

// tick is how many requests the backend had received at a time.
type tick struct {
	at       time.Time
	requests int64
}

// firstRequests reads the times in nginx's log of the connections' first requests. It skips what is no line of it.
func firstRequests(log []byte) []time.Time {
	var out []time.Time
	for line := range bytes.Lines(log) {
		stamp, _, cut := bytes.Cut(line, []byte(" "))
		whole := cut && bytes.HasSuffix(line, []byte("\n"))
		if s, err := strconv.ParseFloat(string(stamp), 64); err == nil && whole {
			out = append(out, time.UnixMilli(int64(s*1000)))
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Before(out[j]) })
	return out
}

// atOnce returns a lower bound of the number of connections that carried requests at the same time. In one pool a next
// connection begins when the one before has carried limit requests. atOnce counts the connections that begin earlier.
func atOnce(first []time.Time, ticks []tick, limit int) int64 {
	most, least := 0.0, 0.0
	for i, at := range first {
		ahead := float64(i) - requestsUntil(ticks, at)/float64(limit)
		if i == 0 || ahead < least {
			least = ahead
		}
		most = max(most, ahead-least+1)
	}
	return int64(most + 0.5)
}

// requestsUntil returns how many requests the backend had received at a time, between two readings in proportion.
func requestsUntil(ticks []tick, at time.Time) float64 {
	after := sort.Search(len(ticks), func(i int) bool { return ticks[i].at.After(at) })
	switch {
	case len(ticks) == 0:
		return 0
	case after == 0:
		return float64(ticks[0].requests)
	case after == len(ticks):
		return float64(ticks[after-1].requests)
	}
	a, b := ticks[after-1], ticks[after]
	share := float64(at.Sub(a.at)) / float64(b.at.Sub(a.at))
	return float64(a.requests) + share*float64(b.requests-a.requests)
}
