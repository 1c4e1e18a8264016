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
