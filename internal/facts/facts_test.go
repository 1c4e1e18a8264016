package facts

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

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

func TestOtherProgramsAndTheHypervisorDisturbATrial(t *testing.T) {
	s := func(v float64) *float64 { return &v }
	for name, c := range map[string]struct {
		trial Trial
		want  bool
	}{
		"a fifth of a core":      {Trial{ElapsedS: 10, CPU: CPU{Other: s(2)}}, false},
		"more":                   {Trial{ElapsedS: 10, CPU: CPU{Other: s(2.1)}}, true},
		"the hypervisor":         {Trial{ElapsedS: 10, CPU: CPU{Stolen: s(2.1)}}, true},
		"the lab's own programs": {Trial{ElapsedS: 10, CPU: CPU{Service: s(20)}}, false},
		"no window":              {Trial{CPU: CPU{Other: s(20)}}, false},
	} {
		if got := c.trial.Disturbed(); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestAllCoresAreBusyFromTheSumOfWhatIsKnown(t *testing.T) {
	s := func(v float64) *float64 { return &v }
	for _, c := range []struct {
		name  string
		trial Trial
		cores int
		want  bool
	}{
		{"all parts together", Trial{ElapsedS: 10, CPU: CPU{Proxy: s(3), Backend: s(2), Client: s(5), Service: s(8),
			Lab: s(0.5), Other: s(0.5), Stolen: s(0.5)}}, 2, true},
		{"exactly the share", Trial{ElapsedS: 10, CPU: CPU{Service: s(19.4)}}, 2, true},
		{"a core idle", Trial{ElapsedS: 10, CPU: CPU{Client: s(5), Service: s(5)}}, 2, false},
		{"the service alone makes the difference", Trial{ElapsedS: 10, CPU: CPU{Client: s(10)}}, 2, false},
		{"nothing known", Trial{ElapsedS: 10}, 2, false},
		{"cores unknown", Trial{ElapsedS: 10, CPU: CPU{Client: s(100)}}, 0, false},
		{"no window", Trial{CPU: CPU{Client: s(100)}}, 2, false},
	} {
		if got := c.trial.AllCoresBusy(c.cores); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

func TestANoteIsReadAsItWasWritten(t *testing.T) {
	for want, n := range map[string]Note{
		`""`:                      {},
		`"a sentence of earlier"`: Note(Verbatim("a sentence of earlier")),
		`{"key":"note.summary","args":["x",7,{"key":"note.close"}]}`: NewNote("note.summary", "x", 7, T("note.close")),
	} {
		b, err := json.Marshal(n)
		if err != nil || string(b) != want {
			t.Errorf("%s, want %s, %v", b, want, err)
		}
		var got Note
		if err := json.Unmarshal(b, &got); err != nil || cmp.Diff(n, got) != "" {
			t.Errorf("%s: %v, %v", b, got, err)
		}
	}
}
