package probe

import (
	"slices"
	"strings"
	"testing"

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

func TestARenewalIsWrittenDownFrameByFrame(t *testing.T) {
	seen, err := Trace(t.Context(), h2server(t, likeNginx(4)), TraceAsk{Limit: 4})
	if err != nil {
		t.Fatal(err)
	}
	frames := seen.Renewal.Frames
	frames = frames[1+slices.IndexFunc(frames, func(f facts.Frame) bool { return f.Type == facts.FrameGap }):]
	frames[15].Detail, _, _ = strings.Cut(frames[15].Detail, ", TCP")
	ask, head, body := "> HEADERS END_STREAM|END_HEADERS :method GET :path /lab/health",
		"< HEADERS END_HEADERS :status 200", "< DATA END_STREAM"
	want := []string{ask, ask, ask, ask, ask, ask, head, body, head, body,
		`< GOAWAY  last_stream_id=7 NO_ERROR debug=""`, head, body, "< TLS  close_notify", "< TCP  FIN",
		"> TCP  new connection, TLS 1.3", ask, head, body}
	if diff := cmp.Diff(want, outline(frames)); diff != "" {
		t.Errorf("frames (-want +got):\n%s", diff)
	}
	last := -1.0
	for i, f := range frames {
		if f.TMS < last {
			t.Errorf("frame %d goes back in time: %v after %v", i, f.TMS, last)
		}
		last = f.TMS
	}
	for i, words := range map[int]string{2: "reaches the limit", 3: "never answered", 10: "RFC 9113 §6.8",
		11: "is answered",
		13: "after its last answer", 16: "what stream 9 asked, again", 17: "answered"} {
		if !strings.Contains(texts.English.Note(frames[i].Note), words) {
			t.Errorf("frame %d has the note %q, want %q in it", i, frames[i].Note, words)
		}
	}
}

func TestWhatTheFramesSayOfARequestIsSaidOnce(t *testing.T) {
	for _, c := range []struct {
		name    string
		handle  func(*peer)
		frame   string // whose notes are looked at
		says    string // in them; "" is none at all
		not     string // in no note and not in the summary
		summary string
	}{
		{"a reset after the complete answer", server(to(19, answer, reset(none)), to(20, last, leave, answer, reset(none))),
			"RST_STREAM", "", "ends without an answer", "and was answered"},
		{"an answer that breaks off", server(to(19, answer), to(20, last, begin, leave)),
			"HEADERS", "its answer began and never ended", "limit is answered",
			"and its answer broke off: the server has processed it"},
		{"answers above the last id", server(to(19, answer), to(20, last, leave, answer), to(22, answer)),
			"GOAWAY", "answers stream 43 too: a mistake of the server",
			"whatever the", "stream 45 got no answer, and nothing excludes that it ran"},
		{"an id that grows", server(to(20, answer), to(21, lastBut(-2, none, ""), lastBut(2, none, ""), leave)),
			"GOAWAY", "names a higher stream than the GOAWAY before it", "second stage", "may have run"},
		{"an error that denies its answers", server(to(19, answer), to(20, named(0, calm, ""), leave)),
			"GOAWAY", "ENHANCE_YOUR_CALM is an error, not a request limit; the peer",
			"may be sent again (RFC 9113", "got no answer, and nothing excludes that they ran"},
		{"an announcement that is not kept", server(to(20, answer), to(21, announce, lastBut(-2, calm, ""), leave)),
			"GOAWAY", "did not answer all", "still answered",
			"a later GOAWAY then said ENHANCE_YOUR_CALM"},
		{"resets above the last id", resettingAbove, "RST_STREAM", "it is above the last-stream-id, so it was not processed",
			"it may have been processed", "4 requests were reset (RST_STREAM INTERNAL_ERROR)"},
		{"an answer that a reset breaks off", resettingAbove, "RST_STREAM", "its answer began and breaks off here", "limit is answered",
			"and its answer broke off"},
		{"a promise that is not kept", server(to(19, answer), to(20, last, leave)),
			"HEADERS", "it may have run (RFC", "stream 39 got no answer",
			"Request 20 brought GOAWAY(last_stream_id=39, NO_ERROR) and got no answer: it may have run; the 3"},
		{"resets without an end", calming, "RST_STREAM", "it may have been processed", "was answered and did not end",
			"3 requests were reset (RST_STREAM ENHANCE_YOUR_CALM)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := Trace(t.Context(), h2server(t, c.handle), TraceAsk{Limit: 20})
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
			"an id below answered streams": {server(to(19, answer), to(20, named(0, none, ""), answer, quit)), TraceAsk{Limit: 20},
				"Request 20 brought GOAWAY(last_stream_id=0", "a mistake of the server"},
			"a request that was reset": {server(to(19, answer), to(20, last, reset(http2.ErrCodeInternal), quit)), TraceAsk{Limit: 20},
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
