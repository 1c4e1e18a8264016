package delay

import (
	"math/rand/v2"
	"time"
)

// schedule decides when each packet of one direction leaves. Times are counted from any one moment.
type schedule struct {
	line Line
	rng  *rand.Rand
	free time.Duration // when the packets before are on the wire
	last time.Duration // when the last packet leaves
}

func newSchedule(l Line, direction uint64) *schedule {
	return &schedule{line: l, rng: rand.New(rand.NewPCG(l.Seed, direction))}
}

// leaves is when a packet of so many bytes, which arrived now, leaves the line, and whether it is lost
// on the way. A packet never overtakes another one.
func (s *schedule) leaves(now time.Duration, size int) (at time.Duration, lost bool) {
	lost = s.line.Loss > 0 && s.rng.Float64() < s.line.Loss
	at = now
	if s.line.Rate > 0 { // a lost packet was sent, too
		s.free = max(s.free, now) + time.Duration(int64(size)*8*int64(time.Second)/s.line.Rate)
		at = s.free
	}
	at += s.line.RTT / 2
	if s.line.Jitter > 0 {
		at += time.Duration((s.rng.Float64() - 0.5) * float64(s.line.Jitter))
	}
	at = max(at, s.last, now)
	if !lost {
		s.last = at
	}
	return at, lost
}
