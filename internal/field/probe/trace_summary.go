package probe

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/net/http2"
)

// summary says in one sentence what was seen.
func (tr *trace) summary() string {
	if tr.limit == 0 && !tr.ended() {
		return fmt.Sprintf("The server answered %s on one connection and did not end it.", plural(tr.answered, "request"))
	}
	var b strings.Builder
	b.WriteString(tr.ending())
	if len(tr.dropped) == 0 && len(tr.resets) == 0 {
		b.WriteString("; every request on its way was answered")
	}
	b.WriteString(tr.droppedWords())
	b.WriteString(tr.resetWords())
	if tr.first != nil && tr.last.last != tr.first.last {
		fmt.Fprintf(&b, "; a second GOAWAY then named stream %d", tr.last.last)
	}
	switch {
	case tr.gone && tr.wasReset:
		b.WriteString("; the server reset the connection " + after(tr.closedMS-tr.lastMS))
	case tr.gone:
		b.WriteString("; the server closed " + after(tr.closedMS-tr.lastMS))
	default:
		b.WriteString("; the connection was still open when the trace ended")
	}
	if tr.resent {
		fmt.Fprintf(&b, "; on a new connection stream %d's request got its answer", tr.repeated())
	}
	return b.String() + "."
}

// droppedWords tells the streams without an answer, those a GOAWAY counts as taken apart.
func (tr *trace) droppedWords() string {
	var taken, behind []uint32
	for _, id := range tr.dropped {
		if tr.last != nil && !tr.uncovered(id) {
			taken = append(taken, id)
		} else {
			behind = append(behind, id)
		}
	}
	words := ""
	switch len(taken) {
	case 0:
	case 1:
		words = fmt.Sprintf("; stream %d was counted as taken and never answered", taken[0])
	default:
		words = fmt.Sprintf("; streams %s were counted as taken and never answered", list(taken))
	}
	switch len(behind) {
	case 0:
	case 1:
		words += fmt.Sprintf("; the request behind it (stream %d) was dropped without a word", behind[0])
	default:
		words += fmt.Sprintf("; the %d requests behind it (streams %s) were dropped without a word", len(behind), list(behind))
	}
	return words
}

// ending is what the end came with.
func (tr *trace) ending() string {
	n := tr.limit
	if tr.early {
		n = tr.sent
	}
	switch g := tr.first; {
	case g == nil && !tr.gone:
		return fmt.Sprintf("Request %d was answered and did not end the connection, so this connection's limit is not %d", tr.sent, tr.limit)
	case g == nil:
		return fmt.Sprintf("The server closed the connection around request %d without a GOAWAY", n)
	case g.last > streamOf(g.sent):
		return fmt.Sprintf("Request %d brought GOAWAY(last_stream_id=%d, %v), which lies ahead of every stream", n, g.last, g.code)
	case tr.early:
		return fmt.Sprintf("The connection ended before its limit of %d: GOAWAY(last_stream_id=%d, %v) came after %s", tr.limit, g.last, g.code, plural(g.answered, "answer"))
	case g.code != http2.ErrCodeNo:
		return fmt.Sprintf("The server ended the connection with GOAWAY(last_stream_id=%d, %v) after %s", g.last, g.code, plural(g.answered, "answer"))
	default:
		return fmt.Sprintf("Request %d brought GOAWAY(last_stream_id=%d, %v) and was answered", (g.last+1)/2, g.last, g.code)
	}
}

func (tr *trace) resetWords() string {
	refused := 0
	for _, code := range tr.resets {
		if code == http2.ErrCodeRefusedStream {
			refused++
		}
	}
	switch n := len(tr.resets); {
	case n == 0:
		return ""
	case n == refused:
		return fmt.Sprintf("; %s refused (RST_STREAM REFUSED_STREAM), safe to send again", was(n))
	default:
		return fmt.Sprintf("; %s reset (RST_STREAM), %d of them refused", was(n), refused)
	}
}

func was(n int) string {
	if n == 1 {
		return "1 request was"
	}
	return fmt.Sprintf("%d requests were", n)
}

// list is ids in prose.
func list(ids []uint32) string {
	const most = 8
	var words []string
	for _, id := range ids {
		words = append(words, fmt.Sprint(id))
	}
	if len(words) > most {
		words = slices.Concat(words[:3], []string{"…"}, words[len(words)-1:])
	}
	return strings.Join(words, ", ")
}
