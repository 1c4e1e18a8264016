package advise

import "math"

// All of this file is arithmetic alone, without the measured map.

// tripsMS is what a waiting request spends on the network: TCP and the handshake's flights, and up to two round trips
// more for the requests that were on the network. They learn of GOAWAY after a round trip for nothing. The second one
// shows in the recorded map (requests added five round trips to their p99 under TLS 1.2 at 80 ms); a new connection's
// congestion window of 10 segments (RFC 6928) would explain it, which nobody verified.
func (w working) tripsMS() float64 { return (1 + w.flights + 2*w.rtt/w.on) * w.q.RTTMS }

// queueMS is the time of all handshakes of a renewal.
func (w working) queueMS() float64 { return w.alone * w.cost / w.q.CPUs }

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
	handshakes := w.alone * w.cost
	return 100 * math.Max(0, 1-w.q.CPUs) * w.busy() * handshakes / (handshakes + w.requests()*w.q.RequestMS)
}

// busy is the share of its part of the processor that the proxy uses.
func (w working) busy() float64 {
	rate := w.q.RateRPS / (1 + w.lost()/w.requests())
	return math.Min(1, rate*(w.alone*w.cost/w.requests()+w.q.RequestMS)/1000/w.q.CPUs)
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
