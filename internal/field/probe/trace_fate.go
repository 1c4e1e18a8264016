package probe

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/http2"

	"h2lab/internal/facts"
)

// fate is what became of a request, as far as the frames prove it. The notes on frames and the summary
// both ask for it, so that they can't contradict each other.
type fate int

const (
	fateAnswered fate = iota
	fateRefused       // RST_STREAM with REFUSED_STREAM: not processed (RFC 9113 §8.7)
	fateAbove         // no answer, above a GOAWAY's id that holds: not processed (RFC 9113 §6.8)
	fatePartly        // its answer began and did not end
	fateCovered       // no answer, and not above the last-stream-id: it may have run
	fateUnknown       // no answer, and nothing excludes that it ran
)

// fate tells what became of the request on a stream.
func (tr *trace) fate(id uint32) fate {
	code, wasReset := tr.resets[id]
	switch {
	case !wasReset && !slices.Contains(tr.dropped, id):
		return fateAnswered
	case wasReset && code == http2.ErrCodeRefusedStream:
		return fateRefused
	case tr.begun[id]:
		return fatePartly
	case tr.aboveLast(id):
		return fateAbove
	case tr.last != nil && id <= tr.last.last:
		return fateCovered
	}
	return fateUnknown
}

// aboveLast reports whether a GOAWAY says that a stream was not processed.
func (tr *trace) aboveLast(id uint32) bool {
	return tr.last != nil && id > tr.last.last && !tr.disproved(tr.last)
}

// disproved reports a GOAWAY whose server has answered streams above its id, before it or after it. RFC 9113
// §6.8 lets the id only name the highest stream that the server acts on, so it proves nothing then.
func (tr *trace) disproved(g *goaway) bool { return g.contradicts() || tr.highest > g.last }

// sum lists the streams that were never answered, and those whose answers began.
func (tr *trace) sum() {
	tr.dropped, tr.begun, tr.highest = slices.Sorted(maps.Keys(tr.open)), map[uint32]bool{}, 0
	if tr.dropped == nil {
		tr.dropped = []uint32{}
	}
	for _, f := range tr.conn.tap.frames {
		if !f.Sent && f.Type == "HEADERS" {
			tr.begun[f.StreamID] = true
			tr.highest = max(tr.highest, f.StreamID)
		}
	}
}

// with are the streams of a fate, in order.
func (tr *trace) with(wanted fate) []uint32 {
	ids := slices.Concat(tr.dropped, slices.Collect(maps.Keys(tr.resets)))
	slices.Sort(ids)
	return slices.DeleteFunc(ids, func(id uint32) bool { return tr.fate(id) != wanted })
}

// bringsAnswer reports whether a HEADERS frame brings the answer itself: neither an interim answer (1xx, RFC 9110
// §15.2) nor trailers.
func bringsAnswer(f *facts.Frame) bool {
	status, isStatus := strings.CutPrefix(f.Detail, ":status ")
	n, err := strconv.Atoi(status)
	return f.Detail == inContinuation || isStatus && (err != nil || n >= 200)
}
