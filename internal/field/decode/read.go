package decode

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
)

// Input says how much of one input was read.
type Input struct {
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`
	Lines int    `json:"lines"`
	// LongLines counts lines longer than 64 KiB, which are read in pieces.
	LongLines int `json:"long_lines"`
}

const (
	piece   = 64 << 10
	cutOff  = 512
	overlap = 2 << 10 // of two pieces of a line, so that a message across the boundary is found
)

// reader splits an input into messages.
type reader struct {
	tally   *Tally
	decoder *Decoder
	message message
	in      *Input
	index   int // of the input
	// long is set within a line that is read in pieces. seen are the diagnoses of that line: each
	// counts once per line.
	long bool
	seen map[string]bool
	tail []byte
	both []byte // tail and piece
	held held
}

// Read decodes everything in r and adds it to the tally. Its memory doesn't grow with the input.
func Read(ctx context.Context, name string, r io.Reader, t *Tally) error {
	t.Inputs = append(t.Inputs, Input{Name: name})
	index := len(t.Inputs) - 1
	rd := &reader{tally: t, decoder: NewDecoder(), in: &t.Inputs[index], index: index, seen: map[string]bool{}}
	rd.decoder.stages = t.stages
	err := rd.all(ctx, bufio.NewReaderSize(r, piece))
	rd.flush()
	rd.release()
	return err
}

// A failure is often logged more than once: the frame, then what it did to the connection, then the
// caller's error. held is the last finding, until the next message shows whether it is about the same
// failure.
type held struct {
	finding *Finding
	raw     []byte
	line    int
	message int // its number
	clock   string
}

const (
	// nearMessages is how many messages apart two findings of one failure are at most, fewLines how
	// long an input without times is at most for its lines to be about one failure.
	nearMessages = 3
	fewLines     = 12
)

// clockOf is the first time of day at the beginning of a message, or "".
func clockOf(raw []byte) string {
	const form = len("00:00:00")
	for i := 0; i+form <= min(len(raw), 80); i++ {
		if c := raw[i : i+form]; c[2] == ':' && c[5] == ':' && digit(c[0]) && digit(c[1]) && digit(c[3]) && digit(c[4]) &&
			digit(c[6]) && digit(c[7]) {
			return string(c)
		}
	}
	return ""
}

// found takes a message's finding: it belongs to the failure that is held, or is held instead.
func (r *reader) found(f *Finding, raw []byte, line int) {
	now := held{finding: f, line: line, message: r.tally.Events, clock: clockOf(raw)}
	if r.held.finding != nil && r.in.Lines <= fewLines && !f.echoes(r.held.finding) && f.Kind != Unclear && f.Kind != Unrelated &&
		(re("again").Match(r.held.raw) && re("final").Match(raw)) {
		f.tried = r.held.finding.mayHaveRun()
		r.tally.Events-- // what was tried again is one failure, whose last attempt says why it failed
		now.line, r.held.finding = r.held.line, nil
	}
	if r.held.finding != nil && now.message-r.held.message <= nearMessages &&
		(r.sameMoment(raw, now) && (joins(r.held.finding, f) || r.sameTag(raw) && differ(r.held.finding, f))) {
		r.tally.Events-- // one failure is one message
		speak(r.held.finding, f)
		r.held.finding.explained(f)
		if before := r.held.finding; f.follows(before) || !before.follows(f) && weight(f) <= weight(before) && !f.names(before) {
			return
		}
		now.line = r.held.line
		r.held.finding = nil
	}
	r.release()
	now.raw = append(r.held.raw[:0], raw...)
	r.held = now
}

// echoes reports whether a finding is only the time-out that another one names with its cause: a deadline bounds all attempts.
func (f *Finding) echoes(other *Finding) bool {
	return f.Event == onTimedOut && f.rank < weak && other.Event != onTimedOut && other.states(onTimedOut)
}

// mayHaveRun reports whether a server may have executed the request, in this attempt or in one before it.
func (f *Finding) mayHaveRun() bool {
	executed := f.ruling(circumstances{}).Executed
	return executed == Maybe || executed == Yes
}

// release adds what is held to the tally.
func (r *reader) release() {
	if f := r.held.finding; f != nil {
		r.tally.add(f, r.held.raw, r.index, r.held.line)
		r.held.finding = nil
	}
}

// sameMoment reports whether a message was logged when the held one was: in the same second, under
// the same number of a connection, or in an input of few lines without times.
func (r *reader) sameMoment(raw []byte, now held) bool {
	if now.clock != "" && r.held.clock != "" {
		return now.clock == r.held.clock
	}
	if r.sameTag(raw) {
		return true
	}
	if now.finding.Kind == Plain && r.held.finding.Kind == Plain {
		return false
	}
	if now.finding.Kind == Plain || r.held.finding.Kind == Plain {
		return r.in.Lines <= fewLines && now.message == r.held.message+1 && now.clock == "" && r.held.clock == ""
	}
	return r.in.Lines <= fewLines
}

func (r *reader) sameTag(raw []byte) bool {
	a := tag(raw)
	return a != nil && bytes.Equal(a, tag(r.held.raw))
}

// speak gives each of two findings of one failure the other's speaker, unless its library says who wrote it.
func speak(a, b *Finding) {
	for _, f := range [][2]*Finding{{a, b}, {b, a}} {
		own := f[0].Signature
		if f[0].Speaker == "" && f[1].Speaker != "" && (own == nil || serverKind(own.Kind)) {
			f[0].Speaker = f[1].Speaker
			if k, _ := kindOf(f[0].evidence, f[0].Signature); k != "" {
				f[0].Kind = k
			}
		}
	}
}

// explained takes the writer's own CANCEL for what its caller did, if the failure's other message says that.
func (f *Finding) explained(other *Finding) {
	if f.Kind == Cancelled && f.Direction == sent && f.Speaker != "server" && other.Event == onCancelled {
		f.Kind = GaveUp
	}
}

// follows reports whether a finding is the writer's own reset of a stream whose time was over: the time is why.
func (f *Finding) follows(other *Finding) bool {
	return (f.Kind == Reset || f.Kind == Cancelled) && f.Direction == sent && other.Event == onTimedOut && other.rank > weak
}

func differ(a, b *Finding) bool {
	return a.Kind != b.Kind || a.Code != b.Code || a.Direction != b.Direction
}

// tag is the number of a message's connection, or nil.
func tag(raw []byte) []byte { return re("connectionTag").whole().Find(raw) }

// consequences are kinds that another failure has as its consequence.
var consequences = []Kind{Status, Lost, Plain, Confused, Cancelled, NotSent, TimeUp, GaveUp, ServerLog, Unclear, Reset}

// joins reports whether two findings can be about one failure: one is the other's consequence, or
// both have the same event and one has more facts of it. Equal findings are two failures.
func joins(a, b *Finding) bool {
	if !differ(a, b) {
		alike := a.Signature != b.Signature || oneID(a, b)
		return alike && (same(a.StreamID, b.StreamID) || a.Event == onGoaway && b.Event == onGoaway &&
			(same(a.LastStreamID, b.LastStreamID) || a.LastStreamID == nil || b.LastStreamID == nil) ||
			a.repeats(b) || b.repeats(a))
	}
	if a.foreign() != b.foreign() {
		return false // of two protocols
	}
	if a.Event == onRstStream && b.Event == onRstStream && a.Code != "" && b.Code != "" && a.Code != b.Code {
		return false // a stream is reset once
	}
	if strings.Contains(a.low, "://") && strings.Contains(b.low, "://") {
		return false // two requests
	}
	return slices.Contains(consequences, a.Kind) || slices.Contains(consequences, b.Kind) ||
		a.Direction == sent || b.Direction == sent || a.Event == b.Event && (a.Code == "" || b.Code == "" ||
		a.Code == b.Code && oneID(a, b))
}

// foreign reports whether a finding is another protocol's failure.
func (f *Finding) foreign() bool {
	return f.Kind == Unrelated && !slices.Contains(settled, f.Event) && ofAnother(f.low)
}

// names reports whether a finding gives the failure of another one the library that the other one lacks.
func (f *Finding) names(other *Finding) bool {
	return !differ(f, other) && other.Signature == nil && f.Signature != nil && !f.Signature.General
}

// repeats reports whether a finding's words, in another wrapping, are those of another one, which names no other stream and no
// other address.
func (f *Finding) repeats(other *Finding) bool {
	from, to := f.at[aboutEvent].from, max(f.at[aboutEvent].to, f.at[aboutCode].to)
	if f.StreamID != nil && other.StreamID != nil || to-from < leastQuote || to > len(f.low) {
		return false
	}
	if !strings.Contains(other.low, f.low[from:to]) {
		return false
	}
	a, b := f.addresses(), other.addresses()
	return len(a) == 0 || len(b) == 0 || slices.ContainsFunc(a, func(s string) bool { return slices.Contains(b, s) })
}

// addresses are the hosts that a text names; a line of a source file is none.
func (t text) addresses() []string {
	return re("address").whole().FindAllString(re("sourceFile").whole().ReplaceAllString(t.low, ""), -1)
}

// leastQuote is how long words are at least that two messages don't share by chance.
const leastQuote = 12

// oneID reports whether only one of two findings has a last stream id.
func oneID(a, b *Finding) bool { return (a.LastStreamID == nil) != (b.LastStreamID == nil) }

func same(a, b *uint32) bool { return a != nil && b != nil && *a == *b }

// weight is how much a finding explains: a frame more than a closed connection.
func weight(f *Finding) int {
	n := 0
	if f.Kind == Unclear {
		return -1 // whatever else is said of the failure says more
	}
	if f.Kind == ServerLog && f.Signature == nil {
		return n // a server's line that reports no failure
	}
	known := f.Signature != nil && !f.Signature.General && !f.dropped // the library's own words
	if (f.rank <= rankShape || f.Kind == Reset && f.rank < weak) && f.Code == "" && !known {
		return 1
	}
	switch f.Kind {
	case Plain, ServerLog, Status:
	case Lost, TimeUp, GaveUp, Confused:
		n = 2
	case NotSent, Cancelled:
		n = 4
	case Reset:
		if n = 6; f.Direction == sent {
			return 3 // the writer's answer to another frame
		}
	case Ended:
		if n = 6; f.Direction == sent {
			return 1 // the writer ended a connection that it had no more use for
		}
	default:
		n = 6
	}
	if f.Code != "" || f.LastStreamID != nil {
		n++
	}
	return n
}

func (r *reader) all(ctx context.Context, b *bufio.Reader) error {
	for n := 0; ; n++ {
		if n%512 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		line, err := b.ReadSlice('\n')
		r.in.Bytes += int64(len(line))
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			r.piece(line, false)
			continue
		case r.long:
			r.piece(line, true)
		case len(line) > 0:
			r.line(line)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// line handles a whole line.
func (r *reader) line(line []byte) {
	if bytes.IndexByte(line, 0) >= 0 { // UTF-16, or garbage
		if line = bytes.ReplaceAll(line, []byte{0}, nil); len(line) == 0 {
			return
		}
	}
	r.in.Lines++
	if !r.message.goesOn(line) {
		r.flush()
		r.message.begin(r.in.Lines)
	}
	r.message.add(line)
}

// piece handles a part of a line that is longer than the buffer.
func (r *reader) piece(part []byte, last bool) {
	if !r.long {
		r.flush()
		r.release()
		r.long = true
		r.in.Lines++
		r.in.LongLines++
		clear(r.seen)
		r.tally.Events++
	}
	r.both = append(append(r.both[:0], r.tail...), part...)
	text := r.both
	// What stands at the end of a piece may be cut off: the next piece has it whole.
	if f := r.decoder.find(text); f != nil && !r.seen[key(f)] && (last || f.at[aboutEvent].to < len(f.as)-cutOff) {
		r.seen[key(f)] = true
		r.tally.add(f, text, r.index, r.in.Lines)
	}
	r.tail = append(r.tail[:0], text[max(0, len(text)-overlap):]...)
	if last {
		if len(r.seen) == 0 {
			r.tally.Other++
		}
		r.long, r.tail = false, r.tail[:0]
	}
}

// flush decodes the message that is complete.
func (r *reader) flush() {
	if len(bytes.TrimSpace(r.message.text)) > 0 {
		r.tally.Events++
		if f := r.decoder.find(r.message.text); f != nil {
			r.found(f, r.message.text, r.message.line)
		} else {
			r.tally.Other++
			r.tally.prose = r.tally.prose || r.decoder.prose
			if !r.decoder.settled {
				r.tally.unread(r.message.text, r.decoder.signed, r.index, r.message.line)
			} else if re("plainly").Match(r.message.text) {
				r.tally.told = true
			}
		}
	}
	r.message.begin(0)
}
