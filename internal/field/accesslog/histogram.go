package accesslog

import (
	"math/bits"
	"slices"
)

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
