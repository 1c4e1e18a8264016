package probe

import (
	"context"
	"io"
	"net"
	"testing"
	"time"

	"h2lab/internal/facts"
)

// FuzzTrace passes arbitrary server output to a trace: it must neither panic nor hang, keep no more
// frames than allowed, and keep them in order of time.
func FuzzTrace(f *testing.F) {
	for _, s := range seeds() {
		f.Add(s, 1)
		f.Add(s, 40)
	}
	f.Fuzz(func(t *testing.T, words []byte, limit int) {
		ours, theirs := net.Pipe()
		go func() {
			go func() { _, _ = io.Copy(io.Discard, theirs) }()
			_, _ = theirs.Write(words)
			_ = theirs.Close()
		}()
		below := &watched{Conn: ours}
		target := Target{Addr: "pipe", url: "https://pipe/", Method: "POST", Patience: 50 * time.Millisecond}
		c := speakH2(context.Background(), target, &line{wire: below, tcp: below, stop: func() bool { return true }})
		defer c.close()
		rec := &recorder{zero: time.Now(), full: &fullTrace{connection: 1, from: -1}}
		c.tap, c.seen, c.fr = rec, rec.full.field, c.framer(outgoing{c.bw, rec})
		if c.greet() != nil {
			return
		}
		near := max(1, limit%50) - 3
		tr := newTrace(newRun(c, plan{atMost: near, spare: late, maxTime: time.Second}), max(1, limit%50), 6)
		rec.leave()
		if near > 0 && tr.toTheEnd() != nil {
			rec.cutShort()
			return
		}
		if tr.early = tr.over(); tr.early {
			rec.cutShort()
			tr.batch = 0
		} else {
			rec.arrive("")
		}
		if tr.gone {
			tr.closed(tr.goneErr)
		}
		_ = tr.cross()
		tr.annotate(rec.frames)
		if _, ok := tr.summary().Split(); !ok {
			t.Errorf("the summary %q is not in its form", tr.summary())
		}
		keepsOrder(t, rec)
	})
}

func keepsOrder(t *testing.T, rec *recorder) {
	t.Helper()
	if len(rec.full.heads) > maxHeads {
		t.Errorf("%d heads", len(rec.full.heads))
	}
	bulk := 0
	for i, x := range rec.frames {
		if !telling(x) {
			bulk++
		}
		if i > 0 && x.TMS < rec.frames[i-1].TMS && x.Type != facts.FrameGap {
			t.Errorf("frame %d (%s) goes back in time", i, x.Type)
		}
	}
	if bulk > maxRecorded {
		t.Errorf("%d frames kept", bulk)
	}
}
