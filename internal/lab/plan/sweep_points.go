package plan

import (
	"fmt"
	"slices"
	"time"

	"h2lab/internal/facts"
)

// corners are the first and the last of some values.
func corners(values []int) []int { return []int{values[0], values[len(values)-1]} }

// axis is the values, or their corners in a quick run.
func axis(quick bool, values ...int) []int {
	if quick {
		return corners(values)
	}
	return values
}

// serviceLoad is what all points share. TLS 1.2 is what the services offer, so the line without a
// service offers it too.
func serviceLoad(method string, users, delay int) facts.Workload {
	w := facts.Workload{Method: method, DelayMS: delay, Concurrency: users, Pools: 1, MaxTLS: "1.2"}
	if method == "POST" {
		w.BodyBytes = 1
	}
	return w
}

const (
	// think is the users' think time in callers. The published test has about 1,000 requests/s from
	// 800 users at a backend of 100 ms, so a user's cycle is 800 ms.
	think = 700
	// callersDelay is the backend's delay in callers.
	callersDelay = 100
)

func callersPoints(quick bool) (out []point) {
	for _, users := range axis(quick, 100, 200, 400, 800, 1200, 1600, 2000, 3000, 5000) {
		w := serviceLoad("POST", users, callersDelay)
		w.ThinkMS, w.WarmupS, w.DurationS = think, 1, 2.5
		out = append(out, point{name: fmt.Sprintf("%d-users", users), work: w})
	}
	return out
}

const (
	// burstRequests are sent at once, as in the published test.
	burstRequests = 10000
	// burstBound is how long a request of a burst may take, in seconds. 200 threads need 50 s for 10,000
	// requests of a second.
	burstBound = 75
	// burstDials is how long the connections are dialled before the burst, in seconds: 5,000 a second.
	// The load generator has few dials in progress at a time, so that no backlog is full.
	burstDials = 2
	// burstRest is the expected time of a burst beyond its wait: 10,000 requests take two processors
	// some seconds.
	burstRest = 4 * time.Second
)

func burstPoints(quick bool) (out []point) {
	for _, wait := range axis(quick, 50, 100, 200, 500, 1000) {
		w := serviceLoad("GET", burstRequests, wait)
		w.Requests, w.WarmupS, w.DurationS = burstRequests, burstDials, burstBound
		out = append(out, point{name: fmt.Sprintf("%dms", wait), work: w})
	}
	return out
}

// lowLatencyBody is the size of the request's body in low-latency, as in the published test.
const lowLatencyBody = 800

// lowLatencyPoints are a cross: all delays at 100 threads, and the other numbers of threads at three
// delays. All combinations on three topologies would take half an hour.
func lowLatencyPoints(quick bool) (out []point) {
	delays := []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 20, 30, 40, 50}
	add := func(delay, threads int) {
		w := serviceLoad("POST", threads, delay)
		w.BodyBytes, w.WarmupS, w.DurationS = lowLatencyBody, 0.5, 1.5
		out = append(out, point{name: fmt.Sprintf("%dms-%d-threads", delay, threads), work: w})
	}
	threads := []int{50, 100, 200, 300}
	if quick {
		for _, delay := range corners(delays) {
			for _, n := range corners(threads) {
				add(delay, n)
			}
		}
		return out
	}
	for _, delay := range delays {
		for _, n := range threads {
			if n == 100 || slices.Contains([]int{1, 10, 50}, delay) {
				add(delay, n)
			}
		}
	}
	return out
}

const (
	// abEach is how many requests ab sends for each user: 2,000 for 100 users, as published. abWaiting
	// bounds the time that a user waits for them where each waits for no other: 6 requests at 500 ms.
	abEach    = 20
	abWaiting = 3000 // ms
	// abBound is when ab stops, in seconds, answered or not.
	abBound = 5
	// slowestRound is the longest time in which a server may work off one request of each user, which
	// is also what it has left to do when ab has stopped.
	slowestRound = 3 * time.Second
)

// waitingThreads are the servers of async that wait on few threads (services/spring).
var waitingThreads = map[facts.Client]int{"server-callable": 8, "server-cf-common": 7}

// TooSlow says why a cell of async is not measured: a server with few threads needs minutes for its
// queue. Its mean time is known without a measurement, users × wait / threads.
func TooSlow(p facts.Planned) string {
	threads := waitingThreads[p.Client]
	if p.Users != facts.Ab || threads == 0 {
		return ""
	}
	w := p.Workload
	round := time.Duration(w.Concurrency*w.DelayMS/threads) * time.Millisecond
	if round <= slowestRound {
		return ""
	}
	return fmt.Sprintf("not measured: %d threads need %.0f s for one request of each of %d users at %d ms", threads,
		round.Seconds(), w.Concurrency, w.DelayMS)
}

// asyncPoints are all users and waits, and 1,000 and 2,000 users at the longest wait for the reactive
// server, as published.
func asyncPoints(quick bool) (out []point) {
	add := func(users, wait int, only facts.Client) {
		w := serviceLoad("GET", users, wait)
		w.Requests, w.DurationS = users*min(abEach, abWaiting/wait), abBound
		out = append(out, point{name: fmt.Sprintf("%d-users-%dms", users, wait), work: w, only: only})
	}
	for _, users := range axis(quick, 100, 200, 400, 800) {
		for _, wait := range axis(quick, 10, 100, 500) {
			add(users, wait, "")
		}
	}
	if !quick {
		add(1000, 500, reactiveServer)
	}
	add(2000, 500, reactiveServer)
	return out
}
