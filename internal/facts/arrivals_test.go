package facts

import "testing"

func TestAScheduleThatWasNotKept(t *testing.T) {
	ms := func(v float64) Latency { return Latency{P99: &v} }
	for _, c := range []struct {
		s            Schedule
		behind, full bool
	}{
		{Schedule{Due: 10, LateMS: ms(MostLateMS)}, false, false},
		{Schedule{Due: 10, LateMS: ms(MostLateMS + 0.01)}, true, false},
		{Schedule{Due: 10, LateMS: ms(15), UncorrectedMS: ms(150)}, false, false},
		{Schedule{Due: 10, LateMS: ms(15.1), UncorrectedMS: ms(150)}, true, false},
		{Schedule{Due: 10, LateMS: ms(1), UncorrectedMS: ms(2)}, false, false},
		{Schedule{Due: 10, NotStarted: 1, LateMS: ms(0)}, false, true},
		{Schedule{Due: 10, NotStarted: 10}, false, true},
	} {
		if c.s.Behind() != c.behind || c.s.Full() != c.full {
			t.Errorf("%+v: behind %t, full %t", c.s, c.s.Behind(), c.s.Full())
		}
	}
}

func TestHowManyAreUsuallyInFlight(t *testing.T) {
	ms := func(v float64) *float64 { return &v }
	for _, c := range []struct {
		rate float64
		p50  *float64
		want int
	}{{2000, ms(5), 10}, {2000, ms(0.1), 1}, {20_000, ms(20), 400}, {100_000, ms(900), 1000}, {2000, nil, 1}} {
		if got := (Schedule{InFlight: 1000, UncorrectedMS: Latency{P50: c.p50}}).UsuallyInFlight(c.rate); got != c.want {
			t.Errorf("%v: %d", c, got)
		}
	}
}
