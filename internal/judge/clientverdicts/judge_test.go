package clientverdicts

import (
	"slices"
	"strings"
	"testing"

	"h2lab/internal/facts"
)

// verdicts are figures and what follows from them.
var verdicts = []struct {
	what      string
	low, high *numbers
	p         facts.Protocol
	want      Verdict
	also      []Verdict
	says      string // in the first reason, or in a note
}{
	{"one that dials once a renewal is sound", &well, &calm, facts.H2, Sound, nil, "41 connections accepted for 40 needed, none failed, none ran twice"},
	{"one that dials twice a renewal does not storm", &numbers{attempts: 40000, accepted: 82, used: 82}, &calm, facts.H2, Sound, nil, ""},
	{"the mildest storm, of ten in flight, is one", &numbers{attempts: 20000, accepted: 189, used: 20}, &calm, facts.H2, Storms, nil, "189 connections opened where 20 were needed (9.4 ×), 20 of them used"},
	{"a hundred in flight storm", &storm, &calm, facts.H2, Storms, nil, "2,880 connections opened where 26 were needed"},
	{"a slow client's storm at few renewals is one", &numbers{attempts: 4000, accepted: 80, used: 4}, &calm, facts.H2, Storms, nil, ""},
	{"a hundred connections renewed at once, each used up, are no storm", &numbers{attempts: 80000, accepted: 100, used: 100}, &calm, facts.H2, Sound, nil, ""},
	{"what it opens without the limit too is not the limit's doing", &numbers{attempts: 40000, accepted: 400, used: 400}, &numbers{attempts: 40000, accepted: 390}, facts.H2, Sound, nil, "it opens as many at nginx-100000"},
	{"failures that come with the limit are losses", &numbers{attempts: 40000, accepted: 41, used: 41, failed: 500}, &calm, facts.H2, Loses, nil, "500 requests failed (12.5 in 1,000), 12.5 at each of 40 renewals; the backend executed none of them"},
	{"some of the lost were executed", &numbers{attempts: 40000, accepted: 41, failed: 500, executed: 20}, &calm, facts.H2, Loses, nil, "the backend had executed 20 of them without an answer getting through"},
	{"losing and storming is losing first", &numbers{attempts: 26000, accepted: 2880, used: 27, failed: 500}, &calm, facts.H2, Loses, []Verdict{Storms}, ""},
	{"failures that come without the limit too are not losses", &numbers{attempts: 40000, accepted: 41, failed: 60}, &numbers{attempts: 60000, failed: 80}, facts.H2, Sound, nil, "as many fail at nginx-100000"},
	{"two failures in forty renewals are too few", &numbers{attempts: 40000, accepted: 41, failed: 2}, &calm, facts.H2, Sound, nil, "too few to be laid at the limit's door"},
	{"one that is broken for good loses, though it did not come to a second renewal", &numbers{attempts: 40000, failed: 39500}, &calm, facts.H2, Loses, nil, "39,500 requests failed"},
	{"one request that ran twice is one too many", &numbers{attempts: 40000, accepted: 41, duplicates: 1}, &calm, facts.H2, Duplicates, nil, "executed 1 request again"},
	{"a hung call is worse than a duplicate", &numbers{attempts: 40000, accepted: 41, duplicates: 9, hung: 3, failed: 3}, &calm, facts.H2, Hangs, []Verdict{Duplicates}, "3 calls never settled"},
	{"hung calls are not lost ones as well", &numbers{attempts: 40000, accepted: 41, hung: 300, failed: 300}, &calm, facts.H2, Hangs, nil, ""},
	{"calls that hang without the limit too are not its doing", &numbers{attempts: 40000, accepted: 41, hung: 3, failed: 3}, &numbers{attempts: 40000, hung: 3, failed: 3}, facts.H2, Sound, nil, "not the limit's doing"},
	{"a program that dies crashes", &numbers{fault: facts.FaultCrashed}, &calm, facts.H2, Crashes, nil, "panic: it broke"},
	{"a program whose words can't be used crashes", &numbers{fault: facts.FaultGarbled}, &calm, facts.H2, Crashes, nil, ""},
	{"a program that dies without the limit too has trouble of its own", &numbers{fault: facts.FaultCrashed}, &numbers{fault: facts.FaultCrashed}, facts.H2, Crashes, nil, "the program's own trouble"},
	{"a program that never ends hangs", &numbers{fault: facts.FaultSilent}, &calm, facts.H2, Hangs, nil, "never came to an end"},
	{"more successes than executions are a lie", &numbers{attempts: 40000, accepted: 41, executed: -1}, &calm, facts.H2, Lies, nil, "it reports 40,000 successes and the backend executed 39,999 requests: 1 of its successes never happened"},
	{"without ids nothing is a lie or a duplicate", &numbers{attempts: 40000, accepted: 41, executed: -1, duplicates: 3, without: "ids"}, &calm, facts.H2, Sound, nil, ""},
	{"too few requests tell nothing", &numbers{attempts: 700, accepted: 2}, &calm, facts.H2, Inconclusive, nil, "are too few to use up a connection of 1,000: LIMIT=100 would tell"},
	{"a connection for each request in flight, all used, is no storm", &numbers{attempts: 18000, accepted: 100, used: 100}, &calm, facts.H2, Sound, nil, ""},
	{"the same without use is one", &numbers{attempts: 18000, accepted: 100, used: 18}, &calm, facts.H2, Storms, nil, "100 connections opened"},
	{"many more than are in flight are one, used or not", &numbers{attempts: 9480, accepted: 1666, used: 1666}, &calm, facts.H2, Storms, nil, "1,666 connections opened"},
	{"one renewal is an occasion", &numbers{attempts: 1500, accepted: 1}, &calm, facts.H2, Sound, nil, "1 connection accepted"},
	{"over HTTP/1.1 few requests tell enough", &numbers{attempts: 900}, &calm, facts.H1, Sound, nil, ""},
	{"but not fewer than are in flight", &numbers{attempts: 90}, &calm, facts.H1, Inconclusive, nil, "fewer than the 100 in flight"},
	{"too few requests that fail still lose", &numbers{attempts: 1900, accepted: 2, failed: 60}, &calm, facts.H2, Loses, nil, ""},
	{"an h2 client that opened nothing was not at the limit", &numbers{attempts: 40000}, &calm, facts.H2, Inconclusive, nil, "spreads its requests over so many connections"},
	{"over HTTP/1.1 that is how it is", &numbers{attempts: 40000}, &calm, facts.H1, Sound, nil, "each of 100 connections carried about 500 requests, fewer than the limit"},
	{"one that fails everywhere can't be judged", &numbers{attempts: 40000, accepted: 41, failed: 9000}, &numbers{attempts: 40000, failed: 8000}, facts.H2, Inconclusive, nil, "its own trouble hides what the limit does"},
	{"a trial that knows nothing is judged by what it tells", &numbers{attempts: 40000, without: "everything"}, &calm, facts.H2, Sound, nil, "40,000 requests answered, none failed"},
	{"without the cell at the high limit the rest is judged all the same", &storm, nil, facts.H2, Storms, nil, "it was not measured at nginx-100000"},
	{"without the cell at the low limit there is no verdict", nil, &calm, facts.H2, Inconclusive, nil, "it was not measured at nginx-1000"},
}

func TestAClientsVerdictFollowsFromItsFigures(t *testing.T) {
	for _, c := range verdicts {
		t.Run(c.what, func(t *testing.T) {
			r := newRun().client("a", "", c.p, c.low, c.high, nil).row("a")
			if r.Verdict != c.want || !slices.Equal(r.Also, c.also) {
				t.Errorf("it is %s and %v, want %s and %v: %v", r.Verdict, r.Also, c.want, c.also, r.Reasons)
			}
			if len(r.Reasons) != 1+len(r.Also) {
				t.Errorf("%d verdicts have %d reasons: %q", 1+len(r.Also), len(r.Reasons), r.Reasons)
			}
			if said := strings.Join(append(r.Reasons, r.Notes...), "\n"); !strings.Contains(said, c.says) {
				t.Errorf("%q is not in %q", c.says, said)
			}
		})
	}
}

func TestNumbersNearAThresholdAreNamed(t *testing.T) {
	for what, c := range map[string]struct {
		low  numbers
		near bool
	}{
		"one dial a renewal":             {well, false},
		"two and a half dials a renewal": {numbers{attempts: 40000, accepted: 125}, true},
		"four dials a renewal":           {numbers{attempts: 40000, accepted: 200}, true},
		"a storm":                        {storm, false},
		"three losses":                   {numbers{attempts: 40000, accepted: 41, failed: 3}, true},
		"many losses":                    {numbers{attempts: 40000, accepted: 41, failed: 300}, false},
		"one duplicate":                  {numbers{attempts: 40000, accepted: 41, duplicates: 1}, true},
		"one renewal":                    {numbers{attempts: 1500, accepted: 1}, true},
	} {
		if r := newRun().client("a", "", facts.H2, &c.low, &calm, nil).row("a"); (len(r.Near) > 0) != c.near {
			t.Errorf("%s: near is %q", what, r.Near)
		}
	}
}

func TestAProgramsOwnTroubleIsSaidToBeItsOwn(t *testing.T) {
	for _, low := range []numbers{{fault: facts.FaultCrashed}, {attempts: 40000, accepted: 41, failed: 60}} {
		high := numbers{fault: low.fault, attempts: 40000, failed: 60}
		if r := newRun().client("a", "", facts.H2, &low, &high, nil).row("a"); !r.OwnTrouble {
			t.Errorf("%+v is not its own trouble: %q %q", low, r.Reasons, r.Notes)
		}
	}
	if r := newRun().client("a", "", facts.H2, &storm, &calm, nil).row("a"); r.OwnTrouble {
		t.Error("a storm at the limit is called the program's own trouble")
	}
}

func TestTrialsAreSummedUp(t *testing.T) {
	r := newRun().cell("nginx-1000", 1000, facts.H2, "a", "", well, numbers{attempts: 40000, accepted: 41, failed: 10}, numbers{fault: facts.FaultCrashed}).row("a")
	f := r.At
	if f.Trials != 2 || len(f.Faults) != 1 || f.Attempts != 80000 || f.Failed != 10 || *f.Accepted != 82 || *f.Needed != 80 || *f.UsedUp != 99 || *f.Unanswered != 0 {
		t.Errorf("summed up as %+v", f)
	}
	if r.Verdict != Crashes || !strings.Contains(r.Reasons[0], "(1 of 3 trials)") {
		t.Errorf("%s: %q", r.Verdict, r.Reasons)
	}
	half := newRun().cell("nginx-1000", 1000, facts.H2, "a", "", well, numbers{attempts: 40000, without: "everything"}).row("a")
	if half.At.Accepted != nil || half.At.Duplicates != nil {
		t.Error("a sum is given though one trial doesn't know its part")
	}
}

func TestEnvoySavesWhomItSaves(t *testing.T) {
	loser := numbers{attempts: 40000, accepted: 41, failed: 500}
	for what, c := range map[string]struct {
		envoy *numbers
		want  Verdict
	}{
		"not measured":    {nil, ""},
		"sound there":     {&well, Sound},
		"no better there": {&loser, Loses},
		"a storm there":   {&storm, Storms},
	} {
		if r := newRun().client("a", "", facts.H2, &loser, &calm, c.envoy).row("a"); r.SavedByEnvoy != c.want {
			t.Errorf("%s: %q", what, r.SavedByEnvoy)
		}
	}
}
