package facts

import "testing"

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
