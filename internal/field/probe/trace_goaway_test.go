package probe

import (
	"strings"
	"testing"

	"golang.org/x/net/http2"

	"h2lab/internal/base/notes"
)

// contradicting names no stream as its last although it has answered some.
func contradicting(limit int) func(*peer) {
	return func(p *peer) {
		for p.count < limit {
			id := p.next()
			if id == 0 {
				return
			}
			if p.count == limit {
				_ = p.bw.Flush()
				_ = p.fr.WriteGoAway(0, http2.ErrCodeNo, nil)
			}
			p.answer(id)
		}
	}
}

// starting announces the end before the first request.
func starting(p *peer) {
	_ = p.fr.WriteGoAway(1<<31-1, http2.ErrCodeNo, nil)
	for id := p.next(); id != 0; id = p.next() {
		p.answer(id)
	}
}

// A GOAWAY whose id fits no request is not said to be that of one.
func TestNoRequestIsSaidToBringAGoawayOfTheServersOwn(t *testing.T) {
	for name, c := range map[string]struct {
		handle        func(*peer)
		ask           TraceAsk
		summary, note string
	}{
		"an id below answered streams": {contradicting(20), TraceAsk{Limit: 20},
			"Request 20 brought GOAWAY(last_stream_id=0", "a mistake of the server"},
		"a request that was reset": {resettingLast(20), TraceAsk{Limit: 20},
			"last_stream_id=39, NO_ERROR) and got no answer: it may have run", "the limit: 20"},
		"an end before the first request": {starting, TraceAsk{Streams: 4}, "came before the first answer", "first stage"},
	} {
		got, err := Trace(t.Context(), somebody(t, h2server(t, c.handle), "/"), c.ask)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		summary, note := notes.SummaryInEnglish(got.Renewal.Summary), notesOf(got.Renewal.Frames, "GOAWAY")
		if !strings.Contains(summary, c.summary) || !strings.Contains(note, c.note) {
			t.Errorf("%s: %q, %q; want %q and %q", name, summary, note, c.summary, c.note)
		}
	}
}
