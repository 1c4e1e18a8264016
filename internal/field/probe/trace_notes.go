package probe

import (
	"fmt"
	"slices"
	"strings"
	"time"

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

// maxRecorded limits the frames of a trace, whatever the peer sends.
const maxRecorded = 200

// recorder records the frames of a connection in both directions.
type recorder struct {
	zero   time.Time
	frames []facts.Frame
	lost   int        // frames beyond maxRecorded
	full   *fullTrace // set if sent frames are recorded in full too
}

func (r *recorder) ms() float64 {
	return float64(time.Since(r.zero).Microseconds()) / 1000
}

// add adds the time to a frame and keeps it.
func (r *recorder) add(f facts.Frame) {
	f.TMS = r.ms()
	if r.full != nil && r.full.takes(r, f) {
		return
	}
	if n := len(r.frames); n >= maxRecorded && (r.full == nil || !telling(f) || n >= 2*maxRecorded) {
		r.lost++
		return
	}
	at := r.before(f)
	if at < len(r.frames) {
		f.TMS = min(f.TMS, r.frames[at].TMS)
	}
	r.frames = slices.Insert(r.frames, at, f)
}

func (r *recorder) headersSent(id uint32, length int, path string) {
	if r.full != nil {
		return // recorded when it was sent
	}
	r.add(facts.Frame{Sent: true, Type: "HEADERS", StreamID: id, Length: length,
		Flags: "END_STREAM|END_HEADERS", Detail: ":method GET :path " + path})
}

// received records a frame with its decoded payload. status is that of the header block to which
// the frame belongs.
func (r *recorder) received(f http2.Frame, status string, broken error) {
	h := f.Header()
	x := facts.Frame{Type: h.Type.String(), StreamID: h.StreamID, Length: int(h.Length), Flags: flagNames(h)}
	if r.full != nil {
		r.full.head(h, status)
	}
	switch f := f.(type) {
	case *http2.HeadersFrame:
		if x.Detail = block(status, broken); !f.HeadersEnded() {
			x.Detail = inContinuation
		}
	case *http2.ContinuationFrame:
		x.Detail = block(status, broken)
	case *http2.GoAwayFrame:
		x.Detail = fmt.Sprintf("last_stream_id=%d %v debug=%q", f.LastStreamID, f.ErrCode, clip(f.DebugData()))
	case *http2.RSTStreamFrame:
		x.Detail = f.ErrCode.String()
	case *http2.WindowUpdateFrame:
		x.Detail = fmt.Sprintf("increment=%d", f.Increment)
	case *http2.SettingsFrame:
		x.Detail = settings(f)
	}
	r.add(x)
}

const inContinuation = "more in CONTINUATION"

// block describes a complete header block: only trailers have no status (RFC 9113 §8.1).
func block(status string, broken error) string {
	switch {
	case broken != nil:
		return "can't be decoded"
	case status == "":
		return "trailers"
	}
	return ":status " + short(status)
}

// clip shortens a peer's text.
func clip(b []byte) []byte { return b[:min(len(b), 120)] }

func settings(f *http2.SettingsFrame) string {
	var all []string
	for i := range f.NumSettings() {
		if i < 10 {
			s := f.Setting(i)
			all = append(all, fmt.Sprintf("%v=%d", s.ID, s.Val))
		}
	}
	return strings.Join(all, " ")
}

// flagNames names a frame's flags as RFC 9113 §6 does.
func flagNames(h http2.FrameHeader) string {
	type name struct {
		bit  http2.Flags
		word string
	}
	var known []name
	switch h.Type {
	case http2.FrameData:
		known = []name{{http2.FlagDataEndStream, "END_STREAM"}, {http2.FlagDataPadded, "PADDED"}}
	case http2.FrameHeaders:
		known = []name{{http2.FlagHeadersEndStream, "END_STREAM"}, {http2.FlagHeadersEndHeaders, "END_HEADERS"},
			{http2.FlagHeadersPadded, "PADDED"}, {http2.FlagHeadersPriority, "PRIORITY"}}
	case http2.FrameContinuation:
		known = []name{{http2.FlagContinuationEndHeaders, "END_HEADERS"}}
	case http2.FrameSettings, http2.FramePing:
		known = []name{{http2.FlagSettingsAck, "ACK"}}
	}
	var words []string
	for _, n := range known {
		if h.Flags.Has(n.bit) {
			words = append(words, n.word)
		}
	}
	return strings.Join(words, "|")
}

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
