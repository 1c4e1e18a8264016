package probe

import (
	"golang.org/x/net/http2"

	"h2lab/internal/base/notes"
	"h2lab/internal/facts"
)

// annotate adds notes to the frames that matter, in place.
func (tr *trace) annotate(frames []facts.Frame) {
	goaways := 0
	for i := range frames {
		f := &frames[i]
		switch {
		case tr.second > 0 && i >= tr.second:
			f.Note = tr.noteSecond(f)
		case f.Type == "HEADERS":
			f.Note = tr.noteHeaders(f)
		case f.Type == "RST_STREAM" && !f.Sent:
			f.Note = tr.noteReset(f.StreamID)
		case f.Type == "GOAWAY" && !f.Sent:
			goaways++
			f.Note = tr.noteGoaway(goaways)
		case f.Sent || tr.answered == 0 && f.Detail != "RST":
		case f.Type == "TCP" && f.Detail == "RST":
			f.Note = after(f.TMS-tr.lastMS, notes.ResetAtOnce, notes.Reset)
		case f.Type == "TLS" || f.Type == "TCP" && (i == 0 || frames[i-1].Type != "TLS"):
			f.Note = after(f.TMS-tr.lastMS, notes.CloseAtOnce, notes.Close)
		}
	}
}

func (tr *trace) noteHeaders(f *facts.Frame) facts.Note {
	n := int(f.StreamID+1) / 2
	_, wasReset := tr.resets[f.StreamID]
	switch answered := tr.fate(f.StreamID) == fateAnswered; {
	case f.Sent && !answered && !wasReset:
		return tr.noteDropped(f.StreamID)
	case tr.limit == 0 || !answered || !f.Sent && !bringsAnswer(f):
		return ""
	case n == tr.limit && f.Sent:
		return facts.NewNote(notes.RequestAtLimit, "request", n)
	case n == tr.limit && tr.ended():
		return facts.NewNote(notes.LimitAnswered)
	case n > tr.limit && f.Sent && tr.ended():
		return facts.NewNote(notes.BeyondAnswered)
	}
	return ""
}

// ended reports whether the server announced the end or closed.
func (tr *trace) ended() bool { return tr.first != nil || tr.gone }

// noteDropped distinguishes a request that was certainly not processed from one that may have been.
func (tr *trace) noteDropped(id uint32) facts.Note {
	switch tr.fate(id) {
	case fatePartly:
		return facts.NewNote(notes.DroppedPartly)
	case fateAbove:
		return facts.NewNote(notes.DroppedAbove)
	case fateCovered:
		return facts.NewNote(notes.DroppedCovered)
	}
	return facts.NewNote(notes.DroppedUnknown)
}

func (tr *trace) noteReset(id uint32) facts.Note {
	switch tr.fate(id) {
	case fateAnswered: // a reset after the complete answer has no effect (RFC 9113 §8.1)
		return ""
	case fateRefused:
		return facts.NewNote(notes.StreamRefused)
	case fateAbove:
		return facts.NewNote(notes.StreamResetAbove)
	case fatePartly:
		return facts.NewNote(notes.StreamResetPartly)
	}
	return facts.NewNote(notes.StreamReset)
}

// noteGoaway describes the nth GOAWAY of the connection.
func (tr *trace) noteGoaway(n int) facts.Note {
	if n > len(tr.goaways) {
		return ""
	}
	g := tr.goaways[n-1]
	switch {
	case g.code != http2.ErrCodeNo && tr.disproved(&g):
		return facts.NewNote(notes.GoawayErrorDisproved, "error", g.code, "stream", g.last)
	case g.code != http2.ErrCodeNo:
		return facts.NewNote(notes.GoawayError, "error", g.code, "stream", g.last)
	case n > 1 && g.last == tr.goaways[n-2].last:
		return facts.NewNote(notes.GoawayRepeated)
	case n > 1 && g.last > tr.goaways[n-2].last:
		return facts.NewNote(notes.GoawayRaised)
	case g.contradicts():
		return facts.NewNote(notes.GoawayContradicts, "stream", g.last, "answers", g.answered)
	case tr.disproved(&g):
		return facts.NewNote(notes.GoawayDisproved, "stream", g.last, "later", tr.highest)
	case n > 1:
		return facts.NewNote(notes.GoawaySecondStage)
	case g.last > streamOf(g.sent) && len(tr.dropped)+len(tr.resets) > 0:
		return facts.NewNote(notes.GoawayAnnounced)
	case g.last == announcement:
		return facts.NewNote(notes.GoawayFirstStage)
	case g.last > streamOf(g.sent):
		return facts.NewNote(notes.GoawayAhead)
	case g.last == 0:
		return facts.NewNote(notes.GoawayNone)
	}
	if tr.trips(&g) < int(g.last+1)/2 {
		return facts.NewNote(notes.GoawayNewest, "stream", g.last)
	}
	return facts.NewNote(notes.GoawayLimit, "requests", int(g.last+1)/2, "stream", g.last)
}

// noteSecond describes the frames of the new connection.
func (tr *trace) noteSecond(f *facts.Frame) facts.Note {
	switch {
	case f.Type == "TCP":
		return facts.NewNote(notes.Handshake)
	case f.Type == "HEADERS" && f.Sent && tr.aboveLast(tr.repeated()):
		return facts.NewNote(notes.AgainUnprocessed, "stream", tr.repeated())
	case f.Type == "HEADERS" && f.Sent:
		return facts.NewNote(notes.AgainRepeatable, "stream", tr.repeated(), "method", tr.target.method())
	case f.Type == "HEADERS" && bringsAnswer(f):
		return facts.NewNote(notes.AgainAnswered)
	}
	return ""
}
