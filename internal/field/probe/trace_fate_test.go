package probe

import (
	"crypto/tls"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"

	"h2lab/internal/base/notes"
	"h2lab/internal/facts"
)

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
		{"resets without an end", calming, "RST_STREAM", "it may have been processed", "was answered and did not end",
			"3 requests were reset (RST_STREAM ENHANCE_YOUR_CALM)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := Trace(t.Context(), h2server(t, odd(c.at)), TraceAsk{Limit: 20})
			if err != nil {
				t.Fatal(err)
			}
			said, summary := notesOf(got.Renewal.Frames, c.frame), notes.SummaryInEnglish(got.Renewal.Summary)
			all := summary + notesOf(got.Renewal.Frames, "HEADERS") + notesOf(got.Renewal.Frames, "GOAWAY") + said
			if c.says == "" && said != "" || !strings.Contains(said, c.says) || strings.Contains(all, c.not) ||
				!strings.Contains(summary, c.summary) {
				t.Errorf("summary: %s\nnotes of %s: %s", summary, c.frame, said)
			}
		})
	}
}

// Interim answers (1xx) and trailers are HEADERS frames too, and neither is the answer.
func TestOneFrameOfAnAnswerIsSaidToBeIt(t *testing.T) {
	got, err := Trace(t.Context(), h2server(t, odd(func(p *peer, n int, id uint32) {
		if n > 20 {
			return
		}
		if n == 20 {
			_ = p.fr.WriteGoAway(id, http2.ErrCodeNo, nil)
			p.leave()
		}
		interim := []byte{0x08, 0x03, '1', '0', '3'} // :status 103, a literal (RFC 7541 §6.2.2)
		_ = p.fr.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: interim, EndHeaders: true})
		p.begin(id)
		trailers := []byte{0x00, 0x01, 'x', 0x01, '1'}
		_ = p.fr.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: trailers, EndHeaders: true, EndStream: true})
	})), TraceAsk{Limit: 20})
	if err != nil {
		t.Fatal(err)
	}
	said := notesOf(got.Renewal.Frames, "HEADERS")
	seen := strings.Join(outline(got.Renewal.Frames), "\n")
	if strings.Count(said, "limit is answered") != 1 || strings.Count(said, "this time it is answered") != 1 ||
		strings.Count(seen, "trailers") != 4 {
		t.Errorf("notes: %s\n%s", said, seen)
	}
}

// A server may lower SETTINGS_MAX_CONCURRENT_STREAMS at any time, and a stream too many is an error of the client.
func TestNoMoreStreamsAreSentThanTheServerAllowsBeforeTheLimit(t *testing.T) {
	got, err := Trace(t.Context(), h2server(t, func(p *peer) {
		var held []uint32
		for id := p.next(); id != 0; id = p.next() {
			if p.count == 10 {
				_ = p.fr.WriteSettings(http2.Setting{ID: http2.SettingMaxConcurrentStreams, Val: 2})
			}
			switch {
			case p.count <= 17:
				p.answer(id)
			case len(held) == 2:
				_ = p.fr.WriteRSTStream(id, http2.ErrCodeRefusedStream)
			default:
				held = append(held, id)
			}
			if len(held) == 2 && p.br.Buffered() == 0 {
				for _, h := range held {
					if h == 39 {
						_ = p.fr.WriteGoAway(h, http2.ErrCodeNo, nil)
						p.leave()
					}
					if h <= 39 {
						p.answer(h)
					}
				}
				held = nil
			}
		}
	}), TraceAsk{Limit: 20})
	summary := notes.SummaryInEnglish(got.Renewal.Summary)
	if err != nil || strings.Contains(summary, "refused") || !strings.Contains(summary, "the request behind it (stream 41)") {
		t.Errorf("%s, %v", summary, err)
	}
}

// What happened at the limit is told, whether or not the dropped request then gets its answer.
func TestANewConnectionThatFailsLeavesTheSummary(t *testing.T) {
	taken := make(chan bool, 1)
	got, err := Trace(t.Context(), serve(t, "h2", func(c *tls.Conn) {
		select {
		case taken <- true:
		default:
			return
		}
		speakTo(c, likeNginx(20))
	}), TraceAsk{Limit: 20})
	if summary := notes.SummaryInEnglish(got.Renewal.Summary); err == nil ||
		!strings.Contains(summary, "the 3 requests behind it (streams 41, 43, 45) were never answered") {
		t.Errorf("%q, %v", summary, err)
	}
}

// Where no limit is known, a trace goes to the request that met something else, and names no limit.
func TestATraceGoesWhereSomethingElseHappened(t *testing.T) {
	got, err := Trace(t.Context(), h2server(t, odd(calming)), TraceAsk{Near: 21})
	if err != nil {
		t.Fatal(err)
	}
	seen := strings.Join(outline(got.Renewal.Frames), "\n")
	if summary := notes.SummaryInEnglish(got.Renewal.Summary); got.Limit != nil || !strings.Contains(seen, "18 requests (streams 1 to 35)") ||
		strings.Count(seen, "RST_STREAM  ENHANCE_YOUR_CALM") != 4 || !strings.Contains(summary, "answered 20 requests on one connection and did not end it; 4 requests") {
		t.Errorf("%v %q\n%s", got.Limit, summary, seen)
	}
}

func TestAnHTTP1AnswerThatBreaksOffIsShown(t *testing.T) {
	got, err := Trace(t.Context(), serve(t, "http/1.1", func(c *tls.Conn) {
		for n := 1; ; n++ {
			if _, err := io.ReadAtLeast(c, make([]byte, 4096), 10); err != nil {
				return
			}
			if n == 5 {
				_, _ = fmt.Fprint(c, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf")
				return
			}
			_, _ = fmt.Fprint(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
		}
	}), TraceAsk{Limit: 5, HTTP1: true})
	note := notesOf(got.Renewal.Frames, facts.FrameRequest)
	if summary := notes.SummaryInEnglish(got.Renewal.Summary); err == nil || !strings.Contains(summary, "in the middle of its answer to request 5") ||
		!strings.Contains(note, "its answer began and never ended") || len(got.Renewal.Dropped) != 1 {
		t.Errorf("%q, %q, %v, %v", summary, note, got.Renewal.Dropped, err)
	}
}
