package runreport

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"h2lab/internal/base/histogram"
	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
	"h2lab/internal/judge/runverdicts"
)

// measured replaces a trial's latencies with invented ones, and returns their histogram: waiting of
// 1,000 requests wait for a new connection.
func measured(t *facts.Trial, seed uint64, waiting int) {
	random, h := rand.New(rand.NewPCG(seed, uint64(t.Index))), histogram.New()
	for left, each := t.Succeeded, max(1, t.Succeeded/3000); left > 0; left -= each {
		ms := 0.8 + random.ExpFloat64()*0.4
		if random.IntN(1000) < waiting {
			ms += 10 + random.ExpFloat64()*8
		}
		if err := h.Add(int64(ms*1000), min(each, left)); err != nil {
			panic(err)
		}
	}
	t.LatencyMS = facts.Latency{P50: h.AtMS(50), P90: h.AtMS(90), P95: h.AtMS(95), P99: h.AtMS(99), P999: h.AtMS(99.9),
		Max: h.MaxMS()}
	text, err := h.Text()
	if err != nil {
		panic(err)
	}
	t.Histogram = text
}

// withHistograms gives all trials of a run histograms.
func withHistograms(r *facts.Result) *facts.Result {
	for i := range r.Cells {
		c := &r.Cells[i]
		waiting := 1
		if c.Protocol == facts.H2 && c.Client.SharesPool() && c.Client != facts.GoSingleDial && limitOf(c.Topology, 1000) == 1000 {
			waiting = 30
		}
		for j := range c.Trials {
			measured(&c.Trials[j], uint64(i), waiting)
		}
	}
	return r
}

// atRate is an invented open loop: 2,000 requests a second. In one cell a generator was late once, in
// another the servers did not keep up.
func atRate(command string, trials int) *facts.Result {
	var kinds []kind
	for _, k := range []kind{
		{topology: "nginx-1000", protocol: facts.H1, client: facts.K6SharedPool, waste: 3},
		{topology: "nginx-1000", protocol: facts.H2, client: facts.K6SharedPool, waste: 12},
		{topology: "nginx-1000", protocol: facts.H1, client: facts.GoOnce, waste: 1.2},
		{topology: "nginx-1000", protocol: facts.H2, client: facts.GoOnce, waste: 12, failing: 0.004},
		{topology: "nginx-100000", protocol: facts.H1, client: facts.K6SharedPool, waste: 1},
		{topology: "nginx-100000", protocol: facts.H2, client: facts.K6SharedPool, waste: 1},
		{topology: "nginx-100000", protocol: facts.H2, client: facts.GoOnce, waste: 1},
	} {
		k.rps = 2000
		kinds = append(kinds, k)
	}
	r := synthetic(command, trials, kinds)
	for i := range r.Cells {
		c := &r.Cells[i]
		c.Workload.RatePerS, c.Workload.Arrivals, c.Workload.Concurrency = 2000, facts.Poisson, 1000 // as plan.AtRate
		for j := range c.Trials {
			t := &c.Trials[j]
			t.Schedule = &facts.Schedule{Due: t.Attempts, InFlight: 14, LateMS: facts.Latency{P50: new(0.02), P99: new(0.2), Max: new(0.9)}}
			if c.Client == facts.GoOnce {
				t.ConnectMS, t.HandshakeMS = &facts.Latency{P50: new(0.1), P99: new(0.4)}, &facts.Latency{P50: new(1.9), P99: new(9.5)}
			}
		}
	}
	withHistograms(r)
	for i := range r.Cells {
		for j := range r.Cells[i].Trials {
			t := &r.Cells[i].Trials[j]
			t.Schedule.UncorrectedMS = t.LatencyMS
			t.Schedule.UncorrectedMS.P99 = new(*t.LatencyMS.P99 * 0.4)
		}
	}
	r.Cells[1].Trials[0].Schedule.LateMS = facts.Latency{P50: new(0.1), P99: new(7.25), Max: new(31.0)}
	r.Cells[3].Trials[1].Schedule.Due += 350
	r.Cells[3].Trials[1].Schedule.NotStarted, r.Cells[3].Trials[1].Schedule.InFlight = 350, 1000
	return r
}

func TestAnOpenLoopShowsItsScheduleAndBothLatencies(t *testing.T) {
	r := atRate("fixed", 6)
	pages.Has(t, r,
		"had a p99 of", "at 2,000 requests/s (nginx-1000:",
		"2,000 requests a second, independent of one another (a Poisson process)",
		"An open loop: requests arrive on a schedule", "At most 1,000 are in flight",
		"| p99, h2 / h1 |", "### The schedule", "| p99 since due, ms | p99 since sent, ms |",
		"### Connects and TLS handshakes", "| 0.10 | 0.40 | 1.90 | 9.50 |",
		"in trial 1 the load generator fell behind its schedule (p99 up to 7.25 ms late); left out of this number",
		"350 of ", "the percentiles are a lower bound",
		"schedule-kept: in 1 of 42 trials the load generator fell behind its schedule",
		"the servers did not keep up with the rate",
		"so its figures can't be compared with these")
	md := build(t, input(r))
	for _, no := range []string{"A closed loop", "throughput-drop", "| h2 / h1 |", "delivers less than HTTP/1.1"} {
		if strings.Contains(md, no) {
			t.Errorf("the report of an open loop says %q", no)
		}
	}
	short := Short(input(r), false)
	for _, want := range []string{"p99/h1", "schedule-kept: in 1 of 42 trials"} {
		if !strings.Contains(short, want) {
			t.Errorf("the terminal lacks %q:\n%s", want, short)
		}
	}
}

// The p99 of all requests is that of the merged histograms: here one slow trial of six moves it, and a
// median of the trials' p99s would hide it.
func TestTheP99OfSeveralTrialsIsThatOfAllRequests(t *testing.T) {
	r := withHistograms(repro(6))
	measured(&r.Cells[3].Trials[4], 99, 200)
	all := histogram.New()
	for _, trial := range r.Cells[3].Trials {
		h, err := histogram.Read(trial.Histogram)
		if err == nil {
			err = all.Merge(h)
		}
		labtest.Check(t, err)
	}
	in := input(r)
	p := newPage(in)
	row := p.find("nginx-1000", facts.H2, facts.K6SharedPool)
	want := measure(all.AtMS(99))
	if got := p.callers()[5].Cell(*row); got != want || got == measure(row.Summary.P99MS.Median) {
		t.Errorf("p99 is %s, that of all requests %s, the median of the trials %s", got, want,
			measure(row.Summary.P99MS.Median))
	}
	md := build(t, in)
	if strings.Contains(md, "latency of successful requests. Median of the trials.") {
		t.Error("the columns are explained as medians of the trials")
	}
}

func TestARunWithSomeHistogramsSaysWhichPercentilesAreMedians(t *testing.T) {
	for _, c := range []struct{ histogram, says string }{
		{"", "trial 3 has no histogram: p50 and p99 are medians of the trials' own percentiles"},
		{"%%%", "the histogram of trial 3 can't be used (the histogram can't be read: illegal base64 data"},
		{withHistograms(repro(1)).Cells[0].Trials[0].Histogram, "latencies for"},
	} {
		r := withHistograms(repro(6))
		r.Cells[3].Trials[2].Histogram = c.histogram
		pages.Has(t, r, c.says)
	}
	if strings.Contains(build(t, input(repro(6))), "histogram") {
		t.Error("the report of an earlier recording speaks of histograms")
	}
}

func TestTheCurveEndsWhereTheSamplesDo(t *testing.T) {
	for _, c := range []struct {
		samples int64
		last    string
	}{{0, "p90"}, {50, "p90"}, {100, "p99"}, {999, "p99"}, {1000, "p99.9"}, {9999, "p99.9"}, {10000, "p99.99"},
		{math.MaxInt64, "p99.99"}} {
		at, labels := quantiles(c.samples)
		if labels[0] != "p50" || labels[len(labels)-1] != c.last || len(at) != len(labels) {
			t.Errorf("%d samples: %v", c.samples, labels)
		}
		for i := 1; i < len(at); i++ {
			if at[i] <= at[i-1] {
				t.Errorf("%d samples: %v after %v", c.samples, at[i], at[i-1])
			}
		}
	}
}

func TestWhereEveryTrialWasLateCountsDecideAndLatencyDoesNot(t *testing.T) {
	r := atRate("repro", 6)
	for i := range r.Cells {
		for j := range r.Cells[i].Trials {
			r.Cells[i].Trials[j].Schedule.LateMS.P99 = new(3.0)
		}
	}
	pages.Has(t, r, "in every trial the load generator fell behind its schedule (p99 up to 3.00 ms late)",
		"**? inconclusive**", "Lower RATE, or run on an idle machine with more cores.")
	verdicts := runverdicts.Judge(r).Verdicts
	for _, v := range verdicts {
		if want, counts := facts.Inconclusive, v.ID == "dial-stampede"; v.ID == "tail-latency" && v.Status != want ||
			counts && v.Status != facts.Reproduced {
			t.Errorf("%s is %s", v.ID, v.Status)
		}
	}
	if err := runverdicts.Kept(r, verdicts); err != nil {
		t.Errorf("a stampede that was counted doesn't keep the promise: %v", err)
	}
}
