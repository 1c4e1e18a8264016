package accesslog

import (
	"maps"
	"math/bits"
	"slices"
)

// entry is a connection that may carry more requests.
type entry struct {
	key   uint64 // 0 means a free slot
	most  uint32 // the highest ordinal seen, or the number of lines without ordinals
	least uint32 // the lowest
	lines uint32
	last  uint32 // tick of its last line
	first uint32 // milliseconds of its first line and of that with the highest ordinal, modulo 2^32
	full  uint32
	age   uint32 // in milliseconds at that line; 0 if it isn't logged
	end   uint32 // milliseconds of its newest line, modulo 2^32
	gap   uint32 // the longest silence between two lines, in milliseconds
	// client, program and check are those of life.
	client, program, check uint32
	again                  bool // it left the table too early and came back
}

// table holds the connections that may be open, in limited memory. Every insertion checks the next few slots in clock
// order and evicts connections without a recent line; if the table is full, it evicts the oldest of a few slots.
type table struct {
	slots []entry
	at    map[uint64]int32 // the slots of the connections, by key
	free  []int32
	hand  int
	// idle is how many seconds without a line evict a connection.
	idle uint32
	// out is called with each evicted entry.
	out func(*entry)
	// early counts the entries that were evicted before they were idle.
	early uint64
}

const (
	usualRoom = 98_304 // connections
	perStep   = 8      // slots checked per insertion
	looked    = 24     // slots among which the oldest is evicted
)

func newTable(room int, idle uint32, out func(*entry)) *table {
	return &table{slots: make([]entry, 0, room), at: make(map[uint64]int32, room), idle: idle, out: out}
}

// find returns the connection's entry, or nil.
func (t *table) find(key uint64) *entry {
	if i, there := t.at[key]; there {
		return &t.slots[i]
	}
	return nil
}

// insert makes an entry for a connection that has none.
func (t *table) insert(key uint64, now uint32) *entry {
	for range min(perStep, len(t.slots)) {
		if e := t.next(); e.key != 0 && e.last+t.idle < now {
			t.drop(e.key)
		}
	}
	if len(t.free) == 0 && len(t.slots) == cap(t.slots) {
		oldest := t.next()
		for range looked - 1 {
			if e := t.next(); e.last < oldest.last {
				oldest = e
			}
		}
		t.early++
		t.drop(oldest.key)
	}
	i := int32(len(t.slots))
	if n := len(t.free); n > 0 {
		i, t.free = t.free[n-1], t.free[:n-1]
	} else {
		t.slots = append(t.slots, entry{})
	}
	t.slots[i], t.at[key] = entry{key: key}, i
	return &t.slots[i]
}

// next is the slot under the hand, which moves on.
func (t *table) next() *entry {
	t.hand = (t.hand + 1) % len(t.slots)
	return &t.slots[t.hand]
}

// drop evicts a connection, if it is here.
func (t *table) drop(key uint64) {
	if i, there := t.at[key]; there {
		t.out(&t.slots[i])
		delete(t.at, key)
		t.slots[i], t.free = entry{}, append(t.free, i)
	}
}

// seen records in one bit each which connections had a line, and which had the line of their first
// request. Serials grow, so the last sixteen million are enough: an older serial is
// indistinguishable from a new connection's, and counts as new.
type seen struct{ chunks []seenChunk }

const (
	chunkBits  = 15 // serials in a chunk, as a power of two
	seenChunks = 512
)

type seenChunk struct {
	tag   uint64 // the chunk's serials without their low bits, plus one
	any   [1 << chunkBits / 64]uint64
	first [1 << chunkBits / 64]uint64
}

func newSeen(chunks int) *seen { return &seen{chunks: make([]seenChunk, chunks)} }

// mark records a line of the connection and returns what was recorded before. first is set for the
// line of its first request.
func (s *seen) mark(key uint64, first bool) (before, firstBefore bool) {
	number := key >> chunkBits
	// Hosts and epochs are in the high bits; the product spreads them over the table.
	slot := (number + number>>(48-chunkBits)*0x9e3779b1) % uint64(len(s.chunks))
	c := &s.chunks[slot]
	if c.tag != number+1 {
		if c.tag != 0 && number < c.tag-1 && number>>(48-chunkBits) == (c.tag-1)>>(48-chunkBits) {
			return false, false // too old to be remembered
		}
		*c = seenChunk{tag: number + 1}
	}
	word, bit := key&(1<<chunkBits-1)>>6, uint64(1)<<(key&63)
	before, firstBefore = c.any[word]&bit != 0, c.first[word]&bit != 0
	c.any[word] |= bit
	if first {
		c.first[word] |= bit
	}
	return before, firstBefore
}

// histogram counts connections by their number of requests.
type histogram struct {
	counts map[uint32]uint64
	n, sum uint64
	max    uint32
}

// mostNumbers is how many different numbers are counted. A further one counts as the power of two below it, of which there
// are 32.
const mostNumbers = 1 << 16

func newHistogram() *histogram { return &histogram{counts: map[uint32]uint64{}} }

// add adds n connections with the same number.
func (h *histogram) add(v uint32, n uint64) {
	h.n += n
	h.sum += n * uint64(v)
	h.max = max(h.max, v)
	if len(h.counts) >= mostNumbers && h.counts[v] == 0 {
		v = 1 << (bits.Len32(v|1) - 1)
	}
	h.counts[v] += n
}

func merged(all ...*histogram) *histogram {
	out := newHistogram()
	for _, h := range all {
		if h != nil {
			for v, n := range h.counts {
				out.add(v, n)
			}
			out.max = max(out.max, h.max)
		}
	}
	return out
}

// each visits every occurring number, in order.
func (h *histogram) each(visit func(v uint32, count uint64)) {
	for _, v := range slices.Sorted(maps.Keys(h.counts)) {
		if n := h.counts[v]; n > 0 {
			visit(v, n)
		}
	}
}

// quantile is the smallest number that at least a share q of the connections doesn't exceed.
func (h *histogram) quantile(q float64) uint32 {
	want := uint64(q * float64(h.n))
	var below uint64
	answer, found := h.max, false
	h.each(func(v uint32, count uint64) {
		if below += count; !found && below > want {
			answer, found = v, true
		}
	})
	return answer
}

// survivors counts lines by their ordinal: as many connections reached that number of requests. It needs
// no connection's identity, so it holds where the lines of several servers are mixed.
type survivors [1 << 16]uint64

func (s *survivors) add(ordinal uint32) {
	if int(ordinal) < len(s) {
		s[ordinal]++
	}
}

// ends are the connections by the number of requests that they ended at.
func (s *survivors) ends() *histogram {
	h := newHistogram()
	for n := 1; n < len(s)-1; n++ {
		if s[n] > s[n+1] {
			h.add(uint32(n), s[n]-s[n+1])
		}
	}
	return h
}
