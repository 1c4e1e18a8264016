package plan

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"h2lab/internal/facts"
)

// Sweep is the command that measures services over a range of one or two settings.
const Sweep = "sweep"

// The sweeps of services, and the word for all of them.
const (
	Callers    = "callers"
	Burst      = "burst"
	LowLatency = "low-latency"
	Async      = "async"
	EverySweep = "all"
)

// Sweeps are the sweeps of services in their order.
var Sweeps = []string{Callers, Burst, LowLatency, Async}

// SweepsOf are the sweeps that SWEEP names.
func SweepsOf(word string) ([]string, error) {
	switch {
	case word == EverySweep:
		return Sweeps, nil
	case word == Matters, slices.Contains(Sweeps, word):
		return []string{word}, nil
	}
	return nil, fmt.Errorf("SWEEP=%s is unknown: choose from %s, %s, %s", word, strings.Join(Sweeps, ", "), EverySweep,
		Matters)
}

// point is one place of a sweep: its name and the load there.
type point struct {
	name string
	work facts.Workload
	only facts.Client // the one service that has this point; empty: every service
}

// sweepTable is one sweep: services, what generates their users' load, and the points.
type sweepTable struct {
	services []facts.Client
	users    facts.Client
	// servers are services that wait themselves (/wait) where no topology is measured.
	servers bool
	// alone is the client of a further line, which calls the backend without a service; or empty.
	alone  facts.Client
	points func(quick bool) []point
}

var sweepTables = map[string]sweepTable{
	Callers: {services: []facts.Client{"resttemplate-pool", "asyncresttemplate", "webclient-h1", "webclient-h2",
		"restclient-virtual-h1", "restclient-virtual"}, users: facts.GoUsers, points: callersPoints},
	Burst: {services: []facts.Client{"server-sync", "server-mono-netty", "server-virtual"}, users: facts.GoBurst,
		servers: true, points: burstPoints},
	LowLatency: {services: []facts.Client{"resttemplate-apache", "webclient-h1", "webclient-h2"},
		users: facts.GoUsers, alone: facts.GoReplayable, points: lowLatencyPoints},
	Async: {services: []facts.Client{"server-sync", "server-callable", "server-cf-common", "server-cf-500",
		reactiveServer, "server-virtual"}, users: facts.Ab, servers: true, points: asyncPoints},
}

// reactiveServer is the one server of async that is also measured with 1,000 and 2,000 users.
const reactiveServer facts.Client = "server-mono-netty"

// SweepCells are the cells of one sweep: every point of every service directly, through the low
// limit and through the high one, that matches the filters. rows has the services' manifests.
func SweepCells(name string, k Knobs, rows []Row) ([]facts.Planned, error) {
	table := sweepTables[name]
	var out []facts.Planned
	for _, t := range sweepTopologies(k.Limit) {
		for _, service := range table.services {
			row, err := rowOf(rows, service, name)
			if err != nil {
				return nil, err
			}
			for _, p := range table.points(k.Quick) {
				if (p.only == "" || p.only == service) && k.wants(t.Name, row.Protocol, service) {
					out = append(out, facts.Planned{Topology: t, Protocol: row.Protocol, Client: service,
						Program: row.Program, Users: table.users, Point: p.name, Workload: table.workload(p, t)})
				}
			}
		}
	}
	if table.alone != "" {
		out = append(out, aloneCells(table, k)...)
	}
	return out, nil
}

// workload is the load of a point through a topology. A server needs no backend to wait, so without
// a proxy it waits itself.
func (s sweepTable) workload(p point, t facts.Topology) facts.Workload {
	w := p.work
	w.NoCall = s.servers && t.Limit == 0
	return w
}

// aloneCells are the points without a service: the users call the backend.
func aloneCells(table sweepTable, k Knobs) (out []facts.Planned) {
	direct := sweepTopologies(k.Limit)[0]
	if !k.wants(direct.Name, facts.H1, table.alone) {
		return nil
	}
	for _, p := range table.points(k.Quick) {
		out = append(out, facts.Planned{Topology: direct, Protocol: facts.H1, Client: table.alone, Point: p.name,
			Workload: p.work})
	}
	return out
}

// sweepTopologies are direct, nginx with the low limit, and nginx with the high one.
func sweepTopologies(limit int) []facts.Topology {
	all := Topologies(limit)
	return all[:3]
}

func rowOf(rows []Row, service facts.Client, sweep string) (Row, error) {
	i := slices.IndexFunc(rows, func(r Row) bool { return r.Client == service })
	if i < 0 {
		return Row{}, fmt.Errorf("no manifest of services/ has %s, which SWEEP=%s measures; restore it with: "+
			"git checkout services", service, sweep)
	}
	return rows[i], nil
}

// UnusedInSweep reports filters of SWEEP that leave no cell, or the first word of one that matches
// none. cells are those that the filters leave.
func UnusedInSweep(cells []facts.Planned, k Knobs) error {
	var clients []facts.Client
	sweeps, _ := SweepsOf(k.Sweep) // the caller has checked it
	for _, name := range sweeps {
		clients = append(clients, sweepTables[name].services...)
		if alone := sweepTables[name].alone; alone != "" {
			clients = append(clients, alone)
		}
	}
	if err := k.matched(cells, choices(sweepTopologies(k.Limit), clients)); err != nil {
		return fmt.Errorf("SWEEP=%s: %w", k.Sweep, err)
	}
	return nil
}

// Passes groups the cells of a sweep. callers raises the users and burst the wait pass by pass, so that
// a service that can't take more is not measured with more; the other sweeps have one pass.
func Passes(name string, cells []facts.Planned) (out [][]facts.Planned) {
	level := func(facts.Workload) int { return 0 }
	switch name {
	case Callers:
		level = func(w facts.Workload) int { return w.Concurrency }
	case Burst:
		level = func(w facts.Workload) int { return w.DelayMS }
	}
	for _, c := range cells {
		i := slices.IndexFunc(out, func(pass []facts.Planned) bool { return level(pass[0].Workload) == level(c.Workload) })
		if i < 0 {
			out = append(out, nil)
			i = len(out) - 1
		}
		out[i] = append(out[i], c)
	}
	slices.SortFunc(out, func(a, b []facts.Planned) int { return level(a[0].Workload) - level(b[0].Workload) })
	return out
}

// What a trial costs besides its load: the load generator's start and end, and counters that settle.
const (
	sweepOverhead = 1200 * time.Millisecond
	startOfAJVM   = 7 * time.Second
)

// Takes is how long the cells are expected to take, with the start of their services.
func Takes(cells []facts.Planned, trials int) time.Duration {
	var sum time.Duration
	for _, c := range cells {
		if !TooSlow(c).IsZero() {
			continue
		}
		sum += sweepOverhead + loadTime(c)
	}
	services := len(ClientsOf(slices.DeleteFunc(slices.Clone(cells), func(c facts.Planned) bool {
		return c.Users == ""
	})))
	return (sum*time.Duration(trials) + time.Duration(services)*startOfAJVM).Round(time.Minute)
}

// blockingThreads is Tomcat's default number of threads.
const blockingThreads = 200

// loadTime is the expected time of a trial's load.
func loadTime(c facts.Planned) time.Duration {
	w := c.Workload
	warm, bound := time.Duration(w.WarmupS*float64(time.Second)), time.Duration(w.DurationS*float64(time.Second))
	wait := time.Duration(w.DelayMS) * time.Millisecond
	switch {
	case c.Users == facts.GoBurst && c.Client == "server-sync":
		return warm + min(bound, wait*time.Duration(w.Requests)/blockingThreads)
	case c.Users == facts.GoBurst:
		return warm + min(bound, wait+burstRest)
	case c.Users == facts.Ab:
		return min(bound, wait*time.Duration(w.Requests/w.Concurrency)+time.Second)
	}
	return warm + bound
}

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
func TooSlow(p facts.Planned) (why facts.Text) {
	threads := waitingThreads[p.Client]
	if p.Users != facts.Ab || threads == 0 {
		return why
	}
	w := p.Workload
	round := time.Duration(w.Concurrency*w.DelayMS/threads) * time.Millisecond
	if round <= slowestRound {
		return why
	}
	return facts.T("lab.not-measured", facts.T("lab.too-slow", fmt.Sprint(threads), fmt.Sprintf("%.0f", round.Seconds()),
		fmt.Sprint(w.Concurrency), fmt.Sprint(w.DelayMS)))
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
