package probe

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/http2"

	"h2lab/internal/facts"
)

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
