package probe

import (
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/http2"

	"h2lab/internal/facts"
	"h2lab/internal/field/cause"
)

// aged ends a connection at an age, with a request, as nginx does (keepalive_time).
func aged(age time.Duration) func(*peer) {
	return func(p *peer) {
		opened := time.Now()
		for id := p.next(); id != 0; id = p.next() {
			if time.Since(opened) < age {
				p.answer(id)
				continue
			}
			_ = p.fr.WriteGoAway(id, http2.ErrCodeNo, nil)
			p.answer(id)
			_ = p.bw.Flush()
			for p.next() != 0 { // ignores what follows
			}
			return
		}
	}
}

// cut closes TCP at an age, as a balancer does that knows nothing of HTTP/2.
func cut(age time.Duration) func(*peer) {
	return func(p *peer) {
		_ = p.conn.SetReadDeadline(time.Now().Add(age))
		for id := p.next(); id != 0; id = p.next() {
			p.answer(id)
		}
	}
}

// crash takes a request, and destroys the connection instead of answering it.
func crash(at int) func(*peer) {
	return func(p *peer) {
		for id := p.next(); id != 0; id = p.next() {
			if p.count == at {
				_ = p.bw.Flush()
				_ = p.conn.NetConn().(*net.TCPConn).SetLinger(0)
				return
			}
			p.answer(id)
		}
	}
}

// bytes ends a connection after that many bytes of answers and of header blocks.
func bytesOf(most int) func(*peer) {
	return func(p *peer) {
		sum := 0
		for {
			f, err := p.fr.ReadFrame()
			if err != nil {
				return
			}
			switch f := f.(type) {
			case *http2.PingFrame:
				_ = p.fr.WritePing(true, f.Data)
			case *http2.HeadersFrame:
				p.answer(f.StreamID)
				if sum += int(f.Length) + 20; sum > most {
					return
				}
			}
			_ = p.bw.Flush()
		}
	}
}

// fleet is several servers behind one address: each connection meets the next.
func fleet(servers ...func(*peer)) func(*peer) {
	var n atomic.Int64
	return func(p *peer) { servers[int(n.Add(1))%len(servers)](p) }
}

func TestWhatEndsConnectionsIsTold(t *testing.T) {
	never := likeNginx(1 << 30)
	var all sync.WaitGroup
	defer all.Wait()
	for name, x := range map[string]struct {
		server func(*peer)
		want   string
		n      int
	}{
		"a count":                     {likeNginx(300), cause.Count, 300},
		"a count of one":              {likeNginx(1), cause.Count, 1},
		"an age":                      {aged(time.Second), cause.Age, 0},
		"an age, below HTTP/2":        {cut(time.Second), cause.Age, 0},
		"bytes":                       {bytesOf(20_000), cause.Neither, 0},
		"two limits":                  {fleet(likeNginx(100), likeNginx(400)), cause.Several, 100},
		"a limit and none":            {fleet(likeNginx(100), never), cause.Several, 100},
		"none and a limit":            {fleet(never, likeNginx(100)), cause.Several, 100},
		"a crash":                     {crash(200), cause.Count, 200},
		"no end":                      {never, cause.None, 0},
		"a limit before an age":       {fleet(likeNginx(100)), cause.Count, 100},
		"an error":                    {failing(200), cause.Failure, 0},
		"a limit on a two-stage way":  {likeEnvoy(300), cause.Count, 300},
		"a limit with a future id":    {likeHAProxy(300), cause.Count, 300},
		"a close without a GOAWAY":    {rude(300), cause.Count, 300},
		"an age that differs by 10 %": {fleet(aged(900*time.Millisecond), aged(1100*time.Millisecond)), cause.Age, 0},
	} {
		target := somebody(t, h2server(t, x.server), "/")
		all.Go(func() { // they wait more than they work
			got, err := Survey(t.Context(), target, Ask{MaxStreams: 3000, Hold: 2 * time.Second})
			c := cause.Of(got)
			// A slow machine blurs an age.
			if err != nil || c.Kind != x.want && !(x.want == cause.Age && c.Kind == cause.Neither) {
				t.Errorf("%s: %v; %s %v, want %s; ends %+v, groups %v", name, err, c.Kind, c.Fits, x.want, c.Ends, c.Groups)
				return
			}
			if c.Kind == cause.Count && *c.Requests != x.n || c.Kind == cause.Several && c.Groups[0].Requests != x.n {
				t.Errorf("%s: %+v, want %d", name, c, x.n)
			}
			if ran := lost(got); (ran > 0) != (name == "a crash" || name == "a close without a GOAWAY" || name == "bytes") &&
				x.want != cause.Age {
				t.Errorf("%s: %d requests may have run", name, ran)
			}
			if name == "a crash" && !c.Unanswered {
				t.Errorf("request 200 was never answered: %+v", c)
			}
		})
	}
}

func failing(at int) func(*peer) {
	return func(p *peer) {
		for id := p.next(); id != 0; id = p.next() {
			p.answer(id)
			if p.count == at {
				_ = p.fr.WriteGoAway(id, http2.ErrCodeEnhanceYourCalm, []byte("calm"))
				return
			}
		}
	}
}

func lost(e facts.Endpoint) (n int) {
	for _, a := range e.Asked {
		n += a.MayHaveRun
	}
	return n
}

// A survey once waited for the whole patience with nothing in flight: a pace that was not due when
// fill asked was due when the deadline was computed.
func TestAPaceThatComesDueIsNotMissed(t *testing.T) {
	r := newRun(&conn{traffic: traffic{line: &line{}, target: Target{Patience: time.Hour}, open: map[uint32]int{}},
		maxStreams: 100}, plan{atMost: 10, rate: 1e6})
	r.pace.burst, r.pace.began = 0, time.Now().Add(time.Millisecond)
	r.fill()
	for !r.pace.next().IsZero() { // until it is due
	}
	if r.sent > 0 || time.Until(r.deadline()) > time.Minute {
		t.Errorf("%d sent, and the next event is awaited for %v", r.sent, time.Until(r.deadline()))
	}
}

// gRPC's servers close a connection that gets PINGs without data between them (gRFC A8).
func TestALightlyUsedConnectionGetsNoPings(t *testing.T) {
	var pings atomic.Int64
	server := h2server(t, func(p *peer) {
		for {
			if p.br.Buffered() == 0 {
				_ = p.bw.Flush()
			}
			f, err := p.fr.ReadFrame()
			if err != nil {
				return
			}
			switch f := f.(type) {
			case *http2.PingFrame:
				pings.Add(1)
				_ = p.fr.WritePing(true, f.Data)
			case *http2.HeadersFrame:
				p.answer(f.StreamID)
			}
		}
	})
	r, err := start(t.Context(), somebody(t, server, "/"), plan{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.close()
	if err := r.lightly(time.Now().Add(300*time.Millisecond), 20*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	if r.answered < 3 || pings.Load() != 1 {
		t.Errorf("%d requests, %d pings", r.answered, pings.Load())
	}
}

// --max-streams holds for every connection, the lightly used ones too.
func TestNoConnectionGetsMoreThanItsMost(t *testing.T) {
	for _, most := range []int{1, 2, 3, 5, 12, 30} {
		for name, server := range map[string]func(*peer){"no end": likeNginx(1 << 30), "an end": likeNginx(10)} {
			got, err := Survey(t.Context(), somebody(t, h2server(t, server), "/"),
				Ask{MaxStreams: most, Hold: 200 * time.Millisecond, MaxTime: 2 * time.Second})
			if err != nil {
				t.Fatal(err)
			}
			for _, a := range got.Asked {
				if a.Requests > most+late { // those sent after the GOAWAY
					t.Errorf("%s, %d at most: %+v", name, most, a)
				}
			}
		}
	}
}
