package sweepreport

import (
	"fmt"
	"hash/fnv"
	"slices"
	"time"

	"h2lab/internal/facts"
	"h2lab/internal/judge/sweepverdicts"
)

const (
	low  = "nginx-1000"
	high = sweepverdicts.High
)

// goUsers is the load generator with one connection for each user.
const goUsers = facts.Client("go-users")

var topologies = []string{sweepverdicts.Direct, low, high}

// made is what an invented caller does at one place.
type made struct {
	client   facts.Client
	protocol facts.Protocol
	users    facts.Client // the load generator; empty is the load without a service
	point    string
	load     facts.Workload
	// rps and ms are throughput and p95; slower and failing are the limit's effect.
	rps, ms         float64
	slower, failing float64
	own             float64 // the share of failures without the limit
	threads         int64
	exception       string
	renewals        *int64
	duplicates      int64
	busy            float64 // processor time, as a share of both cores
	unsupported     facts.Text
	elapsed         float64 // of a load without a window
}

const pending = "org.springframework.web.reactive.function.client.WebClientRequestException: Pending acquire queue " +
	"has reached its maximum size of 1000; Caused by: " +
	"reactor.netty.internal.shaded.reactor.pool.PoolAcquirePendingLimitException: Pending acquire queue has reached " +
	"its maximum size of 1000"

const reset = "java.io.IOException: stream was reset: REFUSED_STREAM"

// noise is a factor near 1 that depends on the cell and the trial alone.
func noise(id string, trial int) float64 {
	h := fnv.New32a()
	fmt.Fprintf(h, "%s#%d", id, trial)
	return 1 + 0.02*(float64(h.Sum32()%101)/100-0.5)
}

func (m made) cell(topology string, trials int) facts.Cell {
	c := facts.Cell{Topology: topology, Protocol: m.protocol, Client: m.client, Users: m.users, Point: m.point,
		Workload: m.load, Unsupported: m.unsupported, Trials: []facts.Trial{}}
	if topology != sweepverdicts.Direct {
		limit := map[string]int{low: 1000, high: 100000}[topology]
		c.Limit = facts.Limit{Configured: &limit, Effective: &limit, ProbedRequests: limit + 1, Closing: "goaway"}
	}
	for n := 1; n <= trials && m.unsupported.IsZero(); n++ {
		c.Trials = append(c.Trials, m.trial(&c, n))
	}
	return c
}

func (m made) trial(c *facts.Cell, n int) facts.Trial {
	around := noise(c.ID(), n)
	slower, failing := 1.0, m.own
	if c.Topology == low {
		slower, failing = m.slower, m.own+m.failing
	}
	elapsed := max(m.load.DurationS, 1)
	rps := m.rps * around / max(1, slower*0.8)
	attempts := int64(rps * elapsed)
	if m.load.Requests > 0 {
		elapsed, attempts = m.elapsed*around*slower, int64(m.load.Requests)
		rps = float64(attempts) / elapsed
	}
	failed := int64(float64(attempts) * failing)
	ms := m.ms * around * slower
	t := facts.Trial{Index: n, Order: n, ElapsedS: elapsed, Attempts: attempts, Succeeded: attempts - failed,
		Failed: failed, GoodputRPS: rps * (1 - failing), Errors: []facts.Error{},
		LatencyMS: facts.Latency{P50: new(ms * 0.6), P95: &ms, P99: new(ms * 1.4), P999: new(ms * 2), Max: new(ms * 3)},
		TLS:       facts.TLS{Version: "1.2"}, CPU: facts.CPU{Service: new(elapsed * 0.4), Client: new(elapsed * 2 * m.busy)}}
	if failed > 0 {
		t.Errors = []facts.Error{{Class: facts.ErrHTTPStatus, Count: failed, Message: "502 Bad Gateway"}}
	}
	if m.users == "" {
		t.CPU.Service = nil
		return t
	}
	t.Service = &facts.ServiceView{Requests: attempts, Calls: attempts, Succeeded: attempts - failed, Failed: failed,
		Threads: new(m.threads), HeapMB: new(60 + float64(m.load.Concurrency)/40), HeapMaxMB: new(256.0),
		Errors: []facts.Error{}, Settings: map[string]string{"jvm": "-Xms256m -Xmx256m -XX:+UseSerialGC", "tls": "1.2"}}
	if failed > 0 {
		t.Service.Errors = []facts.Error{{Class: facts.ErrOther, Count: failed, Message: m.exception}}
	}
	if c.Topology == low {
		t.Connections = facts.Connections{Accepted: new(int64(20 * n)), Expected: new(int64(2 * n)), UsedUp: m.renewals}
		t.Backend.Duplicates = new(m.duplicates)
	}
	return t
}

func callers(users []int) (out []made) {
	for _, u := range users {
		offered := float64(u) * 1000 / 800
		one := func(c facts.Client, p facts.Protocol, capacity, ms float64, threads int64) made {
			m := made{client: c, protocol: p, users: goUsers, point: fmt.Sprintf("%d-users", u),
				load: facts.Workload{Method: "POST", BodyBytes: 1, DelayMS: 100, Concurrency: u, Pools: 1, DurationS: 8,
					MaxTLS: "1.2", ThinkMS: 700}, rps: min(offered, capacity), ms: ms, slower: 1, threads: threads,
				renewals: new(int64(7)), busy: 0.4}
			if offered > capacity {
				m.ms = max(ms, float64(u)/capacity*1000-700)
			}
			if u >= 3000 {
				m.busy = 0.9
			}
			return m
		}
		pool, async := one("resttemplate-pool", facts.H1, 975, 130, 232), one("asyncresttemplate", facts.H1, 990, 125, 230)
		async.renewals = new(int64(0))
		h1, h2 := one("webclient-h1", facts.H1, 6000, 118, 43), one("webclient-h2", facts.H2, 5500, 119, 43)
		virtual := one("restclient-virtual", facts.H1, 3000, 121, 60)
		if u >= 1600 {
			h1.own, h1.exception = 0.1, pending
		}
		h2.slower, h2.failing, h2.exception = 1.5, 0.02, reset
		virtual.slower = 1.3
		if u == 5000 {
			h2.unsupported = facts.T("lab.not-measured", facts.T("lab.cores-busy", "3000", "2", facts.Join("join.comma",
				facts.T("lab.share", facts.T("lab.service"), "60"), facts.T("lab.share", facts.T("lab.load-generator"), "10"),
				facts.T("lab.share", facts.T("lab.proxy"), "15"), facts.T("lab.share", facts.T("lab.backend"), "14"))))
		}
		out = append(out, pool, async, h1, h2, virtual)
	}
	return out
}

func burst(waits []int) (out []made) {
	for _, w := range waits {
		one := func(c facts.Client, seconds float64) made {
			return made{client: c, protocol: facts.H1, users: facts.GoBurst, point: fmt.Sprintf("%dms", w),
				load: facts.Workload{Method: "GET", DelayMS: w, Concurrency: 10000, Requests: 10000, DurationS: 30, WarmupS: 2},
				ms:   float64(w), elapsed: seconds, slower: 1, threads: 220, renewals: new(int64(4)), busy: 0.9}
		}
		sync, netty := one("server-sync", 10000.0/200*float64(w)/1000+0.6), one("server-mono-netty", 1.2+float64(w)/1000)
		if w == 1000 {
			sync.own, sync.elapsed, sync.exception = 0.4, 30, "java.net.SocketTimeoutException: timeout"
		}
		netty.slower = 1.4
		out = append(out, sync, netty, one("server-virtual", 1.5+float64(w)/1000))
	}
	return out
}

func lowLatency(places []sweepverdicts.Place) (out []made) {
	for _, at := range places {
		one := func(c facts.Client, p facts.Protocol, overhead float64) made {
			ms := float64(at.DelayMS) + overhead
			return made{client: c, protocol: p, users: goUsers,
				point: fmt.Sprintf("%dms-%d-threads", at.DelayMS, at.Users), load: facts.Workload{Method: "POST", BodyBytes: 800,
					DelayMS: at.DelayMS, Concurrency: at.Users, Pools: 1, DurationS: 3, MaxTLS: "1.2"},
				rps: float64(at.Users) * 1000 / ms / 10, ms: ms, slower: 1, threads: 120, renewals: new(int64(12)), busy: 0.99}
		}
		blocking, h1 := one("resttemplate-apache", facts.H1, 1), one("webclient-h1", facts.H1, 2.5)
		if at.DelayMS >= 10 {
			blocking.rps *= 0.85
		}
		h2 := one("webclient-h2", facts.H2, 2.7)
		if at.DelayMS <= 20 {
			h2.slower = 1.6
		}
		bare := one(facts.GoReplayable, facts.H1, 0.3)
		bare.users = ""
		out = append(out, blocking, h1, h2, bare)
	}
	return out
}

func async(places []sweepverdicts.Place) (out []made) {
	for _, at := range places {
		one := func(c facts.Client, mean float64) made {
			n := at.Users * 20
			return made{client: c, protocol: facts.H1, users: facts.Ab, point: fmt.Sprintf("%d-users-%dms", at.Users, at.DelayMS),
				load: facts.Workload{Method: "GET", DelayMS: at.DelayMS, Concurrency: at.Users, Requests: n, DurationS: 3},
				ms:   mean, elapsed: mean * float64(n) / float64(at.Users) / 1000, slower: 1, threads: 140, busy: 0.5,
				renewals: new(int64(16))}
		}
		d, u := float64(at.DelayMS), float64(at.Users)
		flux := one("server-mono-netty", d*1.07)
		if out = append(out, flux); at.Users == 1000 || at.Users == 2000 {
			continue
		}
		out = append(out, one("server-sync", max(d*1.3, u*d/200)), one("server-cf-common", u*d/7), one("server-cf-500",
			max(d*1.5, u*d/500)), one("server-virtual", d*1.1))
	}
	return out
}

// synthetic is an invented run with some sweeps.
func synthetic(name string, trials int, cells ...[]made) *facts.Result {
	cpus := 0.5
	r := &facts.Result{SchemaVersion: facts.SchemaVersion, Run: facts.Run{ID: "20261122T100000Z-sweep", Command: "sweep",
		Repeat: "h2lab sweep --sweep " + name + " --seed 7", Runtime: "native", Limit: 1000, Trials: trials, Seed: 7,
		CPUs: &cpus, Key: "rsa", Started: time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC),
		Finished: time.Date(2026, 11, 22, 10, 40, 0, 0, time.UTC), Planned: []string{}, Warnings: []facts.Text{}},
		Environment: facts.Environment{CPU: "an invented processor", Cores: 2, MemoryMB: 8000, Kernel: "6.1", OS: "Debian",
			Versions: map[string]string{"nginx": "1.22.1", "ab": "2.3"}, Git: facts.Git{Commit: "0123456789"}},
		Renewals: []facts.Renewal{}, Cells: []facts.Cell{}}
	for _, topology := range topologies {
		for _, m := range slices.Concat(cells...) {
			if m.users == "" && topology != sweepverdicts.Direct {
				continue
			}
			c := m.cell(topology, trials)
			r.Cells = append(r.Cells, c)
			r.Run.Planned = append(r.Run.Planned, c.ID())
		}
	}
	return r
}

func whole(trials int) *facts.Result {
	return synthetic("all", trials, callers(sweepverdicts.Callers.Parts[0].Users), burst(sweepverdicts.Burst.Parts[0].Delays),
		lowLatency(sweepverdicts.LowLatency.Whole()), async(sweepverdicts.Async.Whole()))
}

// quick has the corners of one sweep, is interrupted, and lacks a cell.
func quick() *facts.Result {
	r := synthetic("callers", 1, callers([]int{100, 5000}))
	r.Run.Quick, r.Run.Interrupted, r.Run.Finished = true, true, time.Time{}
	r.Run.Warnings = []facts.Text{facts.T("verdict.recorded", "no processor budget could be set: the kernel's cgroups aren't writable")}
	last := len(r.Cells) - 1
	r.Cells = r.Cells[:last]
	r.Cells[last-1].Trials = []facts.Trial{}
	r.Cells[last-2].Trials[0] = facts.Trial{Index: 1, Fault: &facts.Fault{Kind: facts.FaultCrashed,
		Message: "java.lang.OutOfMemoryError: Java heap space | <b>x</b>"}}
	return r
}
