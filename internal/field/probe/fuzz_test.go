package probe

import (
	"bytes"
	"context"
	"io"
	"net"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// wordsOf is what a server writes, as bytes.
func wordsOf(write func(*http2.Framer)) []byte {
	var b bytes.Buffer
	write(http2.NewFramer(&b, nil))
	return b.Bytes()
}

// seeds are the fuzzer's initial inputs: outputs of servers.
func seeds() [][]byte {
	var block bytes.Buffer
	enc := hpack.NewEncoder(&block)
	_ = enc.WriteField(hpack.HeaderField{Name: ":status", Value: "200"})
	_ = enc.WriteField(hpack.HeaderField{Name: "server", Value: "x"})
	head := func(f *http2.Framer, id uint32, ends bool) {
		_ = f.WriteHeaders(http2.HeadersFrameParam{
			StreamID:      id,
			BlockFragment: block.Bytes()[:1],
			EndHeaders:    true,
			EndStream:     ends,
		})
	}
	return [][]byte{
		nil,
		[]byte("HTTP/1.1 400 Bad Request\r\n\r\n"),
		wordsOf(func(f *http2.Framer) { // nginx at its limit
			_ = f.WriteSettings(http2.Setting{ID: http2.SettingMaxConcurrentStreams, Val: 128})
			_ = f.WriteSettingsAck()
			_ = f.WriteGoAway(3, http2.ErrCodeNo, nil)
			head(f, 1, false)
			_ = f.WriteData(1, true, []byte("ok"))
			head(f, 3, true)
		}),
		wordsOf(func(f *http2.Framer) { // Envoy
			_ = f.WriteSettings()
			head(f, 1, true)
			_ = f.WriteGoAway(announcement, http2.ErrCodeNo, nil)
			_ = f.WritePing(true, [8]byte{})
			_ = f.WriteGoAway(1, http2.ErrCodeNo, []byte("bye"))
		}),
		wordsOf(func(f *http2.Framer) { // resets, windows, a header block in several frames, push
			_ = f.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 0})
			_ = f.WriteRSTStream(1, http2.ErrCodeRefusedStream)
			_ = f.WriteWindowUpdate(0, 1<<31-1)
			_ = f.WriteHeaders(http2.HeadersFrameParam{StreamID: 3, BlockFragment: block.Bytes()[:1]})
			_ = f.WriteContinuation(3, true, block.Bytes()[1:])
			_ = f.WritePushPromise(http2.PushPromiseParam{StreamID: 3, PromiseID: 2, EndHeaders: true})
		}),
		wordsOf(func(f *http2.Framer) { _ = f.WriteSettings(http2.Setting{ID: http2.SettingMaxConcurrentStreams}) }),
	}
}

// FuzzFrames passes arbitrary server output to a survey's connection. The survey must neither panic
// nor hang, keep no more requests than it was asked for, and send no more than it may.
func FuzzFrames(f *testing.F) {
	for _, s := range seeds() {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, words []byte) {
		ours, theirs := net.Pipe()
		go func() { // a server that ignores its input, writes its output and closes
			go func() { _, _ = io.Copy(io.Discard, theirs) }()
			_, _ = theirs.Write(words)
			_ = theirs.Close()
		}()
		below := &watched{Conn: ours}
		target := Target{Addr: "pipe", url: "https://pipe/", Patience: 50 * time.Millisecond}
		c := speakH2(context.Background(), target, &line{wire: below, tcp: below, stop: func() bool { return true }})
		defer c.close()
		began := time.Now()
		if c.greet() == nil {
			w := newRun(c, plan{atMost: 40, spare: late, maxTime: time.Second})
			if err := w.toTheEnd(); err == nil && w.over() {
				_, _ = w.cross(late)
			}
			if w.ending(); w.sent > 40+late || len(w.open) > w.sent || len(w.goaways) > maxGoaways ||
				w.answered > w.sent {
				t.Errorf("%d sent, %d open, %d answered, %d GOAWAYs kept", w.sent, len(w.open), w.answered,
					len(w.goaways))
			}
		}
		if took := time.Since(began); took > 20*time.Second {
			t.Errorf("took %v", took)
		}
	})
}
