package probe

import (
	"fmt"
	"slices"

	"golang.org/x/net/http2"

	"h2lab/internal/facts"
)

// annotate explains the frames that matter, in place.
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
			f.Note = noteReset(tr.resets[f.StreamID])
		case f.Type == "GOAWAY" && !f.Sent:
			goaways++
			f.Note = tr.noteGoaway(goaways)
		case f.Sent:
		case f.Type == "TCP" && f.Detail == "RST":
			f.Note = "the server resets the connection, " + after(f.TMS-tr.lastMS) + ": what was on its way to the client may be lost"
		case f.Type == "TLS" || f.Type == "TCP" && (i == 0 || frames[i-1].Type != "TLS"):
			f.Note = "the server closes its side, " + after(f.TMS-tr.lastMS)
		}
	}
}

func (tr *trace) noteHeaders(f *facts.Frame) string {
	n := int(f.StreamID+1) / 2
	_, wasReset := tr.resets[f.StreamID]
	dropped := slices.Contains(tr.dropped, f.StreamID)
	switch {
	case f.Sent && dropped:
		return tr.noteDropped(f.StreamID)
	case tr.limit == 0 || wasReset:
		return ""
	case n == tr.limit && f.Sent:
		return fmt.Sprintf("request %d of this connection, the one that reaches the limit", n)
	case n == tr.limit && tr.ended():
		return "the request that reached the limit is answered all the same"
	case n > tr.limit && f.Sent && tr.ended():
		return "beyond the limit, and answered all the same"
	}
	return ""
}

// ended reports whether the server announced an end or made one.
func (tr *trace) ended() bool { return tr.first != nil || tr.gone }

// noteDropped says of a request without an answer what may be done with it.
func (tr *trace) noteDropped(id uint32) string {
	switch {
	case tr.uncovered(id):
		return "sent before the GOAWAY was read: never answered, dropped without a word; safe to send again, whatever the method (RFC 9113 §6.8)"
	case tr.last != nil:
		return "never answered, though the GOAWAY counts it as taken: it may have been processed (RFC 9113 §6.8)"
	}
	return "never answered, and no GOAWAY says whether it was processed: only a method that may be repeated is safe to send again (RFC 9110 §9.2.2)"
}

func noteReset(code http2.ErrCode) string {
	if code == http2.ErrCodeRefusedStream {
		return "refused: it was not processed and is safe to send again, whatever the method (RFC 9113 §8.7)"
	}
	return "this stream ends without an answer; it may have been processed"
}

// noteGoaway explains the nth GOAWAY of the connection.
func (tr *trace) noteGoaway(n int) string {
	if n > len(tr.goaways) {
		return ""
	}
	g := tr.goaways[n-1]
	switch {
	case g.code != http2.ErrCodeNo:
		return fmt.Sprintf("%v is a complaint, not a request limit; streams above %d were not processed and may be sent again (RFC 9113 §6.8)", g.code, g.last)
	case n > 1 && g.last == tr.goaways[n-2].last:
		return "the same once more"
	case n > 1:
		return "second stage: now the id is the last stream that was taken (RFC 9113 §6.8)"
	case g.last == announcement:
		return "first stage: open no more streams here; those on their way are still served (RFC 9113 §6.8)"
	case g.last > streamOf(g.sent):
		return "open no more streams here; the id lies ahead, so those on their way are still served (RFC 9113 §6.8)"
	case g.last == 0:
		return "no stream was taken: all may be sent again (RFC 9113 §6.8)"
	}
	requests := int(g.last+1) / 2
	return fmt.Sprintf("the limit: %s; the peer names stream %d (= 2 × %d − 1) as its last. Streams above it were not and will not be processed; they may be sent again, whatever their method (RFC 9113 §6.8)",
		plural(requests, "request"), g.last, requests)
}

// noteSecond explains the frames of the new connection.
func (tr *trace) noteSecond(f *facts.Frame) string {
	switch {
	case f.Type == "TCP":
		return "another TCP and TLS handshake"
	case f.Type == "HEADERS" && f.Sent && tr.uncovered(tr.repeated()):
		return fmt.Sprintf("what stream %d asked, again: it was not processed (RFC 9113 §8.7)", tr.repeated())
	case f.Type == "HEADERS" && f.Sent:
		return fmt.Sprintf("what stream %d asked, again: %s may be repeated (RFC 9110 §9.2.2)", tr.repeated(), tr.target.method())
	case f.Type == "HEADERS":
		return "and this time it is answered"
	}
	return ""
}

// after says how long the server took to close.
func after(ms float64) string {
	if ms < 0.1 {
		return "right after its last answer"
	}
	return fmt.Sprintf("%.1f ms after its last answer", ms)
}
