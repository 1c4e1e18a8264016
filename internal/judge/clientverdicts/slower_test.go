package clientverdicts

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"h2lab/internal/facts"
)

// recordedRun reads a recorded run.
func recordedRun(t *testing.T, name string) *facts.Result {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "..", "testdata", "recorded", name, "results.json"))
	if err != nil {
		t.Fatal(err)
	}
	var r facts.Result
	if err := json.Unmarshal(b, &r); err != nil {
		t.Fatal(err)
	}
	return &r
}

// slower simulates a client's trial on a slower machine: it scales the work by a share and varies
// the counts by a fifth; what happens at each renewal stays the same.
type slower struct {
	share float64
	rng   *rand.Rand
}

func (s slower) count(n int64) int64 {
	v := float64(n) * s.share
	spread := max(0.2*v, math.Sqrt(v)/2)
	return max(0, int64(math.Round(v+spread*(2*s.rng.Float64()-1))))
}

func (s slower) known(n *int64) *int64 {
	if n == nil {
		return nil
	}
	return new(s.count(*n))
}

// renewed scales a number of renewals without varying it: the test varies what happens at each.
func (s slower) renewed(n *int64) *int64 {
	if n == nil {
		return nil
	}
	return new(int64(math.Ceil(float64(*n) * s.share)))
}

// trial keeps the totals consistent: attempts, ids and renewals follow from each other.
func (s slower) trial(t facts.Trial, due int64) facts.Trial {
	if t.Fault != nil {
		return t
	}
	attempts := int64(float64(t.Attempts) * s.share)
	failed := min(s.count(t.Failed), attempts)
	if t.Failed == t.Attempts {
		failed = attempts
	}
	t.Attempts, t.Failed, t.Succeeded = attempts, failed, attempts-failed
	if t.Hung != nil {
		hung := min(s.count(*t.Hung), failed)
		t.Hung = &hung
	}
	if t.Backend.Executed != nil && t.Backend.Duplicates != nil {
		duplicates := s.count(*t.Backend.Duplicates)
		executed := t.Succeeded + duplicates
		distinct := t.Succeeded
		t.Backend.Executed, t.Backend.Distinct, t.Backend.Duplicates = &executed, &distinct, &duplicates
	}
	t.Connections.Accepted, t.Connections.Used = s.known(t.Connections.Accepted), s.known(t.Connections.Used)
	if t.Connections.UsedUp == nil { // recorded before servers counted them
		t.Connections.UsedUp = &due
	}
	t.Connections.UsedUp, t.Connections.Replaced = s.renewed(t.Connections.UsedUp), s.renewed(t.Connections.Replaced)
	return t
}

// TestVerdictsStayOnASlowerMachine replays recorded runs at a share of their pace: no verdict may
// change while the run has enough renewals.
func TestVerdictsStayOnASlowerMachine(t *testing.T) {
	replayed := 0
	for _, name := range []string{"clients", "clients-again"} {
		for _, row := range Rows(recordedRun(t, name)) {
			if row.At == nil || row.At.Renewals == nil || row.Verdict == Inconclusive || row.High == nil ||
				row.At.Trials != 1 {
				continue
			}
			if row.At.Due() < FewestRenewals {
				continue
			}
			for seed := range uint64(60) {
				rng := rand.New(rand.NewPCG(seed, 7))
				least := FewestRenewals / float64(row.At.Due())
				low := slower{least + (1-least)*rng.Float64(), rng}
				high := slower{0.2 + 0.8*rng.Float64(), rng}
				replayed++
				got := replay(row, low, high)
				if row.At.own && got.At.Due() < FewestRenewals {
					continue // its renewals are its new connections, which the replay varies
				}
				if few(row, low.share) {
					continue // so few may all fall outside of a shorter window
				}
				if got.Verdict != row.Verdict {
					t.Errorf("%s, %s at %.2f of its pace (seed %d): %s, was %s: %q, was %q; near %q",
						name, row.Client, low.share, seed, got.Verdict, row.Verdict, got.Reasons, row.Reasons, got.Near)
					break
				}
			}
		}
	}
	if replayed < 1000 {
		t.Errorf("only %d replays", replayed)
	}
}

// few reports whether a share of a row's window is expected to have too few events of its worst fault.
func few(row Row, share float64) bool {
	events := int64(math.MaxInt64)
	switch row.Verdict {
	case Loses:
		events = row.At.Failed
	case Hangs:
		events = value(row.At.Hung)
	case Duplicates:
		events = value(row.At.Duplicates)
	}
	return float64(events)*share < FewestSure
}

// replay judges a row's cells again at two paces.
func replay(row Row, low, high slower) Row {
	at, without := *row.Low, *row.High
	at.Trials = []facts.Trial{low.trial(at.Trials[0], row.At.Due())}
	without.Trials = []facts.Trial{high.trial(without.Trials[0], 0)}
	run := &facts.Result{Run: facts.Run{Limit: row.Limit}, Cells: []facts.Cell{at, without}}
	return Rows(run)[0]
}

// TestALowerLimitDecidesWhatTheRunsLimitLeavesOpen checks the order of the two limits.
func TestALowerLimitDecidesWhatTheRunsLimitLeavesOpen(t *testing.T) {
	few := numbers{attempts: 1819, accepted: 100, used: 100, usedUp: 1}
	many := numbers{attempts: 5400, accepted: 5000, used: 5000, usedUp: 50}
	steadily := numbers{attempts: 30000, accepted: 310, used: 310, usedUp: 300}
	spread := numbers{attempts: 30000, usedUp: 0, replaced: 1}
	loser := numbers{attempts: 1819, failed: 263, accepted: 1, usedUp: 1}
	for _, c := range []struct {
		what  string
		first *numbers
		lower *numbers
		want  Verdict
		limit int
		asks  bool // before the lower limit was measured
	}{
		{"a stampede that one renewal left open", &few, &many, Stampedes, 100, true},
		{"a pool that spreads its requests", &spread, &steadily, Sound, 100, true},
		{"losses at one renewal stay, where the lower limit shows none", &loser, &steadily, Loses, 1000, true},
		{"losses at one renewal, and a stampede at many, which is milder", &loser, &many, Loses, 1000, true},
		{"nor does a sound client", &well, &many, Sound, 1000, false},
		{"where the lower limit tells nothing either, it is what is shown", &spread,
			&numbers{attempts: 300, replaced: 1}, Inconclusive, 100, true},
	} {
		first := newRun().client("a", "", facts.H2, c.first, &steady, nil)
		if row := first.row("a"); row.Lower != c.asks || row.Limit != 1000 {
			t.Errorf("%s: at 1000 it asks for a lower limit: %t, at limit %d: %q", c.what, row.Lower, row.Limit,
				row.Reasons)
		}
		both := first.cell("nginx-100", 100, facts.H2, "a", "", *c.lower).cell("envoy-100", 100, facts.H2, "a", "",
			well).row("a")
		if both.Verdict != c.want || both.Limit != c.limit {
			t.Errorf("%s: %s at %d, want %s at %d: %q", c.what, both.Verdict, both.Limit, c.want, c.limit, both.Reasons)
		}
		if atLower := both.SavedByEnvoy != ""; atLower != (c.limit == 100) {
			t.Errorf("%s: the verdict at Envoy is %q, of the other limit", c.what, both.SavedByEnvoy)
		}
	}
}

func TestARunAtTheLowerLimitHasNoSecondOne(t *testing.T) {
	run := newRun()
	run.Run.Limit = LowerLimit
	few := numbers{attempts: 200, accepted: 2, usedUp: 2}
	run.cell("nginx-100", 100, facts.H2, "a", "", few).cell("nginx-100000", 100000, facts.H2, "a", "", steady)
	if row := run.row("a"); row.Lower || row.Verdict != Inconclusive || row.Limit != LowerLimit {
		t.Errorf("%+v", row)
	}
}

func TestLibrariesAsTheyComeAreOneRowALibrary(t *testing.T) {
	rows := func(named bool) []Row {
		return []Row{
			{Client: "a-once", Program: facts.Program{Library: "A"}},
			{Client: "a", Program: facts.Program{Library: "A", Cures: "a-once", Default: named}},
			{Client: "b", Program: facts.Program{Library: "B", Default: named}},
			{Client: "b-cure", Program: facts.Program{Library: "B", Cures: "b"}},
		}
	}
	for named, want := range map[bool]string{true: "[a b]", false: "[a-once b]"} {
		defaults, variants := AsTheyCome(rows(named))
		var got []facts.Client
		for _, r := range defaults {
			got = append(got, r.Client)
		}
		if fmt.Sprint(got) != want || len(variants) != 2 {
			t.Errorf("named %t: %v and %d variants, want %s and 2", named, got, len(variants), want)
		}
	}
}

func TestAVariantThatCountsOnTheLimitIsNotAskedForALowerOne(t *testing.T) {
	spread := numbers{attempts: 3000, replaced: 3}
	run := newRun().client("a", "", facts.H2, &spread, &steady, nil)
	if row := run.row("a"); !row.Lower {
		t.Fatalf("%+v", row)
	}
	for i := range run.Cells {
		run.Cells[i].Program.AssumesLimit = 1000
	}
	if row := run.row("a"); row.Lower || row.Verdict != Inconclusive {
		t.Errorf("%s, asked for a lower limit: %t", row.Verdict, row.Lower)
	}
}
