package delay

import "time"

// mostHeld is how many packets one direction holds: 50,000 of 1,500 bytes are 300 Mbit/s at a round trip
// of 4 s. push refuses further ones; the line counts them as dropped, as a full router drops them.
const mostHeld = 50_000

// waiting is a frame that waits for its time.
type waiting struct {
	at      time.Duration
	packets int
	frame   frame
}

// held is a queue of frames in the order in which they leave. It reuses their memory.
type held struct {
	ring       []waiting
	head, size int
	packets    int
	spare      [2][]frame // for frames of one packet, and for larger ones
}

// usual is the memory for a frame of one packet.
const usual = headerSize + mtu

func (h *held) empty() bool { return h.size == 0 }

// first is the frame that leaves next; the queue isn't empty.
func (h *held) first() *waiting { return &h.ring[h.head] }

// push copies a frame of so many packets into the queue. It returns false when the queue is full.
func (h *held) push(at time.Duration, f frame, packets int) bool {
	if h.packets+packets > mostHeld {
		return false
	}
	if h.size == len(h.ring) {
		h.grow()
	}
	h.ring[(h.head+h.size)%len(h.ring)] = waiting{at, packets, append(h.memory(len(f)), f...)}
	h.size++
	h.packets += packets
	return true
}

// memory is space for a frame of n bytes.
func (h *held) memory(n int) frame {
	spare, size := &h.spare[0], usual
	if n > usual {
		spare, size = &h.spare[1], n
	}
	last := len(*spare) - 1
	if last < 0 {
		return make(frame, 0, size)
	}
	f := (*spare)[last]
	*spare = (*spare)[:last]
	return f[:0]
}

// pop removes the first frame.
func (h *held) pop() {
	p := h.first()
	of := &h.spare[0]
	if cap(p.frame) > usual {
		of = &h.spare[1]
	}
	*of = append(*of, p.frame)
	h.packets -= p.packets
	*p = waiting{}
	h.head, h.size = (h.head+1)%len(h.ring), h.size-1
}

func (h *held) grow() {
	ring := make([]waiting, max(64, 2*len(h.ring)))
	for i := range h.size {
		ring[i] = h.ring[(h.head+i)%len(h.ring)]
	}
	h.ring, h.head = ring, 0
}
