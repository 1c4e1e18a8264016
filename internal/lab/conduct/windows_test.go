package conduct

import (
	"testing"
	"time"

	"h2lab/internal/facts"
)

// client is a cell of a client program at a limit.
func client(limit int) facts.Planned {
	return facts.Planned{Topology: facts.Topology{Name: "nginx", Limit: limit}, Protocol: facts.H2, Client: "a",
		Program: &facts.Program{}, Workload: facts.Workload{Concurrency: 100}}
}

func pace(rps float64, held int64) func(facts.Planned) (Pace, bool) {
	return func(facts.Planned) (Pace, bool) { return Pace{rps, held}, true }
}

func TestTheFirstWindowIsAsLongAsTheClientsPaceNeeds(t *testing.T) {
	for _, c := range []struct {
		what  string
		limit int
		pace  func(facts.Planned) (Pace, bool)
		want  time.Duration
	}{
		{"nothing is known of it", 1000, nil, 1500 * time.Millisecond},
		{"its pace isn't known", 1000, func(facts.Planned) (Pace, bool) {
			return Pace{}, false
		}, 1500 * time.Millisecond},
		{"fast: five renewals within the shortest", 1000, pace(10000, 1), 1500 * time.Millisecond},
		{"five and a half connections of 1,000 at 1,375 a second, and a quarter more", 1000, pace(1375, 1),
			5 * time.Second},
		{"too slow for the longest: a look, no more", 1000, pace(300, 1), 1500 * time.Millisecond},
		{"spread over a hundred connections", 100, pace(2500, 100), 5 * time.Second},
		{"so slow that the lowest limit needs the longest window", 100, pace(20, 10), 15 * time.Second},
		{"so spread that a lower limit is quicker", 1000, pace(10000, 100), 1500 * time.Millisecond},
		{"no limit at all", 0, pace(100, 1), 1500 * time.Millisecond},
	} {
		w := Windows{Renewals: 5, Shortest: 1500 * time.Millisecond, Longest: 15 * time.Second, Pace: c.pace}
		if got := w.first(client(c.limit)); got != c.want {
			t.Errorf("%s: %s, want %s", c.what, got, c.want)
		}
	}
}

func TestAWindowWithTooFewRenewalsIsRepeatedOnceLonger(t *testing.T) {
	trial := func(renewals, used, cold int64) facts.Trial {
		return facts.Trial{WindowS: 2, ElapsedS: 2, Attempts: 2000, Succeeded: 2000,
			ColdStart:   facts.ColdStart{Used: &cold},
			Connections: facts.Connections{UsedUp: &renewals, Used: &used}}
	}
	broken := trial(0, 0, 1)
	broken.Succeeded = 0
	uncounted := trial(5, 5, 1)
	uncounted.Connections.UsedUp = nil
	for _, c := range []struct {
		what  string
		limit int
		trial facts.Trial
		want  time.Duration // 0 is none
	}{
		{"enough were seen", 1000, trial(5, 5, 1), 0},
		{"two of five: five halves as long, and a quarter more", 1000, trial(2, 2, 1), 6250 * time.Millisecond},
		{"none: as long as five connections of 1,000 take", 1000, trial(0, 0, 1), 6875 * time.Millisecond},
		{"ten, but spread over a hundred connections, each of which it may open once more", 100, trial(15, 0, 100),
			5666666666 * time.Nanosecond},
		{"so few of a hundred at the lowest limit", 100, trial(5, 0, 100), 12500 * time.Millisecond},
		{"so few of a hundred that a lower limit is quicker", 1000, trial(5, 0, 100), 0},
		{"a third of a hundred", 100, trial(34, 0, 100), 0},
		{"it would take too long: a lower limit is quicker", 10000, trial(0, 0, 1), 0},
		{"nothing succeeds, so nothing will be renewed", 1000, broken, 0},
		{"nobody counts renewals", 1000, uncounted, 0},
		{"there is no limit", 0, trial(0, 0, 1), 0},
		{"the limit is one that no window meets, and it renews by itself", 100000, trial(2, 2, 1), 0},
	} {
		w := Windows{Renewals: 5, Shortest: time.Second, Longest: 15 * time.Second}
		got, again := w.longer(client(c.limit), c.trial)
		if again != (c.want > 0) || got != c.want {
			t.Errorf("%s: %s %t, want %s", c.what, got, again, c.want)
		}
	}
}

func TestPaceIsThatOfTheNewestCellAndTheSpreadThatOfTheOneWithoutALimit(t *testing.T) {
	cell := func(c facts.Client, succeeded, cold int64) facts.Cell {
		return facts.Cell{Client: c, Protocol: facts.H2, Workload: facts.Workload{Concurrency: 100},
			Trials: []facts.Trial{{
				Succeeded:   succeeded,
				ElapsedS:    2,
				ColdStart:   facts.ColdStart{Used: &cold},
				Connections: facts.Connections{Used: new(int64(3))},
			}}}
	}
	failed := facts.Cell{
		Client:   "a",
		Protocol: facts.H2,
		Trials:   []facts.Trial{{Fault: &facts.Fault{Kind: facts.FaultCrashed}}},
	}
	r := &facts.Result{Cells: []facts.Cell{cell("b", 9, 9), cell("a", 4000, 7), cell("a", 1000, 200), failed}}
	if got, ok := PaceIn(r, client(1000)); !ok || got != (Pace{500, 10}) {
		t.Errorf("%+v %t, want 500 requests/s on 10 connections", got, ok)
	}
	if _, ok := PaceIn(&facts.Result{Cells: []facts.Cell{failed}}, client(1000)); ok {
		t.Error("a pace is known of a client that has no figures")
	}
}

func TestRenewalsAreThoseUsedUpOrReplacedBefore(t *testing.T) {
	for _, c := range []struct{ usedUp, replaced, want *int64 }{
		{nil, nil, nil},
		{new(int64(4)), nil, new(int64(4))},
		{nil, new(int64(3)), new(int64(3))},
		{new(int64(4)), new(int64(3)), new(int64(4))},
		{new(int64(0)), new(int64(26)), new(int64(26))},
	} {
		got := facts.Connections{UsedUp: c.usedUp, Replaced: c.replaced}.Renewals()
		if (got == nil) != (c.want == nil) || got != nil && *got != *c.want {
			t.Errorf("%v %v: %v, want %v", c.usedUp, c.replaced, got, c.want)
		}
	}
}
