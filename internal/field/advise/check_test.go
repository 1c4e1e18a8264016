package advise

import (
	"math"
	"strings"
	"testing"
)

// typical is the question of the recorded runs.
func typical(change ...func(*Question)) Question {
	q := Question{RateRPS: 9900, InFlight: 100, Limit: 1000, CPUs: 0.5}
	for _, c := range change {
		c(&q)
	}
	return q
}

func TestBadQuestionsAreNamed(t *testing.T) {
	if err := Check(typical()); err != nil {
		t.Fatalf("the usual question: %v", err)
	}
	for name, c := range map[string]struct {
		change func(*Question)
		says   string
	}{
		"no rate":             {func(q *Question) { q.RateRPS = 0 }, "--rate 0 is out of range: give 0.0001 to 100000000 requests a second"},
		"a negative rate":     {func(q *Question) { q.RateRPS = -1 }, "--rate -1"},
		"a rate of NaN":       {func(q *Question) { q.RateRPS = math.NaN() }, "--rate NaN"},
		"an endless rate":     {func(q *Question) { q.RateRPS = math.Inf(1) }, "--rate +Inf"},
		"nothing in flight":   {func(q *Question) { q.InFlight = 0 }, "--in-flight 0"},
		"a limit of 0":        {func(q *Question) { q.Limit = 0 }, "--limit 0"},
		"a limit beyond ids":  {func(q *Question) { q.Limit = 1 << 31 }, "no more stream ids"},
		"negative pools":      {func(q *Question) { q.Pools = -1 }, "--pools -1"},
		"resumed beyond 1":    {func(q *Question) { q.ResumedShare = 1.5 }, "--resumed 1.5 is out of range: give 0 to 1"},
		"resumed NaN":         {func(q *Question) { q.ResumedShare = math.NaN() }, "--resumed NaN"},
		"negative handshake":  {func(q *Question) { q.HandshakeMS = -1 }, "--handshake-ms -1"},
		"handshake NaN":       {func(q *Question) { q.HandshakeMS = math.NaN() }, "--handshake-ms NaN"},
		"request NaN":         {func(q *Question) { q.RequestMS = math.NaN() }, "--request-ms NaN"},
		"negative rtt":        {func(q *Question) { q.RTTMS = -1 }, "--rtt -1"},
		"negative backend":    {func(q *Question) { q.BackendMS = -1 }, "--backend -1"},
		"no cpus":             {func(q *Question) { q.CPUs = -0.5 }, "--cpus -0.5"},
		"cpus NaN":            {func(q *Question) { q.CPUs = math.NaN() }, "--cpus NaN"},
		"unknown client":      {func(q *Question) { q.Client = "curl" }, `--client "curl" is unknown: choose from [stampede single-dial h1]`},
		"unknown key":         {func(q *Question) { q.Key = "dsa" }, `--key "dsa"`},
		"unknown TLS":         {func(q *Question) { q.TLS = "1.1" }, `--tls "1.1"`},
		"too slow to be true": {func(q *Question) { q.RateRPS = 0.01 }, "more than a minute"},
		"too quick":           {func(q *Question) { q.RateRPS, q.InFlight = 1e7, 1 }, "quicker than a request can be"},
		"less than its way":   {func(q *Question) { q.RTTMS, q.BackendMS = 6, 5 }, "less than --rtt and --backend together (11 ms)"},
	} {
		err := Check(typical(c.change))
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q in it", name, err, c.says)
		}
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: more than one sentence: %v", name, err)
		}
	}
}

// With 400 in flight in one pool and a limit of 100, a new connection is given 128 streams and drops 28 of them: net/http
// sends the twice dropped again after 1 s, and those dropped three times after 2 s more.
func TestStreamsThatAreDroppedAgainPause(t *testing.T) {
	q := Question{RateRPS: 9328, InFlight: 400, Limit: 100, TLS: TLS12, CPUs: 0.5, HandshakeMS: 0.6181, RequestMS: 0.05511}
	w := work(q)
	again := 1 - 100.0/128
	first := 0.35
	near(t, "dropped on a connection", w.dropped, 100*first)
	p99, mean := w.pausesMS()
	near(t, "pause of the 99th percentile", p99, 3000) // 0.35 × again² is 1.7 %, × again³ 0.4 %
	want, share := 0.0, first
	for i := range 5 {
		share *= again
		want += share * 1000 * math.Pow(2, float64(i))
	}
	near(t, "mean pause", mean, want)
	if got := w.addedP99(); got < 3000 || got > 3200 {
		t.Errorf("added p99 is %.0f ms, want 3 s and some", got)
	}
	for name, change := range map[string]func(*Question){
		"a limit above the streams of a connection": func(q *Question) { q.Limit = 1000 },
		"four pools": func(q *Question) { q.Pools = 4 },
	} {
		other := q
		change(&other)
		if p99, mean := work(other).pausesMS(); p99 != 0 || mean != 0 {
			t.Errorf("%s: pauses of %v and %v ms, want none", name, p99, mean)
		}
	}
}

// A proxy with a whole core isn't stopped, and one that handshakes and requests don't fill is stopped in proportion.
func TestAProxyIsStoppedThatUsesUpItsPartOfACore(t *testing.T) {
	q := Question{RateRPS: 8407, InFlight: 100, Limit: 100, TLS: TLS12, CPUs: 0.5, HandshakeMS: 0.6181, RequestMS: 0.05511}
	full := work(q).stopMS()
	if full < 20 || full > 50 {
		t.Errorf("half a core, busy: stopped for %.1f ms, want 20 to 50", full)
	}
	idle := q
	idle.RateRPS, idle.BackendMS = 949, 100
	if got := work(idle).stopMS(); got <= 0 || got > full/2 {
		t.Errorf("half a core, mostly idle: stopped for %.1f ms, want less than half of %.1f", got, full)
	}
	for _, cores := range []float64{1, 2} {
		whole := q
		whole.CPUs = cores
		near(t, "stop with whole cores", work(whole).stopMS(), 0)
	}
}

// Under TLS 1.2 at 80 ms the map shows five round trips for requests that were on the network and three or four for those
// at a slow backend.
func TestRoundTripsOfAWaitingRequest(t *testing.T) {
	far := Question{RateRPS: 1250, InFlight: 100, Limit: 1000, TLS: TLS12, RTTMS: 80}
	near(t, "all on the network", work(far).tripsMS(), 5*80)
	slow := Question{RateRPS: 500, InFlight: 100, Limit: 1000, TLS: TLS12, RTTMS: 80, BackendMS: 120}
	near(t, "40 % on the network", work(slow).tripsMS(), 3.8*80)
	newer := far
	newer.TLS = TLS13
	near(t, "TLS 1.3", work(newer).tripsMS(), 4*80)
	near(t, "loopback", work(Question{RateRPS: 1250, InFlight: 100, Limit: 1000}).tripsMS(), 0)
}

// Where about 1 % of the requests wait, the 99th percentile shows a part of the wait, not all or nothing.
func TestWaitsOfOnePercentShowInPart(t *testing.T) {
	last := -1.0
	for _, c := range []struct{ limit, least, most float64 }{{12_500, 0, 0}, {10_000, 0.4, 0.6}, {8_000, 0.99, 1}, {1000, 1, 1}} {
		w := work(Question{RateRPS: 1250, InFlight: 100, Limit: int(c.limit), TLS: TLS12, RTTMS: 80})
		got := w.shown()
		if got < c.least || got > c.most || got < last {
			t.Errorf("limit %v, %.2f %% waiting: %.3f of the wait shows, want %v to %v", c.limit, w.waitingShare()*100, got, c.least,
				c.most)
		}
		last = got
	}
}
