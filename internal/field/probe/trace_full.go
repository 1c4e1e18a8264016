package probe

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"strings"

	"golang.org/x/net/http2"

	"h2lab/internal/facts"
)

const (
	// rolled is how many frames before the limit are kept, so that an early end is shown with the
	// frames before it.
	rolled    = 60
	maxHeads  = 64           // answers whose fields are kept
	maxFields = 60           // of one answer
	leftOut   = "(left out)" // replaces a secret value
)

// fullTrace is what a recorder keeps in addition: the frames of both directions from the preface
// on, except those well before the limit, and the fields of answers.
type fullTrace struct {
	ask        string // what every request asks
	connection int
	from       int // index of the first frame before the limit that may be dropped; -1 outside that part
	dropped    int // dropped frames of that part
	heads      []facts.Head
	block      []facts.HField // of the header block that is being read
}

// telling frames are few and important: they are kept even when the trace is full.
func telling(f facts.Frame) bool {
	switch f.Type {
	case "GOAWAY", "RST_STREAM", "TCP", "TLS", facts.FrameGap:
		return true
	case "HEADERS":
		return f.Sent
	}
	return false
}

// takes reports whether a frame needs no line of its own: consecutive parts of a body become one
// line, and old frames before the limit are dropped.
func (w *fullTrace) takes(r *recorder, f facts.Frame) bool {
	if w.from >= 0 && len(r.frames)-w.from >= rolled {
		kept := copy(r.frames[w.from:], r.frames[len(r.frames)-rolled/2:])
		w.dropped += len(r.frames) - w.from - kept
		r.frames = r.frames[:w.from+kept]
	}
	if f.Type != "DATA" || f.Flags != "" || len(r.frames) == 0 {
		return false
	}
	last := &r.frames[len(r.frames)-1]
	if last.Type != "DATA" || last.Flags != "" || last.StreamID != f.StreamID || last.Sent != f.Sent {
		return false
	}
	last.Length += f.Length
	last.Detail = "in several frames"
	return true
}

// before is the index for a frame from the peer: the answer to it may already be recorded, and
// belongs after it.
func (r *recorder) before(f facts.Frame) int {
	at := len(r.frames)
	for at > 0 {
		x := r.frames[at-1]
		answers := x.Flags == "ACK" && x.Type == f.Type || x.Type == "WINDOW_UPDATE" && f.Type == "DATA"
		if !x.Sent || f.Sent || f.Flags == "ACK" || !answers {
			break
		}
		at--
	}
	return at
}

// leave starts the part of the trace that may be dropped, arrive ends it and replaces its remaining
// frames with a gap of that description.
func (r *recorder) leave() { r.full.from, r.full.dropped = len(r.frames), 0 }

func (r *recorder) arrive(what string) {
	from := r.full.from
	r.full.from = -1
	r.frames = append(r.frames[:from], facts.Frame{Type: facts.FrameGap, TMS: r.ms(), Detail: what})
}

// cutShort ends that part if the connection ended within it: its last frames stay.
func (r *recorder) cutShort() {
	from := r.full.from
	r.full.from = -1
	if r.full.dropped == 0 {
		return
	}
	gap := facts.Frame{Type: facts.FrameGap, TMS: r.frames[from].TMS,
		Detail: fmt.Sprintf("%d frames of requests and answers", r.full.dropped)}
	r.frames = append(r.frames[:from:from], append([]facts.Frame{gap}, r.frames[from:]...)...)
}

// field is called for every header field that is read.
func (w *fullTrace) field(name, value string) {
	if len(w.block) >= maxFields || strings.HasPrefix(name, ":") {
		return
	}
	if strings.EqualFold(name, "set-cookie") {
		value = leftOut
	}
	w.block = append(w.block, facts.HField{Name: short(name), Value: short(value)})
}

// head keeps the fields of a complete header block. An interim answer (1xx) doesn't count.
func (w *fullTrace) head(h http2.FrameHeader, status string) {
	if h.Type != http2.FrameHeaders && h.Type != http2.FrameContinuation || !h.Flags.Has(http2.FlagHeadersEndHeaders) {
		return
	}
	fields := w.block
	w.block = nil
	if w.from < 0 && len(w.heads) < maxHeads && !strings.HasPrefix(status, "1") {
		w.heads = append(w.heads, facts.Head{Connection: w.connection, Stream: h.StreamID, Fields: fields})
	}
}

// outgoing records every outgoing frame; a framer writes each in one piece.
type outgoing struct {
	to io.Writer
	r  *recorder
}

func (o outgoing) Write(p []byte) (int, error) {
	if h, err := http2.ReadFrameHeader(bytes.NewReader(p)); err == nil && len(p) == frameHeader+int(h.Length) {
		o.r.sent(h, p[frameHeader:])
	}
	return o.to.Write(p)
}

// sent records a frame that the probe sent, with its decoded payload.
func (r *recorder) sent(h http2.FrameHeader, payload []byte) {
	x := facts.Frame{
		Sent:     true,
		Type:     h.Type.String(),
		StreamID: h.StreamID,
		Length:   int(h.Length),
		Flags:    flagNames(h),
	}
	switch h.Type {
	case http2.FrameHeaders:
		x.Detail = r.full.ask
	case http2.FrameWindowUpdate:
		x.Detail = fmt.Sprintf("increment=%d", binary.BigEndian.Uint32(payload))
	case http2.FrameSettings:
		var all []string
		for ; len(payload) >= 6; payload = payload[6:] { // RFC 9113 §6.5.1
			id, value := http2.SettingID(binary.BigEndian.Uint16(payload)), binary.BigEndian.Uint32(payload[2:])
			all = append(all, fmt.Sprintf("%v=%d", id, value))
		}
		x.Detail = strings.Join(all, " ")
	}
	r.add(x)
}
