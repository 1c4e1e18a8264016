package kit

import (
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"h2lab/internal/facts"
)

// Times is how long connects and TLS handshakes took; nil where there was none.
type Times struct {
	ConnectMS   *facts.Latency `json:"connect_ms,omitempty"`
	HandshakeMS *facts.Latency `json:"handshake_ms,omitempty"`
}

// timings collects the times of connects and handshakes. Its zero value is ready.
type timings struct {
	sync.Mutex
	connect, handshake *hdrhistogram.Histogram // µs; nil without any
}

func (t *timings) connected(d time.Duration) { t.enter(&t.connect, d) }

func (t *timings) handshook(d time.Duration) { t.enter(&t.handshake, d) }

func (t *timings) enter(h **hdrhistogram.Histogram, d time.Duration) {
	t.Lock()
	defer t.Unlock()
	if *h == nil {
		*h = newHistogram()
	}
	_ = record(*h, d) // it can't fail: record limits the value
}

// take returns the times and forgets them.
func (t *timings) take() (out Times) {
	t.Lock()
	defer t.Unlock()
	for _, x := range []struct {
		h  **hdrhistogram.Histogram
		to **facts.Latency
	}{{&t.connect, &out.ConnectMS}, {&t.handshake, &out.HandshakeMS}} {
		if *x.h != nil {
			p := percentiles(*x.h)
			*x.to, *x.h = &p, nil
		}
	}
	return out
}

// started has the times at which one request's handshakes began. Usually there is one at most. When an h2
// connection is used up, net/http may send the request again and dial while the request's first dial still lasts.
// httptrace doesn't say which of them ended, so end takes the earliest.
type started struct {
	sync.Mutex
	at []time.Time
}

func (s *started) begin() {
	s.Lock()
	defer s.Unlock()
	s.at = append(s.at, time.Now())
}

func (s *started) end() (took time.Duration, ok bool) {
	s.Lock()
	defer s.Unlock()
	if len(s.at) == 0 {
		return 0, false
	}
	took, s.at = time.Since(s.at[0]), s.at[1:]
	return took, true
}
