package delay

import (
	"math/rand/v2"
	"sync/atomic"
	"time"
)

// schedule decides when each packet of one direction leaves. Times are counted from any one moment.
type schedule struct {
	line atomic.Pointer[Line] // packets that arrive from now on are held as it says
	rng  *rand.Rand
	free time.Duration // when the packets before are on the wire
	last time.Duration // when the last packet leaves
}

func newSchedule(l Line, direction uint64) *schedule {
	s := &schedule{rng: rand.New(rand.NewPCG(l.Seed, direction))}
	s.line.Store(&l)
	return s
}

// leaves is when a packet of so many bytes, which arrived now, leaves the line, and whether it is lost
// on the way. A packet never overtakes another one, even if the line's delay has become shorter.
func (s *schedule) leaves(now time.Duration, size int) (at time.Duration, lost bool) {
	l := s.line.Load()
	lost = l.Loss > 0 && s.rng.Float64() < l.Loss
	at = now
	if l.Rate > 0 { // a lost packet was sent, too
		s.free = max(s.free, now) + l.onWire(size)
		at = s.free
	}
	at += l.RTT / 2
	if l.Jitter > 0 {
		at += time.Duration((s.rng.Float64() - 0.5) * float64(l.Jitter))
	}
	at = max(at, s.last, now)
	if !lost {
		s.last = at
	}
	return at, lost
}
