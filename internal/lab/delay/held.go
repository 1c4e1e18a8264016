package delay

import "time"

// mostHeld is how many packets one direction holds: 50,000 of 1,500 bytes are 300 Mbit/s at a round trip
// of 4 s. push refuses further ones; the line counts them as dropped, as a full router drops them.
const mostHeld = 50_000

// packet is a packet that waits for its time.
type packet struct {
	at    time.Duration
	bytes []byte
}

// held is a queue of packets in the order in which they leave. It reuses their memory.
type held struct {
	ring       []packet
	head, size int
	spare      [][]byte
}

func (h *held) empty() bool { return h.size == 0 }

// first is the packet that leaves next; the queue isn't empty.
func (h *held) first() *packet { return &h.ring[h.head] }

// push copies a packet into the queue. It returns false when the queue is full.
func (h *held) push(at time.Duration, bytes []byte) bool {
	if h.size == mostHeld {
		return false
	}
	if h.size == len(h.ring) {
		h.grow()
	}
	var into []byte
	if n := len(h.spare); n > 0 {
		into, h.spare = h.spare[n-1], h.spare[:n-1]
	}
	h.ring[(h.head+h.size)%len(h.ring)] = packet{at, append(into[:0], bytes...)}
	h.size++
	return true
}

// pop removes the first packet.
func (h *held) pop() {
	p := h.first()
	h.spare = append(h.spare, p.bytes)
	*p = packet{}
	h.head, h.size = (h.head+1)%len(h.ring), h.size-1
}

func (h *held) grow() {
	ring := make([]packet, max(64, 2*len(h.ring)))
	for i := range h.size {
		ring[i] = h.ring[(h.head+i)%len(h.ring)]
	}
	h.ring, h.head = ring, 0
}
