package probe

import (
	"crypto/tls"
	"fmt"
	"io"
	"strings"
	"testing"

	"golang.org/x/net/http2"

	"h2lab/internal/base/notes"
	"h2lab/internal/facts"
)

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

// There is no last answer to measure from where none came.
func TestAnEndWithoutAnAnswerIsNotMeasuredFromOne(t *testing.T) {
	got, err := Trace(t.Context(), h2server(t, func(p *peer) {
		p.next()
		_ = p.fr.WriteGoAway(0, http2.ErrCodeProtocol, nil)
	}), TraceAsk{Near: 1})
	said := notes.SummaryInEnglish(got.Renewal.Summary) + notesOf(got.Renewal.Frames, "TLS") + notesOf(got.Renewal.Frames, "TCP")
	if strings.Contains(said, "last answer") || !strings.Contains(said, "the server closed the connection without an answer") {
		t.Errorf("%v, %s", err, said)
	}
}

// A block that can't be decoded is neither an answer nor trailers.
func TestAnUnreadableBlockIsShownAsSuch(t *testing.T) {
	got, err := Trace(t.Context(), h2server(t, odd(func(p *peer, _ int, id uint32) {
		_ = p.fr.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: []byte{0xff, 0xff, 0xff, 0x7f}, EndHeaders: true})
	})), TraceAsk{Near: 1})
	if seen := strings.Join(outline(got.Renewal.Frames), "\n"); err == nil || !strings.Contains(seen, "HEADERS END_HEADERS can't be decoded") {
		t.Errorf("%v\n%s", err, seen)
	}
}
