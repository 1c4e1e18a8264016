package probe

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/http2"

	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
)

// outline is a trace without what differs between runs.
func outline(frames []facts.Frame) []string {
	var out []string
	for _, f := range frames {
		arrow := "< "
		if f.Sent {
			arrow = "> "
		}
		out = append(out, strings.TrimSpace(arrow+f.Type+" "+f.Flags+" "+f.Detail))
	}
	return out
}

func TestARenewalOfAOneStageServerShowsTheDroppedStreamsAndTheirCure(t *testing.T) {
	for _, limit := range []int{1, 2, 7, 1000} {
		got, err := TraceRenewal(t.Context(), h2server(t, likeNginx(limit)), limit)
		if err != nil {
			t.Fatalf("limit %d: %v", limit, err)
		}
		served := min(limit, upTo)
		var dropped []uint32
		for n := limit + 1; n <= limit-served+crossing; n++ {
			dropped = append(dropped, streamOf(n))
		}
		if diff := cmp.Diff(dropped, got.Dropped); diff != "" {
			t.Errorf("limit %d: dropped streams (-want +got):\n%s", limit, diff)
		}
		if got.Protocol != "h2" || !strings.Contains(texts.English.Note(got.Summary),
			"never answered") || !strings.Contains(texts.English.Note(got.Summary), "got its answer") {
			t.Errorf("limit %d: summary %q", limit, got.Summary)
		}
	}
}

func TestARenewalIsWrittenDownFrameByFrame(t *testing.T) {
	got, err := TraceRenewal(t.Context(), h2server(t, likeNginx(4)), 4)
	if err != nil {
		t.Fatal(err)
	}
	ask, head, body := "> HEADERS END_STREAM|END_HEADERS :method GET :path /lab/health",
		"< HEADERS END_HEADERS :status 200", "< DATA END_STREAM"
	want := []string{ask, ask, ask, ask, ask, ask, head, body, head, body,
		`< GOAWAY  last_stream_id=7 NO_ERROR debug=""`, head, body, "< TLS  close_notify", "< TCP  FIN",
		"> TCP  new connection, TLS 1.3", ask, head, body}
	if diff := cmp.Diff(want, outline(got.Frames)); diff != "" {
		t.Errorf("frames (-want +got):\n%s", diff)
	}
	last := -1.0
	for i, f := range got.Frames {
		if f.TMS < last {
			t.Errorf("frame %d goes back in time: %v after %v", i, f.TMS, last)
		}
		last = f.TMS
	}
	for i, words := range map[int]string{2: "reaches the limit", 3: "never answered", 10: "RFC 9113 §6.8",
		11: "is answered",
		13: "after its last answer", 16: "what stream 9 asked, again", 17: "answered"} {
		if !strings.Contains(texts.English.Note(got.Frames[i].Note), words) {
			t.Errorf("frame %d has the note %q, want %q in it", i, got.Frames[i].Note, words)
		}
	}
}

func TestARenewalInTwoStagesDropsNothing(t *testing.T) {
	got, err := TraceRenewal(t.Context(), h2server(t, likeEnvoy(10)), 10)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Dropped) != 0 || !strings.Contains(texts.English.Note(got.Summary),
		"every request in flight was answered") ||
		!strings.Contains(texts.English.Note(got.Summary), "second GOAWAY then named stream 25") {
		t.Errorf("dropped %v, summary %q", got.Dropped, got.Summary)
	}
	var said []string
	for _, f := range got.Frames {
		if f.Type == "GOAWAY" {
			said = append(said, texts.English.Note(f.Note))
		}
	}
	if len(said) != 2 || !strings.HasPrefix(said[0], "first stage") || !strings.HasPrefix(said[1], "second stage") {
		t.Errorf("notes of the GOAWAYs: %q", said)
	}
}

func TestARenewalWithoutAWordIsToldAsSuch(t *testing.T) {
	got, err := TraceRenewal(t.Context(), h2server(t, rude(10)), 10)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(texts.English.Note(got.Summary), "without a GOAWAY") || len(got.Dropped) == 0 {
		t.Errorf("dropped %v, summary %q", got.Dropped, got.Summary)
	}
}

func TestATraceWithTheWrongLimitSaysSo(t *testing.T) {
	target := h2server(t, likeNginx(100))
	for limit, want := range map[int]string{50: "its limit is not 50", 500: "before the limit of 500", 0: "at least"} {
		if _, err := TraceRenewal(t.Context(), target, limit); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("limit %d: error %v, want %q", limit, err, want)
		}
	}
}

// odd answers twenty requests as a server does whose frames are easily misread; at(n) acts on request n.
func odd(at func(p *peer, n int, id uint32)) func(*peer) {
	return func(p *peer) {
		for id := p.next(); id != 0; id = p.next() {
			at(p, p.count, id)
		}
	}
}

// leave closes shortly after what was written.
func (p *peer) leave() { _ = p.conn.SetReadDeadline(time.Now().Add(50 * time.Millisecond)) }

// begin sends the headers of an answer and no end.
func (p *peer) begin(id uint32) {
	_ = p.fr.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: []byte{0x88}, EndHeaders: true})
}

// resetAfter resets every stream after its complete answer (RFC 9113 §8.1).
func resetAfter(p *peer, n int, id uint32) {
	if n == 20 {
		_ = p.fr.WriteGoAway(id, http2.ErrCodeNo, nil)
		p.leave()
	}
	if n <= 20 {
		p.answer(id)
		_ = p.fr.WriteRSTStream(id, http2.ErrCodeNo)
	}
}

// breakingOff begins the answer to the request of its limit, and closes.
func breakingOff(p *peer, n int, id uint32) {
	switch {
	case n < 20:
		p.answer(id)
	case n == 20:
		_ = p.fr.WriteGoAway(id, http2.ErrCodeNo, nil)
		p.begin(id)
		p.leave()
	}
}

// answeringAbove names request 20 as its last, and answers two more.
func answeringAbove(p *peer, n int, id uint32) {
	if n == 20 {
		_ = p.fr.WriteGoAway(id, http2.ErrCodeNo, nil)
		p.leave()
	}
	if n <= 22 {
		p.answer(id)
	}
}

// raising names a higher stream in its second GOAWAY, which RFC 9113 §6.8 forbids.
func raising(p *peer, n int, id uint32) {
	switch {
	case n <= 20:
		p.answer(id)
	case n == 21:
		_ = p.fr.WriteGoAway(id-2, http2.ErrCodeNo, nil)
		_ = p.fr.WriteGoAway(id+2, http2.ErrCodeNo, nil)
		p.leave()
	}
}

// complainingOfNone ends with an error that names no stream, after 19 answers.
func complainingOfNone(p *peer, n int, id uint32) {
	switch {
	case n < 20:
		p.answer(id)
	case n == 20:
		_ = p.fr.WriteGoAway(0, http2.ErrCodeEnhanceYourCalm, nil)
		p.leave()
	}
}

// announcing announces its end, answers none of what is in flight, and says then with which error.
func announcing(p *peer, n int, id uint32) {
	switch {
	case n <= 20:
		p.answer(id)
	case n == 21:
		_ = p.fr.WriteGoAway(1<<31-1, http2.ErrCodeNo, nil)
		_ = p.fr.WriteGoAway(id-2, http2.ErrCodeEnhanceYourCalm, nil)
		p.leave()
	}
}

// resettingAbove resets the streams above its GOAWAY's id, and breaks the answer to the last one below it off.
func resettingAbove(p *peer, n int, id uint32) {
	switch {
	case n < 20:
		p.answer(id)
	case n == 20:
		_ = p.fr.WriteGoAway(id, http2.ErrCodeNo, nil)
		p.begin(id)
		_ = p.fr.WriteRSTStream(id, http2.ErrCodeInternal)
		p.leave()
	default:
		_ = p.fr.WriteRSTStream(id, http2.ErrCodeInternal)
	}
}

// calming resets what comes after 20 requests and keeps the connection.
func calming(p *peer, n int, id uint32) {
	if n <= 20 {
		p.answer(id)
		return
	}
	_ = p.fr.WriteRSTStream(id, http2.ErrCodeEnhanceYourCalm)
}

// promising names a request as its last and closes without an answer to it.
func promising(p *peer, n int, id uint32) {
	switch {
	case n < 20:
		p.answer(id)
	case n == 20:
		_ = p.fr.WriteGoAway(id, http2.ErrCodeNo, nil)
		p.leave()
	}
}

func TestWhatTheFramesSayOfARequestIsSaidOnce(t *testing.T) {
	for _, c := range []struct {
		name    string
		at      func(p *peer, n int, id uint32)
		frame   string // whose notes are looked at
		says    string // in them; "" is none at all
		not     string // in no note and not in the summary
		summary string
	}{
		{"a reset after the complete answer", resetAfter, "RST_STREAM", "", "ends without an answer", "and was answered"},
		{"an answer that breaks off", breakingOff, "HEADERS", "its answer began and never ended", "limit is answered",
			"and its answer broke off: the server has processed it"},
		{"answers above the last id", answeringAbove, "GOAWAY", "answers stream 43 too: a mistake of the server",
			"whatever the", "stream 45 got no answer, and nothing excludes that it ran"},
		{"an id that grows", raising, "GOAWAY", "names a higher stream than the GOAWAY before it", "second stage", "may have run"},
		{"an error that denies its answers", complainingOfNone, "GOAWAY", "ENHANCE_YOUR_CALM is an error, not a request limit; the peer",
			"may be sent again (RFC 9113", "got no answer, and nothing excludes that they ran"},
		{"an announcement that is not kept", announcing, "GOAWAY", "did not answer all", "still answered",
			"a later GOAWAY then said ENHANCE_YOUR_CALM"},
		{"resets above the last id", resettingAbove, "RST_STREAM", "it is above the last-stream-id, so it was not processed",
			"it may have been processed", "4 requests were reset (RST_STREAM INTERNAL_ERROR)"},
		{"an answer that a reset breaks off", resettingAbove, "RST_STREAM", "its answer began and breaks off here", "limit is answered",
			"and its answer broke off"},
		{"a promise that is not kept", promising, "HEADERS", "it may have run (RFC", "stream 39 got no answer",
			"Request 20 brought GOAWAY(last_stream_id=39, NO_ERROR) and got no answer: it may have run; the 3"},
		{"resets without an end", calming, "RST_STREAM", "it may have been processed", "was answered and did not end",
			"3 requests were reset (RST_STREAM ENHANCE_YOUR_CALM)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := Trace(t.Context(), h2server(t, odd(c.at)), TraceAsk{Limit: 20})
			if err != nil {
				t.Fatal(err)
			}
			said, summary := notesOf(got.Renewal.Frames, c.frame), texts.English.Note(got.Renewal.Summary)
			all := summary + notesOf(got.Renewal.Frames, "HEADERS") + notesOf(got.Renewal.Frames, "GOAWAY") + said
			if c.says == "" && said != "" || !strings.Contains(said, c.says) || strings.Contains(all, c.not) ||
				!strings.Contains(summary, c.summary) {
				t.Errorf("summary: %s\nnotes of %s: %s", summary, c.frame, said)
			}
		})
	}
}

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
	fast(t, func(t *testing.T) {
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
			summary, note := texts.English.Note(got.Renewal.Summary), notesOf(got.Renewal.Frames, "GOAWAY")
			if !strings.Contains(summary, c.summary) || !strings.Contains(note, c.note) {
				t.Errorf("%s: %q, %q; want %q and %q", name, summary, note, c.summary, c.note)
			}
		}
	})
}
