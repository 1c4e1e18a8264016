package delay

import (
	"sync/atomic"
	"time"
)

// Counts is what a line has carried, both directions together.
type Counts struct {
	Packets, Bytes int64
	Lost           int64 // as Loss asks for
	Dropped        int64 // because the queue was full or the kernel took no more
	Late           int64 // packets that left more than LateAfter after their time
}

// LateAfter is how much later than planned a packet may leave. It is more than the resolution of the
// kernel's timers and a change of threads on a busy processor take.
const LateAfter = 500 * time.Microsecond

type counters struct{ packets, bytes, lost, dropped, late atomic.Int64 }

func (c *counters) counts() Counts {
	return Counts{Packets: c.packets.Load(), Bytes: c.bytes.Load(), Lost: c.lost.Load(), Dropped: c.dropped.Load(),
		Late: c.late.Load()}
}
