package advise

import "math"

// working holds the intermediate values of a prediction; Explain shows them.
type working struct {
	q       Question
	conns   float64 // open at a time
	each    float64 // requests per second on one connection
	on      float64 // requests in flight on one connection, 1 at least: one request meets the renewal
	rtt     float64 // of these, on the network …
	backend float64 // … at the backend …
	proxy   float64 // … and at the proxy and the client (the rest)
	dropped float64 // streams sent across one GOAWAY
	flights float64 // server flights in one handshake before the client may send
	waiting float64 // requests that need a connection before the first new one is ready
	inTime  float64 // handshakes that the proxy has time for between two renewals
	dials   float64 // connections opened for one renewal
	cost    float64 // mean of full and resumed handshakes, in ms

	alone      float64    // dials by arithmetic alone
	correction Correction // what the measured map makes of it
}

// corrected computes one renewal, corrected by the measured map where that has an answer.
func (f *Fit) corrected(q Question) working {
	w := work(q)
	w.correction = f.correct(w)
	w.dials = math.Max(1, w.alone*w.correction.Dials)
	return w
}

// work computes one renewal by arithmetic alone.
func work(q Question) working {
	q = q.Usual()
	w := working{q: q, conns: q.connections()}
	w.each = q.RateRPS / w.conns
	w.on = math.Max(1, float64(q.InFlight)/w.conns)
	w.rtt = math.Min(w.each*q.RTTMS/1000, w.on)
	w.backend = math.Min(w.each*q.BackendMS/1000, w.on-w.rtt)
	w.proxy = w.on - w.rtt - w.backend
	w.cost = q.HandshakeMS*(1-q.ResumedShare) + q.ResumedMS*q.ResumedShare
	w.flights = 1
	if q.TLS == TLS12 {
		// A full handshake of TLS 1.2 takes one more round trip (RFC 5246 §7.3).
		w.flights = 2 - q.ResumedShare
	}
	w.stampede()
	w.alone, w.correction = w.dials, uncorrected()
	return w
}

// stampede computes how many streams one renewal drops and how many connections it opens.
//
// Every request that needs a connection before the first new one is ready dials: those whose
// streams were dropped at once, and those that arrive while the new connection is opened, in its
// round trips (TCP and TLS) and while its flights queue behind the proxy's other work. Requests that the last renewal
// released together come back together from a slow backend, so that their number scatters. Where the handshake has
// one flight, a part of the requests finds the new connection ready.
//
// The proxy's time limits the number of dials: net/http skips a dial that has not begun when a connection is ready
// (transport.go, dialConnFor and queueForDial). Its time for handshakes is that of twice the limit's requests, that
// of the handshake's round trips, and, where dropped streams pause before they are sent again, that of the pauses.
// The formula joins the two bounds smoothly, since neither is sharp.
func (w *working) stampede() {
	q := w.q
	if q.Client == HTTP1 {
		w.dials, w.on, w.waiting = 1, 1, 1 // Connection: close comes with the answer (RFC 9112 §9.6)
		return
	}
	w.dropped = math.Min(w.rtt+DroppedShare*w.proxy, w.on-1)
	w.waiting = math.Min(w.most(),
		w.dropped+(1+w.flights)*w.rtt+perFlight*w.flights*w.proxy+math.Sqrt(w.backend))
	w.dials = 1
	if q.Client == SingleDial {
		return
	}
	_, pause := w.pausesMS()
	w.inTime = (2*float64(q.Limit)*q.RequestMS + ((1+w.flights)*q.RTTMS+pause/w.conns)*q.CPUs) / w.cost
	w.dials = math.Max(1, 1/math.Sqrt(1/(w.waiting*w.waiting)+1/(w.inTime*w.inTime)))
}

// most is how many of the requests in flight dial at most.
func (w working) most() float64 {
	return w.on * (diallingOneFlight + (1-diallingOneFlight)*(w.flights-1))
}
