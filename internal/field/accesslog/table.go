package accesslog

import (
	"math"
	"math/bits"
	"slices"

	"github.com/HdrHistogram/hdrhistogram-go"
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
	proto                  Protocol
	again                  bool // it left the table too early and came back
}

// table holds the connections that may be open, in limited memory: open addressing with linear
// probing. Every insertion checks the next few slots in clock order and evicts connections without
// a recent line; if the table is full, it evicts the oldest of a few slots.
type table struct {
	slots []entry
	n     int
	hand  int
	// idle is how many seconds without a line evict a connection.
	idle uint32
	// out is called with each evicted entry.
	out func(*entry)
	// early counts the entries that were evicted before they were idle.
	early uint64
}

const (
	tableBits = 17 // 131,072 slots of 72 bytes
	perStep   = 8  // slots checked per insertion
	looked    = 24 // slots among which the oldest is evicted
)

func newTable(bits int, idle uint32, out func(*entry)) *table {
	return &table{slots: make([]entry, 1<<bits), idle: idle, out: out}
}

// room is the maximum number of entries: a quarter of the slots stay free to keep probing short.
func (t *table) room() int { return len(t.slots) / 4 * 3 }

// home is the preferred slot of an entry. Serials are dense, so multiplying by a large odd number
// spreads them.
func (t *table) home(key uint64) int {
	return int((key * 0x9e3779b97f4a7c15) >> 20 & uint64(len(t.slots)-1))
}

// find returns the connection's entry, or nil.
func (t *table) find(key uint64) *entry {
	for i := t.home(key); t.slots[i].key != 0; i = t.next(i) {
		if t.slots[i].key == key {
			return &t.slots[i]
		}
	}
	return nil
}

func (t *table) next(i int) int { return (i + 1) & (len(t.slots) - 1) }

// insert makes an entry for a connection that has none.
func (t *table) insert(key uint64, now uint32) *entry {
	for range perStep {
		e := &t.slots[t.hand]
		if e.key != 0 && e.last+t.idle < now {
			t.takeOut(t.hand) // the next entry may have moved here: check again
		} else {
			t.hand = t.next(t.hand)
		}
	}
	for t.n >= t.room() {
		t.takeOutOldest()
	}
	i := t.home(key)
	for t.slots[i].key != 0 {
		i = t.next(i)
	}
	t.n++
	t.slots[i] = entry{key: key}
	return &t.slots[i]
}

// drop evicts a connection, if it is here.
func (t *table) drop(key uint64) {
	for i := t.home(key); t.slots[i].key != 0; i = t.next(i) {
		if t.slots[i].key == key {
			t.takeOut(i)
			return
		}
	}
}

func (t *table) takeOutOldest() {
	oldest, i := -1, t.hand
	for n := 0; n < looked || oldest < 0; n++ {
		if e := &t.slots[i]; e.key != 0 && (oldest < 0 || e.last < t.slots[oldest].last) {
			oldest = i
		}
		i = t.next(i)
	}
	t.hand = i
	t.early++
	t.takeOut(oldest)
}

// takeOut passes the entry to out and closes the gap in the probing sequence.
func (t *table) takeOut(i int) {
	t.out(&t.slots[i])
	t.n--
	for j := t.next(i); t.slots[j].key != 0; j = t.next(j) {
		// An entry may move into the gap unless its home is behind the gap.
		if home := t.home(t.slots[j].key); (j-home)&(len(t.slots)-1) >= (j-i)&(len(t.slots)-1) {
			t.slots[i] = t.slots[j]
			i = j
		}
	}
	t.slots[i] = entry{}
}

// each visits the remaining entries.
func (t *table) each(visit func(*entry)) {
	for i := range t.slots {
		if t.slots[i].key != 0 {
			visit(&t.slots[i])
		}
	}
}

// seen records in one bit each which connections had a line, and which had the line of their first
// request. Serials grow, so the last sixteen million are enough: an older serial is
// indistinguishable from a new connection's, and counts as new.
type seen struct {
	chunks []seenChunk
	// Forgotten counts chunks of serials that were overwritten.
	forgotten uint64
}

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
		if c.tag != 0 {
			if number < c.tag-1 && number>>(48-chunkBits) == (c.tag-1)>>(48-chunkBits) {
				return false, false // too old to be remembered
			}
			s.forgotten++
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

// exactUpTo is the largest number of requests that is counted exactly. Above it, at most mostBeyond
// different numbers are.
const (
	exactUpTo  = 1 << 16
	mostBeyond = 1 << 12
)

// histogram counts connections by their number of requests.
type histogram struct {
	counts []uint64
	beyond map[uint32]uint64
	// rounded counts those for which beyond was full: they count under a somewhat smaller number.
	rounded uint64
	n       uint64
	sum     uint64
	max     uint32
}

func newHistogram() *histogram {
	return &histogram{counts: make([]uint64, exactUpTo), beyond: map[uint32]uint64{}}
}

func (h *histogram) add(v uint32) {
	h.n++
	h.sum += uint64(v)
	h.max = max(h.max, v)
	if v < exactUpTo {
		h.counts[v]++
		return
	}
	if _, there := h.beyond[v]; !there && len(h.beyond) >= mostBeyond {
		h.rounded++
		v = 1 << (bits.Len32(v) - 1) // a power of two: at most 15 more numbers
	}
	h.beyond[v]++
}

// addSeveral adds n of the same number, which is below exactUpTo.
func (h *histogram) addSeveral(v uint32, n uint64) {
	h.n += n
	h.sum += n * uint64(v)
	h.max = max(h.max, v)
	h.counts[v] += n
}

// remove removes one, and reports whether there was one.
func (h *histogram) remove(v uint32) bool {
	switch {
	case v < exactUpTo && h.counts[v] > 0:
		h.counts[v]--
	case v >= exactUpTo && h.beyond[v] > 0:
		h.beyond[v]--
	default:
		return false
	}
	h.n--
	h.sum -= uint64(v)
	return true
}

func (h *histogram) merge(o *histogram) {
	for v, c := range o.counts {
		h.counts[v] += c
	}
	for v, c := range o.beyond {
		h.beyond[v] += c
	}
	h.n, h.sum, h.rounded, h.max = h.n+o.n, h.sum+o.sum, h.rounded+o.rounded, max(h.max, o.max)
}

func (h *histogram) count(v uint32) uint64 {
	if v < exactUpTo {
		return h.counts[v]
	}
	return h.beyond[v]
}

// sortedBeyond are the large numbers in order.
func (h *histogram) sortedBeyond() []uint32 {
	out := make([]uint32, 0, len(h.beyond))
	for v := range h.beyond {
		out = append(out, v)
	}
	slices.Sort(out)
	return out
}

// each visits every occurring number, in order.
func (h *histogram) each(visit func(v uint32, count uint64)) {
	for v, c := range h.counts {
		if c > 0 {
			visit(uint32(v), c)
		}
	}
	for _, v := range h.sortedBeyond() {
		visit(v, h.beyond[v])
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
type survivors struct {
	reached [exactUpTo]uint64
}

func (s *survivors) add(ordinal uint32) {
	if ordinal < exactUpTo {
		s.reached[ordinal]++
	}
}

// ends are the connections by the number of requests that they ended at.
func (s *survivors) ends() *histogram {
	h := newHistogram()
	for n := 1; n < exactUpTo-1; n++ {
		if more := s.reached[n+1]; s.reached[n] > more {
			h.addSeveral(uint32(n), s.reached[n]-more)
		}
	}
	return h
}

// longestSpan limits a time in milliseconds: over a century means a wrong clock.
const longestSpan = 1 << 42

// spans is a distribution of times in milliseconds, with a precision of 1 %.
type spans struct{ h *hdrhistogram.Histogram }

func newSpans() spans { return spans{hdrhistogram.New(1, longestSpan, 2)} }

func (s spans) add(ms int64) {
	_ = s.h.RecordValue(min(max(ms, 0), longestSpan)) // within the histogram's range
}

func (s spans) reset() {
	if s.h.TotalCount() > 0 {
		s.h.Reset()
	}
}

// quantile is in milliseconds; false if there are no values.
func (s spans) quantile(q float64) (ms float64, ok bool) {
	if s.h.TotalCount() == 0 {
		return 0, false
	}
	v := s.h.ValueAtQuantile(math.Min(q, 1) * 100)
	return float64(v), true
}
