package accesslog

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
