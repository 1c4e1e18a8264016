package delay

import (
	"time"

	"h2lab/internal/facts"
)

// mtu is Ethernet's: with larger packets slow start would need fewer round trips than it does over a
// real distance. The kernel leaves it to the device to cut a connection's data into packets (frame), but its TCP
// counts packets of this size.
const mtu = 1500

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

// prompt reports whether the line holds packets for longer than a change of threads takes.
func (l *Line) prompt() bool { return l.RTT > 0 || l.onWire(mtu) > 10*time.Microsecond }

// onWire is how long so many bytes take at the line's rate.
func (l *Line) onWire(bytes int) time.Duration {
	if l.Rate == 0 {
		return 0
	}
	return time.Duration(int64(bytes) * 8 * int64(time.Second) / l.Rate)
}

// atOnce is for how long the packets of one frame may be on the wire without a time of their own. It is much
// less than LateAfter.
const atOnce = 100 * time.Microsecond

// splits reports whether each packet of a frame has a time, or a loss, of its own.
func (l *Line) splits(bytes int) bool { return l.Loss > 0 || l.Jitter > 0 || l.onWire(bytes) > atOnce }
