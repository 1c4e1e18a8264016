package runreport

import (
	"fmt"
	"math"
	"time"

	"h2lab/internal/facts"
	"h2lab/internal/judge/runverdicts"
	"h2lab/internal/report/parts"
)

// All data in this file is invented: it has the shape and the proportions of a run, but nothing was
// measured.

const hundredThousand = 100000

var began = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// kind describes an invented cell.
type kind struct {
	topology string
	protocol facts.Protocol
	client   facts.Client
	rps      float64
	waste    float64 // accepted connections per expected one
	failing  float64 // share of requests
}

// jitter is a fixed sequence in place of noise.
func jitter(cell, trial int) float64 { return 1 + 0.02*math.Sin(float64(7*cell+3*trial)) }

func limitOf(topology string, low int) int {
	switch topology {
	case "direct", "envoy":
		return 0
	case "nginx-100000":
		return hundredThousand
	}
	return low
}

func synthetic(command string, trials int, kinds []kind) *facts.Result {
	r := &facts.Result{SchemaVersion: facts.SchemaVersion,
		Run: facts.Run{ID: "synthetic-" + command, Command: command, Repeat: "make " + command + " SEED=42",
			Runtime: "native", Started: began, Finished: began.Add(5 * time.Minute), Seed: 42, Trials: trials,
			Limit:   1000,
			WarmupS: 1, DurationS: 5,
			Concurrency: 100, CPUs: new(0.5), Key: "rsa", Observed: true}}
	r.Environment = facts.Environment{CPU: "Synthetic CPU | 2.0 GHz", Cores: 2, MemoryMB: 7900, Kernel: "6.1.0",
		OS: "Debian GNU/Linux 12",
		Versions: map[string]string{"nginx": "1.22.1", "k6": "1.8.1", "go": "1.26.8", "envoy": "1.40.0",
			"openssl": "3.0.15"},
		Git: facts.Git{Commit: "0123456789abcdef", Dirty: true}, LabMaxRSSMB: new(41.5),
		Servers: []facts.ServerRecord{
			{Name: "backend", Version: "go1.26.8", CPUs: new(0.5)},
			{Name: "nginx-1000", Version: "1.22.1", Config: "nginx/keepalive-1000.conf",
				ConfigHash: "aaaabbbbccccddddeeee", Effective: "config/nginx-1000.txt",
				EffectiveHash: "111122223333444455556666", CPUs: new(0.5)},
		}}
	r.Renewals = []facts.Renewal{renewal()}
	for i, k := range kinds {
		r.Cells = append(r.Cells, cell(i, trials, k))
		r.Run.Planned = append(r.Run.Planned, r.Cells[i].ID())
	}
	return r
}

func cell(i, trials int, k kind) facts.Cell {
	low := limitOf(k.topology, 1000)
	c := facts.Cell{Topology: k.topology, Protocol: k.protocol, Client: k.client,
		Workload: facts.Workload{Method: "POST", BodyBytes: 1, Concurrency: 100, Pools: 1, WarmupS: 1, DurationS: 5,
			MaxTLS: "1.3"},
		Limit: facts.Limit{ProbedRequests: 2000, Closing: "none"}}
	if low > 0 {
		c.Limit = facts.Limit{Configured: new(low), Effective: new(low), ProbedRequests: low, Closing: "goaway",
			LastStreamID: new(uint32(2*low - 1))}
	}
	for n := 1; n <= trials; n++ {
		c.Trials = append(c.Trials, trialOf(&c, i, n, low, k))
	}
	return c
}

func trialOf(c *facts.Cell, i, n, limit int, k kind) facts.Trial {
	attempts := int64(5 * k.rps * jitter(i, n))
	fails := int64(float64(attempts) * k.failing)
	warm := attempts / 5
	expected := facts.Expected(k.protocol, k.client, c.Workload, limit, attempts+warm) - facts.Expected(k.protocol,
		k.client, c.Workload, limit, warm)
	accepted := int64(float64(expected) * k.waste)
	p50 := 100 / k.rps * 1000 * 0.9
	t := facts.Trial{Index: n, Order: (n-1)*20 + i + 1, Started: began.Add(time.Duration(n) * time.Second), ElapsedS: 5,
		Attempts:  attempts,
		Succeeded: attempts - fails, Failed: fails, GoodputRPS: float64(attempts-fails) / 5,
		LatencyMS: facts.Latency{P50: new(p50), P90: new(1.6 * p50), P95: new(2 * p50),
			P99: new(4 * p50 * math.Sqrt(k.waste)), P999: new(9 * p50 * math.Sqrt(k.waste)), Max: new(20 * p50)},
		Connections: facts.Connections{Accepted: &accepted, Used: &expected, Expected: &expected,
			ClientReported: new(accepted / 40)},
		ColdStart: facts.ColdStart{Requests: &warm, Accepted: new(int64(100 + 10*n)), Used: new(int64(8)),
			Expected: new(int64(7))},
		Backend: facts.BackendDelta{Executed: new(attempts - fails), Distinct: new(attempts - fails),
			Duplicates: new(int64(0)), Connections: new(int64(3))},
		TLS:    facts.TLS{Version: "1.3", Resumed: new(int64(0))},
		CPU:    facts.CPU{Backend: new(1.1), Client: new(2.2), Lab: new(0.05), Other: new(0.1)},
		Series: fmt.Sprintf("cells/%s/%d/series.json", c.ID(), n)}
	if k.topology != "direct" {
		t.CPU.Proxy = new(2.5)
	}
	if fails > 0 {
		t.Errors = []facts.Error{{Class: facts.ErrGoawayNotReplayable, Count: fails,
			Message: "http2: Transport: cannot retry err [http2: Transport received Server's graceful shutdown " +
				"GOAWAY] after Request.Body was written; define Request.GetBody to avoid this error"}}
	}
	if n == 2 && k.rps > 15000 {
		t.Warnings = []facts.Text{facts.T("verdict.recorded", "the generator used 97 % of a processor: the goodput may be its own limit")}
	}
	return t
}

func renewal() facts.Renewal {
	frames := []facts.Frame{{TMS: 0, Sent: true, Type: "TCP", Detail: "new connection, TLS 1.3"}}
	for n := 985; n <= 1003; n++ {
		note := facts.Note{}
		switch {
		case n == 1000:
			note = facts.NewNote("note.request-at-limit", 1000)
		case n > 1000:
			note = facts.NewNote("note.dropped-above")
		}
		frames = append(frames, facts.Frame{TMS: 20 + float64(n-985)*0.01, Sent: true, Type: "HEADERS",
			StreamID: uint32(2*n - 1), Length: 12, Flags: "END_STREAM|END_HEADERS",
			Detail: ":method GET :path /lab/health", Note: note})
	}
	frames = append(frames,
		facts.Frame{TMS: 20.4, Type: "GOAWAY", Length: 8, Detail: `last_stream_id=1999 NO_ERROR debug=""`,
			Note: facts.NewNote("note.goaway-limit", 1000, 1999)},
		facts.Frame{TMS: 20.41, Type: "HEADERS", StreamID: 1999, Length: 40, Flags: "END_HEADERS",
			Detail: ":status 200", Note: facts.NewNote("note.limit-answered")},
		facts.Frame{TMS: 20.42, Type: "DATA", StreamID: 1999, Length: 3, Flags: "END_STREAM"},
		facts.Frame{TMS: 20.6, Type: "TLS", Detail: "close_notify",
			Note: facts.NewNote("note.close", "0.2")})
	return facts.Renewal{Topology: "nginx-1000", Protocol: "h2", Frames: frames, Dropped: []uint32{2001, 2003, 2005},
		Summary: facts.NewNote("note.summary", facts.Join("join.semicolon",
			facts.T("note.ended-at-limit", 1000, 1999, "NO_ERROR"), facts.T("note.dropped-many", 3, "2001, 2003, 2005")))}
}

// series makes bursts in cells with a low limit.
func series(r *facts.Result) func(string) (facts.Series, error) {
	return func(rel string) (facts.Series, error) {
		for i := range r.Cells {
			for _, t := range r.Cells[i].Trials {
				if t.Series == rel {
					return seriesOf(&r.Cells[i], t), nil
				}
			}
		}
		return facts.Series{}, fmt.Errorf("%s: no such series", rel)
	}
}

func seriesOf(c *facts.Cell, t facts.Trial) facts.Series {
	s := facts.Series{Source: map[string]string{"accepted": "accepts", "requests": "requests"}}
	var requests, accepted int64
	for ms := -1000.0; ms <= 5000; ms += 50 {
		if ms == -950 {
			accepted += 100
		}
		before := requests
		requests = int64((ms + 1000) / 1000 * t.GoodputRPS)
		limit := int64(limitOf(c.Topology, 1000))
		if c.Protocol == facts.H2 && limit > 0 && requests/limit > before/limit && t.Connections.Accepted != nil &&
			*t.Connections.Expected > 0 {
			accepted += *t.Connections.Accepted / *t.Connections.Expected
		}
		s.TMS, s.Accepted, s.Requests = append(s.TMS, ms), append(s.Accepted, accepted), append(s.Requests, requests)
	}
	return s
}

// nginxRows are the cells that repro measures on an nginx.
func nginxRows(topology string, h2, waste, failing float64) []kind {
	return []kind{
		{topology, facts.H1, facts.K6SharedPool, 15300, 3.1, 0}, {topology, facts.H2, facts.K6SharedPool, h2, waste, 0},
		{topology, facts.H1, facts.K6ConnectionPerVU, 15100, 1, 0},
		{topology, facts.H2, facts.K6ConnectionPerVU, 15000, 1.01, 0},
		{topology, facts.H1, facts.GoOnce, 15400, 1.2, 0},
		{topology, facts.H2, facts.GoOnce, h2 * 1.02, waste * 0.95, failing},
	}
}

func repro(trials int) *facts.Result {
	kinds := append([]kind{{"direct", facts.H1, facts.K6SharedPool, 19000, 1, 0},
		{"direct", facts.H2, facts.K6SharedPool, 18400, 1, 0}},
		nginxRows("nginx-1000", 6540, 78, 0.034)...)
	return synthetic("repro", trials, kinds)
}

func fixed(trials int) *facts.Result {
	var kinds []kind
	for _, rows := range [][]kind{nginxRows("nginx-1000", 6540, 78, 0.034), nginxRows("nginx-100000", 15250, 1, 0),
		nginxRows("envoy", 10200, 1, 0)} {
		kinds = append(kinds, rows[0], rows[1], rows[5])
	}
	kinds = append(kinds, kind{"nginx-1000", facts.H2, facts.GoReplayable, 6500, 76, 0},
		kind{"nginx-1000", facts.H2, facts.GoSingleDial, 15200, 1.02, 0},
		kind{"nginx-100000", facts.H2, facts.GoReplayable, 15300, 1, 0})
	return synthetic("fixed", trials, kinds)
}

func matrix(trials int) *facts.Result {
	var kinds []kind
	for _, t := range []string{"direct", "nginx-1000", "nginx-100000", "envoy", "envoy-1000", "nginx-1000-envoy",
		"nginx-1000-h2-upstream"} {
		for i, c := range facts.Clients {
			waste := 1.0
			if limitOf(t, 1000) == 1000 && c.SharesPool() && c != facts.GoSingleDial {
				waste = 70
			}
			kinds = append(kinds, kind{t, facts.H1, c, 15000 - 300*float64(i), 1.5, 0},
				kind{t, facts.H2, c, 15000 / math.Pow(waste, 0.2), waste, 0})
		}
	}
	r := synthetic("matrix", trials, kinds)
	for i := range r.Cells {
		if c := &r.Cells[i]; c.Topology == "nginx-1000-h2-upstream" {
			c.Unsupported, c.Trials = facts.T("verdict.recorded", "needs nginx 1.29.4 or newer for proxy_http_version 2; this is 1.22.1"), nil
		}
	}
	return r
}

const diff = `--- nginx/keepalive-1000.conf	2026-01-02 03:04:05
+++ nginx/keepalive-100000.conf	2026-01-02 03:04:05
@@ -94,7 +95,7 @@
-        listen 18101 ssl http2 backlog=4096;
+        listen 18111 ssl http2 backlog=4096;
-        keepalive_requests 1000; # the limit
+        keepalive_requests 100000; # the limit
`

// input combines a result with its verdicts and its invented timelines.
func input(r *facts.Result) parts.Input {
	return parts.Input{Result: r, Verdicts: runverdicts.Judge(r).Verdicts, Diff: diff, Series: series(r),
		Path: "results/latest/report.md"}
}
