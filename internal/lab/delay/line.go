package delay

import (
	"time"

	"h2lab/internal/facts"
)

// Line is what a line does to packets.
type Line struct {
	RTT    time.Duration // each direction holds a packet for half of it
	Jitter time.Duration // a round trip takes RTT ± Jitter; packets keep their order
	Loss   float64       // the share of packets that are dropped in each direction, 0 to 1
	Rate   int64         // bits per second in each direction; 0 is no limit
	Seed   uint64        // of jitter and loss, from Open on
}

// Of is the line of a distance.
func Of(d facts.Distance) Line {
	ms := func(f float64) time.Duration { return time.Duration(f * float64(time.Millisecond)) }
	return Line{RTT: ms(d.RTTMS), Jitter: ms(d.JitterMS), Loss: d.LossPercent / 100,
		Rate: int64(d.MbitPerS) * 1_000_000}
}
