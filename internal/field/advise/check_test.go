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
