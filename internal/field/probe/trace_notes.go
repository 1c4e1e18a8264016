package probe

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/http2"

	"h2lab/internal/base/texts"
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
			f.Note = after(f.TMS-tr.lastMS, "note.reset-at-once", "note.reset")
		case f.Type == "TLS" || f.Type == "TCP" && (i == 0 || frames[i-1].Type != "TLS"):
			f.Note = after(f.TMS-tr.lastMS, "note.close-at-once", "note.close")
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
		return facts.Note{}
	case n == tr.limit && f.Sent:
		return facts.NewNote("note.request-at-limit", n)
	case n == tr.limit && tr.ended():
		return facts.NewNote("note.limit-answered")
	case n > tr.limit && f.Sent && tr.ended():
		return facts.NewNote("note.beyond-answered")
	}
	return facts.Note{}
}

// ended reports whether the server announced the end or closed.
func (tr *trace) ended() bool { return tr.first != nil || tr.gone }

// noteDropped distinguishes a request that was certainly not processed from one that may have been.
func (tr *trace) noteDropped(id uint32) facts.Note {
	switch tr.fate(id) {
	case fatePartly:
		return facts.NewNote("note.dropped-partly")
	case fateAbove:
		return facts.NewNote("note.dropped-above")
	case fateCovered:
		return facts.NewNote("note.dropped-covered")
	}
	return facts.NewNote("note.dropped-unknown")
}

func (tr *trace) noteReset(id uint32) facts.Note {
	switch tr.fate(id) {
	case fateAnswered: // a reset after the complete answer has no effect (RFC 9113 §8.1)
		return facts.Note{}
	case fateRefused:
		return facts.NewNote("note.stream-refused")
	case fateAbove:
		return facts.NewNote("note.stream-reset-above")
	case fatePartly:
		return facts.NewNote("note.stream-reset-partly")
	}
	return facts.NewNote("note.stream-reset")
}

// noteGoaway describes the nth GOAWAY of the connection.
func (tr *trace) noteGoaway(n int) facts.Note {
	if n > len(tr.goaways) {
		return facts.Note{}
	}
	g := tr.goaways[n-1]
	switch {
	case g.code != http2.ErrCodeNo && tr.disproved(&g):
		return facts.NewNote("note.goaway-error-disproved", g.code.String(), g.last)
	case g.code != http2.ErrCodeNo:
		return facts.NewNote("note.goaway-error", g.code.String(), g.last)
	case n > 1 && g.last == tr.goaways[n-2].last:
		return facts.NewNote("note.goaway-repeated")
	case n > 1 && g.last > tr.goaways[n-2].last:
		return facts.NewNote("note.goaway-raised")
	case g.contradicts():
		return facts.NewNote("note.goaway-contradicts", g.answered, g.last)
	case tr.disproved(&g):
		return facts.NewNote("note.goaway-disproved", g.last, tr.highest)
	case n > 1:
		return facts.NewNote("note.goaway-second-stage")
	case g.last > streamOf(g.sent) && len(tr.dropped)+len(tr.resets) > 0:
		return facts.NewNote("note.goaway-announced")
	case g.last == announcement:
		return facts.NewNote("note.goaway-first-stage")
	case g.last > streamOf(g.sent):
		return facts.NewNote("note.goaway-ahead")
	case g.last == 0:
		return facts.NewNote("note.goaway-none")
	}
	if tr.trips(&g) < int(g.last+1)/2 {
		return facts.NewNote("note.goaway-newest", g.last)
	}
	return facts.NewNote("note.goaway-limit", int(g.last+1)/2, g.last)
}

// noteSecond describes the frames of the new connection.
func (tr *trace) noteSecond(f *facts.Frame) facts.Note {
	switch {
	case f.Type == "TCP":
		return facts.NewNote("note.handshake")
	case f.Type == "HEADERS" && f.Sent && tr.aboveLast(tr.repeated()):
		return facts.NewNote("note.again-unprocessed", tr.repeated())
	case f.Type == "HEADERS" && f.Sent:
		return facts.NewNote("note.again-repeatable", tr.repeated(), tr.target.method())
	case f.Type == "HEADERS" && bringsAnswer(f):
		return facts.NewNote("note.again-answered")
	}
	return facts.Note{}
}

// maxRecorded limits the frames of a trace, whatever the peer sends.
const maxRecorded = 200

// recorder records the frames of a connection in both directions from the preface on, except those well before the limit,
// and the fields of answers.
type recorder struct {
	zero       time.Time
	frames     []facts.Frame
	lost       int    // frames beyond maxRecorded
	ask        string // what every request asks
	connection int
	from       int // index of the first frame before the limit that may be dropped; -1 outside that part
	dropped    int // dropped frames of that part
	heads      []facts.Head
	block      []facts.HField // of the header block that is being read
}

func (r *recorder) ms() float64 {
	return float64(time.Since(r.zero).Microseconds()) / 1000
}

// add adds the time to a frame and keeps it.
func (r *recorder) add(f facts.Frame) {
	if f.TMS = r.ms(); !f.Says.IsZero() {
		f.Detail = texts.English.In(f.Says)
	}
	if r.takes(f) {
		return
	}
	if n := len(r.frames); n >= maxRecorded && (!telling(f) || n >= 2*maxRecorded) {
		r.lost++
		return
	}
	at := r.before(f)
	if at < len(r.frames) {
		f.TMS = min(f.TMS, r.frames[at].TMS)
	}
	r.frames = slices.Insert(r.frames, at, f)
}

// received records a frame with its decoded payload. status is that of the header block to which
// the frame belongs.
func (r *recorder) received(f http2.Frame, status string, broken error) {
	h := f.Header()
	r.head(h, status)
	x := described(f)
	switch h.Type {
	case http2.FrameHeaders, http2.FrameContinuation:
		if x.Says, x.Detail = block(status, broken); h.Type == http2.FrameHeaders && !h.Flags.Has(http2.FlagHeadersEndHeaders) {
			x.Says = inContinuation
		}
	}
	r.add(x)
}

var flagNames = regexp.MustCompile(`flags=([A-Z_|]+)`)

// described is a frame with its flags, as RFC 9113 §6 names them, and what its payload says.
func described(f http2.Frame) facts.Frame {
	h := f.Header()
	x := facts.Frame{Type: h.Type.String(), StreamID: h.StreamID, Length: int(h.Length)}
	if m := flagNames.FindStringSubmatch(h.String()); m != nil {
		x.Flags = m[1]
	}
	switch f := f.(type) {
	case *http2.GoAwayFrame:
		x.Detail = fmt.Sprintf("last_stream_id=%d %v debug=%q", f.LastStreamID, f.ErrCode, clip(f.DebugData()))
	case *http2.RSTStreamFrame:
		x.Detail = f.ErrCode.String()
	case *http2.WindowUpdateFrame:
		x.Detail = fmt.Sprintf("increment=%d", f.Increment)
	case *http2.SettingsFrame:
		var all []string
		for i := range min(f.NumSettings(), 10) {
			all = append(all, fmt.Sprintf("%v=%d", f.Setting(i).ID, f.Setting(i).Val))
		}
		x.Detail = strings.Join(all, " ")
	}
	return x
}

var inContinuation = facts.T("trace.in-continuation")

// block describes a complete header block: only trailers have no status (RFC 9113 §8.1).
func block(status string, broken error) (says facts.Text, detail string) {
	switch {
	case broken != nil:
		return facts.T("trace.undecodable"), ""
	case status == "":
		return facts.T("trace.trailers"), ""
	}
	return facts.Text{}, ":status " + short(status)
}

// clip shortens a peer's text.
func clip(b []byte) []byte { return b[:min(len(b), 120)] }

// summary describes what was recorded, in order.
func (tr *trace) summary() facts.Note {
	if tr.limit == 0 && !tr.ended() {
		all := append(tr.droppedNotes(), tr.resetNotes()...)
		return summaryOf(append([]facts.Note{facts.NewNote("note.not-ended", tr.answered)}, all...)...)
	}
	all := []facts.Note{tr.endingNote()}
	if len(tr.dropped) == 0 && len(tr.resets) == 0 {
		all = append(all, facts.NewNote("note.all-answered"))
	}
	all = append(append(all, tr.droppedNotes()...), tr.resetNotes()...)
	if tr.first != nil && tr.last.last != tr.first.last {
		all = append(all, facts.NewNote("note.second-goaway", tr.last.last))
	}
	if tr.first != nil && tr.last.code != tr.first.code {
		all = append(all, facts.NewNote("note.second-error", tr.last.code.String()))
	}
	switch late := tr.closedMS - tr.lastMS; {
	case tr.gone && tr.answered == 0 && !tr.wasReset():
		all = append(all, facts.NewNote("note.server-closed-unanswered"))
	case tr.gone && tr.wasReset():
		all = append(all, after(late, "note.server-reset-at-once", "note.server-reset"))
	case tr.gone:
		all = append(all, after(late, "note.server-closed-at-once", "note.server-closed"))
	default:
		all = append(all, facts.NewNote("note.still-open"))
	}
	if tr.resent {
		all = append(all, facts.NewNote("note.sent-again", tr.repeated()))
	}
	return summaryOf(all...)
}

// summaryOf makes one sentence of clauses.
func summaryOf(clauses ...facts.Note) facts.Note {
	all := make([]facts.Text, len(clauses))
	for i, c := range clauses {
		all[i] = facts.Text(c)
	}
	return facts.NewNote("note.summary", facts.Join("join.semicolon", all...))
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
		all = append(all, facts.NewNote("note.partly-answered", len(partly), list(partly)))
	}
	if taken := tr.untold(tr.silent(fateCovered)); len(taken) > 0 {
		all = append(all, facts.NewNote("note.taken-unanswered", len(taken), list(taken)))
	}
	behind, unknown := tr.silent(fateAbove), tr.silent(fateUnknown)
	if tr.last == nil && tr.gone {
		behind, unknown = unknown, nil
	}
	if len(unknown) > 0 {
		all = append(all, facts.NewNote("note.unknown-unanswered", len(unknown), list(unknown)))
	}
	switch len(behind) {
	case 0:
	case 1:
		all = append(all, facts.NewNote("note.dropped-one", list(behind)))
	default:
		all = append(all, facts.NewNote("note.dropped-many", len(behind), list(behind)))
	}
	return all
}

// silent are the streams of a fate that got neither an answer nor a reset.
func (tr *trace) silent(wanted fate) []uint32 {
	return slices.DeleteFunc(tr.with(wanted), tr.wasResetAt)
}

// untold are the streams of which endingNote doesn't say already that they got no complete answer.
func (tr *trace) untold(ids []uint32) []uint32 {
	if key := tr.endingNote().Key; key != "note.ended-partly" && key != "note.ended-unanswered" {
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
		return facts.NewNote("note.limit-not-met", tr.sent, tr.limit)
	case g == nil && !tr.gone:
		return facts.NewNote("note.limit-elsewhere", tr.sent, tr.limit)
	case g == nil:
		return facts.NewNote("note.closed-silently", n)
	case g.answered == 0 && tr.limit == 0 && g.last == announcement:
		return facts.NewNote("note.goaway-at-start", g.last, g.code.String())
	case g.last > streamOf(g.sent):
		return facts.NewNote("note.goaway-ahead-of-all", n, g.last, g.code.String())
	case tr.early && tr.limit > 0:
		return facts.NewNote("note.ended-early", g.answered, tr.limit, g.last, g.code.String())
	case g.code != http2.ErrCodeNo:
		return facts.NewNote("note.ended-by-error", g.answered, g.last, g.code.String())
	case tr.fate(streamOf(tr.trips(g))) == fatePartly:
		return facts.NewNote("note.ended-partly", tr.trips(g), g.last, g.code.String())
	case tr.fate(streamOf(tr.trips(g))) != fateAnswered:
		return facts.NewNote("note.ended-unanswered", tr.trips(g), g.last, g.code.String())
	default:
		return facts.NewNote("note.ended-at-limit", tr.trips(g), g.last, g.code.String())
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
		return []facts.Note{facts.NewNote("note.refused", n)}
	case len(codes) > 1:
		return []facts.Note{facts.NewNote("note.some-reset", n, refused)}
	}
	for code := range codes {
		return []facts.Note{facts.NewNote("note.all-reset", n, code.String())}
	}
	return nil
}

// list is the ids without the middle of a long list.
func list(ids []uint32) facts.Text {
	const most = 8
	var all []facts.Text
	for i, id := range ids {
		switch {
		case len(ids) <= most || i < 3 || i == len(ids)-1:
			all = append(all, facts.Verbatim(fmt.Sprint(id)))
		case i == 3:
			all = append(all, facts.Verbatim("…"))
		}
	}
	return facts.Join("join.list", all...)
}
