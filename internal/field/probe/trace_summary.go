package probe

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/net/http2"

	"h2lab/internal/base/notes"
	"h2lab/internal/facts"
)

// summary describes what was recorded, in order.
func (tr *trace) summary() facts.Notes {
	if tr.limit == 0 && !tr.ended() {
		all := append(tr.droppedNotes(), tr.resetNotes()...)
		return facts.JoinNotes(append([]facts.Note{facts.NewNote(notes.NotEnded, "requests", tr.answered)}, all...)...)
	}
	all := []facts.Note{tr.endingNote()}
	if len(tr.dropped) == 0 && len(tr.resets) == 0 {
		all = append(all, facts.NewNote(notes.AllAnswered))
	}
	all = append(append(all, tr.droppedNotes()...), tr.resetNotes()...)
	if tr.first != nil && tr.last.last != tr.first.last {
		all = append(all, facts.NewNote(notes.SecondGoaway, "stream", tr.last.last))
	}
	if tr.first != nil && tr.last.code != tr.first.code {
		all = append(all, facts.NewNote(notes.SecondError, "error", tr.last.code))
	}
	switch late := tr.closedMS - tr.lastMS; {
	case tr.gone && tr.answered == 0 && !tr.wasReset():
		all = append(all, facts.NewNote(notes.ServerClosedUnanswered))
	case tr.gone && tr.wasReset():
		all = append(all, after(late, notes.ServerResetAtOnce, notes.ServerReset))
	case tr.gone:
		all = append(all, after(late, notes.ServerClosedAtOnce, notes.ServerClosed))
	default:
		all = append(all, facts.NewNote(notes.StillOpen))
	}
	if tr.resent {
		all = append(all, facts.NewNote(notes.SentAgain, "stream", tr.repeated()))
	}
	return facts.JoinNotes(all...)
}

// after describes how long the server took, or that it took no time.
func after(ms float64, atOnce, later string) facts.Note {
	if ms < 0.1 {
		return facts.NewNote(atOnce)
	}
	return facts.NewNote(later, "ms", fmt.Sprintf("%.1f", ms))
}

// droppedNotes describe the unanswered streams, separately those that got a part of the answer and those that a GOAWAY
// covers. Those that were reset are described by resetNotes.
func (tr *trace) droppedNotes() (all []facts.Note) {
	if partly := tr.untold(tr.with(fatePartly)); len(partly) > 0 {
		all = append(all, facts.NewNote(notes.PartlyAnswered, "streams", list(partly)))
	}
	if taken := tr.untold(tr.silent(fateCovered)); len(taken) > 0 {
		all = append(all, facts.NewNote(notes.TakenUnanswered, "streams", list(taken)))
	}
	behind, unknown := tr.silent(fateAbove), tr.silent(fateUnknown)
	if tr.last == nil && tr.gone {
		behind, unknown = unknown, nil
	}
	if len(unknown) > 0 {
		all = append(all, facts.NewNote(notes.UnknownUnanswered, "streams", list(unknown)))
	}
	switch len(behind) {
	case 0:
	case 1:
		all = append(all, facts.NewNote(notes.DroppedOne, "streams", list(behind)))
	default:
		all = append(all, facts.NewNote(notes.DroppedMany, "requests", len(behind), "streams", list(behind)))
	}
	return all
}

// silent are the streams of a fate that got neither an answer nor a reset.
func (tr *trace) silent(wanted fate) []uint32 {
	return slices.DeleteFunc(tr.with(wanted), tr.wasResetAt)
}

// untold are the streams of which endingNote doesn't say already that they got no complete answer.
func (tr *trace) untold(ids []uint32) []uint32 {
	if code, _, _ := tr.endingNote().Read(); code != notes.EndedPartly && code != notes.EndedUnanswered {
		return ids
	}
	told := streamOf(tr.trips(tr.first))
	return slices.DeleteFunc(ids, func(id uint32) bool { return id == told })
}

// endingNote describes the ending.
func (tr *trace) endingNote() facts.Note {
	n := tr.limit
	if tr.early {
		n = tr.sent
	}
	switch g := tr.first; {
	case g == nil && !tr.gone && len(tr.dropped)+len(tr.resets) > 0:
		return facts.NewNote(notes.LimitNotMet, "requests", tr.sent, "limit", tr.limit)
	case g == nil && !tr.gone:
		return facts.NewNote(notes.LimitElsewhere, "request", tr.sent, "limit", tr.limit)
	case g == nil:
		return facts.NewNote(notes.ClosedSilently, "request", n)
	case g.answered == 0 && tr.limit == 0 && g.last == announcement:
		return facts.NewNote(notes.GoawayAtStart, "stream", g.last, "error", g.code)
	case g.last > streamOf(g.sent):
		return facts.NewNote(notes.GoawayAheadOfAll, "request", n, "stream", g.last, "error", g.code)
	case tr.early && tr.limit > 0:
		return facts.NewNote(notes.EndedEarly, "limit", tr.limit, "stream", g.last, "error", g.code, "answers",
			g.answered)
	case g.code != http2.ErrCodeNo:
		return facts.NewNote(notes.EndedByError, "stream", g.last, "error", g.code, "answers", g.answered)
	case tr.fate(streamOf(tr.trips(g))) == fatePartly:
		return facts.NewNote(notes.EndedPartly, "request", tr.trips(g), "stream", g.last, "error", g.code)
	case tr.fate(streamOf(tr.trips(g))) != fateAnswered:
		return facts.NewNote(notes.EndedUnanswered, "request", tr.trips(g), "stream", g.last, "error", g.code)
	default:
		return facts.NewNote(notes.EndedAtLimit, "request", tr.trips(g), "stream", g.last, "error", g.code)
	}
}

// wasResetAt reports whether a stream ended with RST_STREAM instead of an answer.
func (tr *trace) wasResetAt(id uint32) bool {
	_, reset := tr.resets[id]
	return reset
}

// trips is the request that brought a GOAWAY. Its id may be that of a later one, which the server had
// read by then (Go's net/http).
func (tr *trace) trips(g *goaway) int {
	named := int(g.last+1) / 2
	if g.contradicts() {
		named = g.sent
	}
	if tr.limit > 0 {
		return min(named, tr.limit)
	}
	return named
}

// contradicts reports a GOAWAY whose last stream is below streams that have answers (RFC 9113 §6.8 forbids it).
func (g *goaway) contradicts() bool { return int((uint64(g.last)+1)/2) < g.answered }

func (tr *trace) resetNotes() []facts.Note {
	codes := map[http2.ErrCode]int{}
	for _, code := range tr.resets {
		codes[code]++
	}
	n, refused := len(tr.resets), codes[http2.ErrCodeRefusedStream]
	switch {
	case n == 0:
		return nil
	case n == refused:
		return []facts.Note{facts.NewNote(notes.Refused, "requests", n)}
	case len(codes) > 1:
		return []facts.Note{facts.NewNote(notes.SomeReset, "requests", n, "refused", refused)}
	}
	for code := range codes {
		return []facts.Note{facts.NewNote(notes.AllReset, "requests", n, "error", code)}
	}
	return nil
}

// list formats ids as one argument.
func list(ids []uint32) string {
	var all []string
	for _, id := range ids {
		all = append(all, fmt.Sprint(id))
	}
	return strings.Join(all, ",")
}
