package advise

import "math"

// Predict answers a question that passed Check.
func Predict(q Question) Answer { return work(q).answer() }

func (w working) answer() Answer {
	q := w.q
	a := Answer{Limit: q.Limit}
	byLimit := float64(q.Limit) / w.each
	a.AgeRules = byLimit > KeepaliveTimeS
	a.ConnectionLifeS = math.Min(byLimit, KeepaliveTimeS)
	a.UsedPerS = w.conns / a.ConnectionLifeS
	a.RenewalsPerHour = a.UsedPerS * 3600

	a.DroppedPerRenewal = w.dropped
	a.FailuresPerS = w.dropped * a.UsedPerS
	a.WastedPerRenewal = w.dials - 1
	a.WastedPerS = a.WastedPerRenewal * a.UsedPerS
	a.ConnectionsPerS = a.UsedPerS + a.WastedPerS
	a.HandshakesPerS = a.ConnectionsPerS

	a.CPUCores = a.HandshakesPerS * w.cost / 1000
	a.CPUShare = a.CPUCores / q.CPUs
	requests := w.requests()
	a.UnlimitedRPS = q.CPUs * 1000 / q.RequestMS
	a.CapacityRPS = q.CPUs * 1000 / (q.RequestMS + w.dials*w.cost/requests)

	a.WaitingPerRenewal = w.waiting
	a.WaitingShare = w.waitingShare()
	pause, _ := w.pausesMS()
	a.WaitMS = w.tripsMS() + w.stopMS() + pause + w.dials*w.cost/q.CPUs
	a.AddedP99MS = w.addedP99()
	a.GoodputRPS = q.RateRPS / (1 + w.lost()/requests)
	return a
}

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
}

// work computes one renewal.
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

// tripsMS is what a waiting request spends on the network: TCP and the handshake's flights, and up to two round trips
// more for the requests that were on the network. They learn of GOAWAY after a round trip for nothing. The second one
// shows in the recorded map (requests added five round trips to their p99 under TLS 1.2 at 80 ms); a new connection's
// congestion window of 10 segments (RFC 6928) would explain it, which nobody verified.
func (w working) tripsMS() float64 { return (1 + w.flights + 2*w.rtt/w.on) * w.q.RTTMS }

// queueMS is the time of all handshakes of a renewal.
func (w working) queueMS() float64 { return w.dials * w.cost / w.q.CPUs }

// pausesMS are how long net/http pauses before it sends a request again: 1 s after its second dropped stream, then
// 2 s, 4 s and so on (RoundTripOpt); the pause of the 99th percentile, and the mean over all requests. A pool gives a
// new connection up to MaxStreams streams, of which those above the limit are dropped again.
func (w working) pausesMS() (p99, mean float64) {
	streams := math.Min(MaxStreams, float64(w.q.InFlight)/float64(w.q.Pools))
	again := math.Max(0, 1-float64(w.q.Limit)/streams)
	share, pause := math.Min(1, w.dropped/w.requests()), 1000.0
	for range 5 { // it gives up after six tries; the second is at once
		share *= again
		if share > 0.01 {
			p99 += pause
		}
		mean += share * pause
		pause *= 2
	}
	return p99, mean
}

// stopMS is how long the kernel stops a proxy that has used up its part of a core: up to what is left of a period of
// 100 ms (Documentation/scheduler/sched-bwc.rst), in the shares that handshakes have of its work and its work has of
// its part.
func (w working) stopMS() float64 {
	handshakes := w.dials * w.cost
	return 100 * math.Max(0, 1-w.q.CPUs) * w.busy() * handshakes / (handshakes + w.requests()*w.q.RequestMS)
}

// busy is the share of its part of the processor that the proxy uses.
func (w working) busy() float64 {
	rate := w.q.RateRPS / (1 + w.lost()/w.requests())
	return math.Min(1, rate*(w.dials*w.cost/w.requests()+w.q.RequestMS)/1000/w.q.CPUs)
}

// waitMS is the wait that goodput is lost by: net/http gives all requests the first new connection, and the proxy
// ends the other handshakes meanwhile.
func (w working) waitMS() float64 { return w.tripsMS() + queueLost*w.queueMS() }

// requests is how many a connection carries.
func (w working) requests() float64 { return math.Min(float64(w.q.Limit), KeepaliveTimeS*w.each) }

// lost is how many fewer requests a closed loop sends for one renewal: those that would have followed the waiting ones
// and the pausing ones meanwhile.
func (w working) lost() float64 {
	_, pause := w.pausesMS()
	return w.each / w.on * (w.waiting*w.waitMS() + w.requests()*pause) / 1000
}

// addedP99 is what renewals add to the 99th percentile.
func (w working) addedP99() float64 {
	pause, _ := w.pausesMS()
	queue := queueP99 * w.queueMS() * math.Max(0, 1-0.01/w.waitingShare())
	return w.shown() * (w.tripsMS() + w.stopMS() + pause + queue)
}

// shown is whether the waits show in the 99th percentile: 0 or 1, and between them where about 1 % of the requests
// wait, since their number isn't sharp.
func (w working) shown() float64 {
	return math.Min(1, math.Max(0, 0.5+math.Log(w.waitingShare()/0.01)/0.4))
}

func (w working) waitingShare() float64 { return math.Min(1, w.waiting/w.requests()) }

// Factors are how far off answers are, in either direction: 1 is exact.
type Factors struct {
	Cells   int     `json:"cells"`
	Typical float64 `json:"typical"` // the median
	Worst   float64 `json:"worst"`
}

// The figures that were compared with measurements.
const (
	Dials    = "dials"
	Goodput  = "goodput"
	AddedP99 = "added_p99"
)

// OffBy is how far off the answers are at the measured places of testdata/recorded/matters. A test of cmd/h2lab
// compares it with them; docs/advise.md has the table.
var OffBy = map[string]Factors{Dials: {111, 1.16, 3.19}, Goodput: {119, 1.1, 2.72}, AddedP99: {95, 1.22, 6.69}}

// The three measured constants. They come from two runs of one machine, testdata/recorded/repro and
// testdata/calibration (nginx 1.22.1 with OpenSSL 3.0, TLS 1.2, RSA 2048, a POST of one byte, 100
// in flight, half a core). A test in cmd/h2lab compares them with these runs, and the predictions
// with other runs.
const (
	// DroppedShare is the share of the requests at the proxy that the client sent between the
	// request that reached the limit and its reading of GOAWAY: failures per
	// renewal of repro's nginx-1000.h2.go-once, over its 100 in flight.
	DroppedShare = 0.35

	// RequestMS is the proxy's processor time for one request, from calibration's
	// nginx-100000.h2.go-replayable, which has no renewals.
	RequestMS = 0.058

	// HandshakeRSA is the proxy's processor time for one full handshake, accept and close included:
	// what calibration's nginx-1000.h2.go-replayable spent above RequestMS, per accepted
	// connection.
	HandshakeRSA = 1.48
)

// The cost of the other handshakes as shares of a full one with RSA 2048: nginx 1.22.1's time over
// 800 handshakes of each kind, in sequence and without requests (measured once;
// docs/advise.md).
const (
	shareECDSA     = 0.35 // full, with ECDSA P-256
	shareResumed12 = 0.14
	shareResumed13 = 0.36 // includes a key exchange (RFC 8446 §2.2, psk_dhe_ke)
)

// Handshake is the default cost of a handshake for a proxy in ms: that of nginx on the machine of
// the recorded runs.
func Handshake(key, version string, resumed bool) float64 {
	switch {
	case resumed && version == TLS12:
		return HandshakeRSA * shareResumed12
	case resumed:
		return HandshakeRSA * shareResumed13
	case key == ECDSA:
		return HandshakeRSA * shareECDSA
	}
	return HandshakeRSA
}

// The numbers of the stampede's arithmetic that were chosen after a look at the whole recorded map (testdata/recorded/matters)
// and at the sweep of docs/advise.md. The results hardly depend on their second digit.
const (
	perFlight         = 0.4  // of the requests at the proxy, the share that needs a connection in one flight
	diallingOneFlight = 0.6  // of the requests in flight, the share that dials at most if the handshake has one flight
	queueLost         = 0.65 // of the time of a renewal's handshakes, the share that requests wait on average …
	queueP99          = 0.4  // … and that the 99th percentile shows besides stopMS
)

// Limits and defaults of servers.
const (
	// MaxStreams is nginx's http2_max_concurrent_streams: a pool with more requests in flight opens
	// more connections.
	MaxStreams = 128
	// KeepaliveTimeS is nginx's keepalive_time: at this age it ends a connection even below the
	// request limit (since 1.19.10).
	KeepaliveTimeS = 3600
	// FloodFactor times keepalive_requests is how many frames nginx accepts without a new request
	// (ngx_http_v2.c, "http2 flood detected").
	FloodFactor = 10
	// MaxStreamIDs is the maximum number of requests on one connection: ids are odd and below 2^31
	// (RFC 9113 §5.1.1).
	MaxStreamIDs = 1 << 30
)

// OfGo is the ratio of the processor time of nginx with OpenSSL 3.0 to that of a Go server for the
// same handshake on the same machine (measured once; docs/advise.md): OpenSSL's RSA
// signature is faster, the rest of nginx's handshake is slower.
func OfGo(key string, resumed bool) float64 {
	if key == RSA && !resumed {
		return 0.6
	}
	return 1.4
}
