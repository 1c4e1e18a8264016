package labtest

import (
	"fmt"
	"hash/fnv"
	"math"
	"time"

	"h2lab/internal/facts"
)

// MattersLoad is one place of an invented map: a load, and its surroundings.
type MattersLoad struct {
	Client          facts.Client
	InFlight, Pools int
	BackendMS       int
	RTTMS           float64
	TLS, Key        string
	Resume, Open    bool
}

// matters are the invented times, in seconds: of a request at the proxy, of a handshake, of a window.
const (
	mattersRequest   = 0.000115
	mattersHandshake = 0.003
	mattersWindow    = 5
	mattersHigh      = 100_000
)

// Matters is an invented run of SWEEP=matters: nothing was measured.
func Matters(trials int, loads ...MattersLoad) *facts.Result {
	began := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	r := &facts.Result{SchemaVersion: facts.SchemaVersion, Run: facts.Run{ID: "synthetic-matters", Command: "sweep",
		Sweep: "matters", Repeat: "make sweep SWEEP=matters SEED=42", Runtime: "native", Started: began,
		Finished: began.Add(28 * time.Minute), Seed: 42, Trials: trials, Limit: 1000, WarmupS: 1,
		DurationS: mattersWindow, Concurrency: 100, CPUs: new(0.5), Key: "rsa"},
		Environment: facts.Environment{CPU: "Synthetic CPU 2.0 GHz", Cores: 2, MemoryMB: 7900, Kernel: "6.1.0",
			OS: "Debian GNU/Linux 12", Versions: map[string]string{"nginx": "1.22.1"},
			Servers: []facts.ServerRecord{{Name: "backend", Version: "go1.26.8", CPUs: new(0.5)}}}}
	for _, l := range loads {
		for _, limit := range []int{100, 1000, 10_000, mattersHigh} {
			r.Cells = append(r.Cells, l.cell(limit, trials, began))
			r.Run.Planned = append(r.Run.Planned, r.Cells[len(r.Cells)-1].ID())
		}
	}
	return r
}

// MattersMap are the loads of a whole sweep: the map of backends and distances, and some other loads.
func MattersMap() (out []MattersLoad) {
	base := MattersLoad{Client: facts.GoReplayable, InFlight: 100, Pools: 1, TLS: "1.2", Key: "rsa"}
	with := func(change func(*MattersLoad)) {
		l := base
		change(&l)
		out = append(out, l)
	}
	for _, backend := range []int{0, 1, 5, 20, 100} {
		for _, rtt := range []float64{0, 5, 20, 80} {
			with(func(l *MattersLoad) { l.BackendMS, l.RTTMS = backend, rtt })
		}
	}
	for _, at := range []MattersLoad{{}, {BackendMS: 20}, {BackendMS: 20, RTTMS: 20}} {
		at := func(change func(*MattersLoad)) {
			with(func(l *MattersLoad) { l.BackendMS, l.RTTMS = at.BackendMS, at.RTTMS; change(l) })
		}
		for _, n := range []int{10, 50, 400} {
			at(func(l *MattersLoad) { l.InFlight = n })
		}
		at(func(l *MattersLoad) { l.Pools = 4 })
		at(func(l *MattersLoad) { l.Client = facts.GoSingleDial })
		at(func(l *MattersLoad) { l.Client = facts.GoOnce })
		at(func(l *MattersLoad) { l.Client = "okhttp-5" })
		at(func(l *MattersLoad) { l.TLS = "1.3" })
		at(func(l *MattersLoad) { l.Key = "ecdsa" })
		at(func(l *MattersLoad) { l.Resume = true })
		at(func(l *MattersLoad) { l.Open = true })
	}
	return out
}

func (l MattersLoad) cell(limit, trials int, began time.Time) facts.Cell {
	w := facts.Workload{Method: "POST", BodyBytes: 1, DelayMS: l.BackendMS, Concurrency: l.InFlight, Pools: l.Pools,
		WarmupS: 1, DurationS: mattersWindow, MaxTLS: l.TLS, Distance: facts.Distance{RTTMS: l.RTTMS}, Key: l.Key,
		Resume: l.Resume}
	c := facts.Cell{Topology: fmt.Sprintf("nginx-%d", limit), Protocol: facts.H2, Client: l.Client,
		Point:  fmt.Sprintf("%d-in-flight-%d-pools-%dms-rtt%v-tls%s-%s", l.InFlight, l.Pools, l.BackendMS, l.RTTMS, l.TLS, l.Key),
		Limit:  facts.Limit{Configured: &limit, Effective: &limit, ProbedRequests: limit + 1, Closing: "goaway"},
		Trials: []facts.Trial{}}
	if l.Resume {
		c.Point += "-resumed"
	}
	plain := l.plain()
	if l.Open {
		w.Arrivals, w.RatePerS = facts.Poisson, math.Round(plain*0.5)
		plain = w.RatePerS
		c.Point += "-open"
	}
	c.Workload = w
	if need := float64(limit) * float64(l.Pools) / plain; limit < mattersHigh && need > mattersWindow {
		c.Unsupported = facts.T("lab.not-measured", facts.T("verdict.recorded", fmt.Sprintf(
			"needs %.0f s for one renewal (%d requests at %.0f a second), and a window has %d s", need, limit, plain, mattersWindow)))
		return c
	}
	for n := 1; n <= trials; n++ {
		c.Trials = append(c.Trials, l.trial(&c, limit, n, plain, began))
	}
	return c
}

// plain is the goodput without renewals.
func (l MattersLoad) plain() float64 {
	return math.Min(1/mattersRequest, float64(l.InFlight)*1000/(float64(l.BackendMS)+l.RTTMS+2))
}

func (l MattersLoad) trial(c *facts.Cell, limit, n int, plain float64, began time.Time) facts.Trial {
	rest := float64(l.BackendMS) + l.RTTMS
	on := math.Min(float64(l.InFlight)/float64(l.Pools), 128)
	dials := math.Max(1, on*0.6*2/(2+rest))
	handshake := mattersHandshake * map[string]float64{"ecdsa": 0.35}[l.Key]
	if handshake == 0 {
		handshake = mattersHandshake
	}
	if l.Client == facts.GoSingleDial {
		dials = 1
	}
	wait := dials*handshake + 2*l.RTTMS/1000
	rps := plain / (1 + wait*math.Min(1, 2/(2+rest))*plain/float64(limit))
	p50 := rest + on/plain*1000/4
	worst := 0.0
	if share := on / float64(limit); share > 0.01 {
		worst = wait * 1000 * (1 - 0.01/share)
	}
	around := unsteady(c.ID(), n)
	rps, worst = rps*around, worst*unsteady(c.ID()+"p99", n)
	attempts := int64(rps * mattersWindow)
	renewed := attempts / int64(limit)
	accepted, used := int64(float64(renewed)*dials), renewed
	var failed int64
	if l.Client == facts.GoOnce {
		failed = int64(float64(renewed) * on * 0.35)
	}
	p99 := p50*1.4*unsteady(c.ID()+"base", n) + worst
	return facts.Trial{Index: n, Order: n, Started: began, ElapsedS: mattersWindow, Attempts: attempts,
		Succeeded: attempts - failed, Failed: failed, GoodputRPS: float64(attempts-failed) / mattersWindow,
		LatencyMS: facts.Latency{P50: new(p50), P90: new(p50 * 1.2), P95: new(p50 * 1.3), P99: new(p99), P999: new(p99 * 1.2),
			Max: new(p99 * 1.5)},
		Connections: facts.Connections{Accepted: &accepted, Used: &used, Expected: &renewed, UsedUp: &renewed},
		TLS:         facts.TLS{Version: l.TLS}}
}

// unsteady is a factor near 1 that depends on a text and a trial alone.
func unsteady(id string, trial int) float64 {
	h := fnv.New32a()
	fmt.Fprintf(h, "%s#%d", id, trial)
	return 1 + 0.04*(float64(h.Sum32()%101)/100-0.5)
}

// storyCell describes an invented cell of a story; counts are those of one trial.
type storyCell struct {
	topology                                         string
	protocol                                         facts.Protocol
	caller                                           facts.Client
	rps, p50, p99                                    float64
	failing                                          float64 // share of the requests
	twice, accepted, used, expected, usedUp, threads int64
	proxy                                            float64 // seconds of CPU
}

// Story is an invented story: it has the shape of a run, but nothing was measured.
func Story(gateway string, trials int) *facts.Result {
	began := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	r := &facts.Result{SchemaVersion: facts.SchemaVersion, Run: facts.Run{ID: "synthetic-story", Command: "story",
		Repeat: "make story SEED=42", Runtime: "native", Started: began, Finished: began.Add(7 * time.Minute), Seed: 42,
		Trials: trials, Limit: 1000, WarmupS: 1, DurationS: 4, Concurrency: 100, CPUs: new(0.5), Key: "rsa",
		Observed: true},
		Environment: facts.Environment{CPU: "Synthetic CPU 2.0 GHz", Cores: 8, MemoryMB: 7900, Kernel: "6.1.0",
			OS: "Debian GNU/Linux 12", Versions: map[string]string{"nginx": "1.22.1", "envoy": "1.40.0", "k6": "1.8.1",
				"java": "17.0.13"}, Servers: []facts.ServerRecord{{Name: "backend", Version: "go1.26.8", CPUs: new(0.5)},
				{Name: "nginx-1000-" + gateway, Version: "1.22.1", CPUs: new(0.5)},
				{Name: "resttemplate-okhttp3", Version: "17.0.13"}}}}
	low, high := "nginx-1000-"+gateway, "nginx-100000-"+gateway
	for i, k := range []storyCell{
		{low, facts.H2, "resttemplate-okhttp3", 820, 98, 415, 0.002, 31, 48, 40, 4, 4, 131, 1.7},
		{low, facts.H2, "resttemplate-okhttp3-pool100", 816, 99, 418, 0.002, 29, 47, 41, 4, 4, 131, 1.7},
		{gateway, facts.H2, "resttemplate-okhttp3", 1310, 70, 134, 0, 0, 0, 0, 0, 0, 131, 1.0},
		{low, facts.H2, "resttemplate-okhttp3-no-retry", 780, 97, 402, 0.091, 0, 44, 39, 4, 4, 131, 1.7},
		{high, facts.H2, "resttemplate-okhttp3", 1290, 71, 139, 0, 0, 0, 0, 0, 0, 131, 1.1},
		{"envoy-" + gateway, facts.H2, "resttemplate-okhttp3", 1240, 73, 142, 0, 0, 0, 0, 0, 0, 131, 1.2},
		{low, facts.H1, "resttemplate-okhttp3-h1", 1180, 76, 160, 0, 0, 3, 3, 3, 3, 131, 1.3},
		{low, facts.H2, "resttemplate-okhttp4", 960, 90, 310, 0, 0, 120, 6, 5, 5, 131, 1.6},
		{low, facts.H2, "resttemplate-okhttp3-renew", 1200, 75, 150, 0, 0, 20, 20, 5, 0, 131, 1.2},
		{high, facts.H2, "resttemplate-okhttp3-no-retry", 1280, 71, 140, 0, 0, 0, 0, 0, 0, 131, 1.1},
	} {
		r.Cells = append(r.Cells, k.cell(i, trials, began))
		r.Run.Planned = append(r.Run.Planned, r.Cells[i].ID())
	}
	r.Renewals = []facts.Renewal{{Topology: low, Protocol: "h2", Dropped: []uint32{2001},
		Summary: facts.NewNote("note.summary", facts.T("note.goaway-limit", 1000, 1999)), Frames: []facts.Frame{
			{TMS: 0, Sent: true, Type: "TCP", Detail: "new connection, TLS 1.2"},
			{TMS: 20.4, Type: "GOAWAY", Length: 8, Detail: `last_stream_id=1999 NO_ERROR debug=""`}}}}
	return r
}

func (k storyCell) cell(i, trials int, began time.Time) facts.Cell {
	c := facts.Cell{Topology: k.topology, Protocol: k.protocol, Client: k.caller, Users: facts.K6ConnectionPerVU,
		Workload: facts.Workload{Method: "POST", BodyBytes: 1, DelayMS: 20, Concurrency: 100, Pools: 1, WarmupS: 1,
			DurationS: 4, MaxTLS: "1.2"}, Limit: facts.Limit{ProbedRequests: 2000, Closing: "none"},
		Program: &facts.Program{Ecosystem: "spring", Title: "Spring Boot services",
			Library: "Spring RestTemplate 5.3, OkHttp 3.4.2", IDs: true,
			Says: "RestTemplate over one OkHttpClient with its defaults: a pool of 5, retry on"}}
	var limit int
	if _, err := fmt.Sscanf(k.topology, "nginx-%d-", &limit); err == nil {
		c.Limit = facts.Limit{Configured: &limit, Effective: &limit, ProbedRequests: limit, Closing: "goaway",
			LastStreamID: new(uint32(2*limit - 1))}
	}
	if k.caller == "resttemplate-okhttp3-renew" {
		c.Program.AssumesLimit, c.Program.Price = 1000, "Four times as many connections as expected; "+
			"the server's limit must be known; reloads and age limits still send GOAWAY."
		c.Program.Snippet = facts.Snippet{File: "services/spring/Renewing.java", Language: "java", Text: "renew();"}
	}
	for n := 1; n <= trials; n++ {
		t := k.trial(1 + 0.02*math.Sin(float64(7*i+3*n)))
		t.Index, t.Order, t.Started = n, (n-1)*10+i+1, began.Add(time.Duration(n)*time.Minute)
		c.Trials = append(c.Trials, t)
	}
	return c
}

const (
	cancelled = "okhttp3.internal.framed.StreamResetException: stream was reset: CANCEL"
	refused   = "okhttp3.internal.framed.StreamResetException: stream was reset: REFUSED_STREAM"
)

func (k storyCell) trial(wobble float64) facts.Trial {
	attempts := int64(4 * k.rps * wobble)
	fails := int64(float64(attempts) * k.failing)
	ok := attempts - fails
	latency := func(p50, p99 float64) facts.Latency {
		return facts.Latency{P50: new(p50 / wobble), P90: new(1.5 * p50), P95: new(2 * p50), P99: new(p99 / wobble),
			P999: new(2 * p99), Max: new(3 * p99)}
	}
	api := latency(20.4, 24.3)
	t := facts.Trial{ElapsedS: 4, Attempts: attempts, Succeeded: ok, Failed: fails, GoodputRPS: float64(ok) / 4,
		LatencyMS: latency(k.p50, k.p99), Connections: facts.Connections{Accepted: new(k.accepted), Used: new(k.used),
			Expected: new(k.expected), UsedUp: new(k.usedUp)}, ColdStart: facts.ColdStart{Accepted: new(int64(2))},
		Backend: facts.BackendDelta{Executed: new(ok + k.twice), Distinct: new(ok), Duplicates: new(k.twice),
			HandledMS: &api},
		Errors: []facts.Error{}, Warnings: []facts.Text{},
		Service: &facts.ServiceView{Errors: []facts.Error{}, Requests: attempts, Calls: attempts, Succeeded: ok, Failed: fails,
			CallMS: latency(k.p50-3, k.p99-8), FailedMS: latency(2, 9), RowMS: latency(0.03, 0.21), Threads: new(k.threads),
			HeapMB: new(91.5), HeapMaxMB: new(256.0), CPUS: new(5.1),
			Settings: map[string]string{"java.version": "17.0.13", "jvm.flags": "-Xmx256m -XX:+UseSerialGC"}},
		TLS: facts.TLS{Version: "1.2"}, CPU: facts.CPU{Proxy: new(k.proxy * wobble), Backend: new(0.6), Client: new(2.2),
			Service: new(5.1), Lab: new(0.1), Other: new(0.1)}}
	if fails > 0 {
		t.Errors = []facts.Error{{Class: facts.ErrHTTPStatus, Count: fails, Message: "502: " + cancelled}}
		t.Service.Errors = []facts.Error{{Class: facts.ErrOther, Count: fails - fails/4, Message: cancelled}}
		if fails/4 > 0 {
			t.Service.Errors = append(t.Service.Errors, facts.Error{Class: facts.ErrRefusedStream, Count: fails / 4,
				Message: refused})
		}
	}
	return t
}
