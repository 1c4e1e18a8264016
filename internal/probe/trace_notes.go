package probe

import (
	"fmt"
	"slices"
	"strings"

	"h2lab/internal/lab"
)

// annotate explains the frames that matter, in place.
func (tr *trace) annotate(frames []lab.Frame) {
	goaways := 0
	for i := range frames {
		f := &frames[i]
		switch {
		case tr.second > 0 && i >= tr.second:
			f.Note = tr.noteSecond(f)
		case f.Type == "HEADERS":
			f.Note = tr.noteHeaders(f)
		case f.Type == "GOAWAY":
			goaways++
			f.Note = tr.noteGoaway(goaways)
		case f.Type == "TLS" || f.Type == "TCP" && (i == 0 || frames[i-1].Type != "TLS"):
			f.Note = "the server closes, " + after(f.TMS-tr.lastMS)
		}
	}
}

func (tr *trace) noteHeaders(f *lab.Frame) string {
	n := int(f.StreamID+1) / 2
	dropped := slices.Contains(tr.dropped, f.StreamID)
	switch {
	case n == tr.limit && f.Sent:
		return fmt.Sprintf("request %d of this connection, the one that reaches the limit", n)
	case n == tr.limit:
		return "the request that reached the limit is answered all the same"
	case n > tr.limit && f.Sent && dropped:
		return "already on its way when the limit is reached: never answered"
	case n > tr.limit && f.Sent:
		return "beyond the limit, and answered all the same"
	}
	return ""
}

// noteGoaway explains the nth GOAWAY of the connection.
func (tr *trace) noteGoaway(n int) string {
	g := tr.first
	switch {
	case n > 1:
		return "second stage: now the id is the last stream that was taken (RFC 9113 §6.8)"
	case g.last == announcement:
		return "first stage: open no more streams here; those on their way are still served (RFC 9113 §6.8)"
	case g.last > streamOf(g.sent):
		return "open no more streams here; the id lies ahead, so those on their way are still served (RFC 9113 §6.8)"
	}
	return fmt.Sprintf("%d = 2 × %d − 1: request %d was the last one taken. Streams above it were not and will not be processed; they may be sent again, whatever their method (RFC 9113 §6.8)",
		g.last, (g.last+1)/2, (g.last+1)/2)
}

// noteSecond explains the frames of the new connection.
func (tr *trace) noteSecond(f *lab.Frame) string {
	switch {
	case f.Type == "TCP":
		return "another TCP and TLS handshake"
	case f.Type == "HEADERS" && f.Sent:
		return fmt.Sprintf("what stream %d asked, again: it was not processed (RFC 9113 §8.7)", tr.dropped[0])
	case f.Type == "HEADERS":
		return "and this time it is answered"
	}
	return ""
}

// summary says in one sentence what was seen.
func (tr *trace) summary() string {
	var b strings.Builder
	switch g := tr.first; {
	case g == nil:
		fmt.Fprintf(&b, "The server closed the connection around request %d without a GOAWAY", tr.limit)
	case g.last > streamOf(g.sent):
		fmt.Fprintf(&b, "Request %d brought GOAWAY(last_stream_id=%d, %v), which lies ahead of every stream", tr.limit, g.last, g.code)
	default:
		fmt.Fprintf(&b, "Request %d brought GOAWAY(last_stream_id=%d, %v) and was answered", (g.last+1)/2, g.last, g.code)
	}
	switch n := len(tr.dropped); {
	case n == 0:
		b.WriteString("; every request on its way was answered")
	case n == 1:
		fmt.Fprintf(&b, "; the request behind it (stream %d) was dropped without a word", tr.dropped[0])
	default:
		fmt.Fprintf(&b, "; the %d requests behind it (streams %s) were dropped without a word", n, list(tr.dropped))
	}
	if tr.first != nil && tr.last.last != tr.first.last {
		fmt.Fprintf(&b, "; a second GOAWAY then named stream %d", tr.last.last)
	}
	if tr.gone {
		b.WriteString("; the server closed " + after(tr.closedMS-tr.lastMS))
	} else {
		b.WriteString("; the connection was still open when the trace ended")
	}
	if tr.resent {
		fmt.Fprintf(&b, "; on a new connection stream %d's request got its answer", tr.dropped[0])
	}
	return b.String() + "."
}

// after says how long the server took to close.
func after(ms float64) string {
	if ms < 0.1 {
		return "right after its last answer"
	}
	return fmt.Sprintf("%.1f ms after its last answer", ms)
}

// list is ids in prose.
func list(ids []uint32) string {
	var words []string
	for _, id := range ids {
		words = append(words, fmt.Sprint(id))
	}
	return strings.Join(words, ", ")
}
