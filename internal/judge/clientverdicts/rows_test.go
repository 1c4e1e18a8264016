package clientverdicts

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
)

func TestACureHasCuredOnlyWhenItWasMeasuredSound(t *testing.T) {
	ill := numbers{attempts: 26000, accepted: 2880, used: 27, failed: 500}
	loser := numbers{attempts: 40000, accepted: 41, failed: 500}
	twice := numbers{attempts: 40000, accepted: 41, duplicates: 7}
	few := numbers{attempts: 900}
	for _, c := range []struct {
		what      string
		ill, cure *numbers
		want      Outcome
		says      string
	}{
		{"sound", &ill, &well, Cured, "cured: it is sound"},
		{"a part", &ill, &stampede, Partly, "partial cure: it no longer loses requests, but it still stampedes"},
		{"nothing", &loser, &loser, Failed, "did not cure: it still loses requests"},
		{"another fault instead", &loser, &twice, Failed, "did not cure: it duplicates requests instead"},
		{"another fault as well", &stampede, &ill, Failed, "did not cure: it still stampedes and now loses requests as well"},
		{"too few requests", &loser, &few, Untold, "its effect is unknown: 0 renewals in the window"},
		{"nothing to cure", &well, &well, Untold, "nothing to cure in this run: ill is sound"},
		{"not measured", &loser, nil, Untold, "could not run here"},
	} {
		t.Run(c.what, func(t *testing.T) {
			run := newRun().client("ill", "", facts.H2, c.ill, &steady, nil)
			if c.cure != nil {
				run.client("cure", "ill", facts.H2, c.cure, &steady, nil)
			} else {
				run.cell("nginx-1000", 1000, facts.H2, "cure", "ill")
				run.Cells[len(run.Cells)-1].Unsupported = "no java"
			}
			r := run.row("ill")
			if len(r.Cures) != 1 || r.Cures[0].Outcome != c.want || !strings.Contains(texts.English.In(r.Cures[0].Words), c.says) {
				t.Fatalf("got %+v", r.Cures)
			}
			if cured := len(r.CuredBy()) == 1; cured != (c.want == Cured) {
				t.Errorf("cured by %v", r.CuredBy())
			}
		})
	}
}

func TestRowsStandAsTheyWerePlannedInWhateverOrderTheyWereMeasured(t *testing.T) {
	run := newRun()
	for i := range 5 {
		run.client(facts.Client(fmt.Sprintf("c%d", i)), "", facts.H2, &well, &steady, nil)
	}
	slices.Reverse(run.Cells)
	var got []facts.Client
	for _, r := range Rows(run.Result) {
		got = append(got, r.Client)
	}
	if !slices.Equal(got, []facts.Client{"c0", "c1", "c2", "c3", "c4"}) {
		t.Errorf("order is %v", got)
	}
}

func TestWhatIsNoClientProgramIsNoRow(t *testing.T) {
	run := newRun().client("a", "", facts.H2, &well, &steady, nil)
	run.Cells = append(run.Cells, facts.Cell{Topology: "nginx-1000", Protocol: facts.H2, Client: facts.K6SharedPool})
	if rows := Rows(run.Result); len(rows) != 1 {
		t.Errorf("%d rows", len(rows))
	}
	if Rows(nil) == nil || len(Rows(&facts.Result{})) != 0 {
		t.Error("no result has rows, or none that can be ranged over")
	}
}

func TestTheServersOfGRPCHaveTheSameRoles(t *testing.T) {
	run := newRun().cell("nginx-1000-grpc", 1000, facts.H2, "a", "", stampede).
		cell("grpc-nginx-100000", 100000, facts.H2, "a", "", steady).
		cell("nginx-1000-envoy", 1000, facts.H2, "a", "", well)
	if r := run.row("a"); r.Verdict != Stampedes || r.Without == nil || r.Envoy != nil {
		t.Errorf("%+v", r)
	}
}

func TestWhatCannotRunSaysWhy(t *testing.T) {
	run := newRun().cell("nginx-1000", 1000, facts.H2, "a", "")
	run.Cells[0].Unsupported = "cargo was not found: apt-get install cargo"
	if r := run.row("a"); r.Verdict != Unsupported || texts.English.In(r.Reasons[0]) != run.Cells[0].Unsupported || r.At != nil {
		t.Errorf("%+v", r)
	}
}

func TestVersionsAndErrorsAreKeptAsTold(t *testing.T) {
	run := newRun().client("a", "", facts.H2, &numbers{attempts: 40000, accepted: 41, failed: 9}, &steady, nil)
	run.Cells[0].Trials[0].Runtime, run.Cells[1].Trials[0].Library = "Java 17", "Lib 1.2"
	run.Cells[0].Trials[0].Errors = []facts.Error{{Class: facts.ErrOther, Count: 2, Message: "b"},
		{Class: facts.ErrOther, Count: 3, Message: "a"},
		{Class: facts.ErrTimeout, Count: 1, Message: "t"}, {Class: facts.ErrOther, Count: 3, Message: "b"}}
	r := run.row("a")
	if r.Library != "Lib 1.2" || r.Runtime != "Java 17" {
		t.Errorf("versions are %q and %q", r.Library, r.Runtime)
	}
	want := []facts.Error{{Class: facts.ErrTimeout, Count: 1, Message: "t"},
		{Class: facts.ErrOther, Count: 5, Message: "b"}, {Class: facts.ErrOther, Count: 3, Message: "a"}}
	if !reflect.DeepEqual(r.At.Errors, want) {
		t.Errorf("errors are %+v", r.At.Errors)
	}
	if r.Relative == nil || *r.Relative < 0.6 || *r.Relative > 0.7 {
		t.Errorf("relative goodput is %v", r.Relative)
	}
}

func TestEveryVerdictHasAWordAndIsCountedOnce(t *testing.T) {
	var rows []Row
	for _, v := range Verdicts {
		if words := texts.English.In(v.Words()); words == "" || words == "not measured" {
			t.Errorf("%q has no word", v)
		}
		rows = append(rows, Row{Verdict: v})
	}
	if n := Count(rows); len(n) != len(Verdicts) || n[0].Rows != 1 {
		t.Errorf("counted %+v", n)
	}
}

// A client whose code replaces its connections below the limit has renewals of its own: new connections
// that carry requests. The same numbers of a client without such code may be a pool that grows.
func TestAClientThatRenewsByItselfIsJudgedByItsOwnRenewals(t *testing.T) {
	for _, c := range []struct {
		what    string
		assumes int
		numbers numbers
		want    Verdict
	}{
		{"it replaced sixteen", 1000, numbers{attempts: 7600, accepted: 16, used: 16}, Sound},
		{"the same without such code", 0, numbers{attempts: 3600, accepted: 16, used: 16}, Inconclusive},
		{"it replaced four", 1000, numbers{attempts: 1900, accepted: 4, used: 4}, Inconclusive},
		{"it opened many in vain", 1000, numbers{attempts: 25000, accepted: 900, used: 50, usedUp: 2}, Stampedes},
		{"it replaced many, and one request was lost", 1000,
			numbers{attempts: 25000, accepted: 50, used: 50, usedUp: 1, failed: 60}, Loses},
	} {
		run := newRun().client("a", "", facts.H2, &c.numbers, &steady, nil)
		for i := range run.Cells {
			run.Cells[i].Program.AssumesLimit = c.assumes
		}
		if row := run.row("a"); row.Verdict != c.want {
			t.Errorf("%s: %s (%q), want %s", c.what, row.Verdict, row.Reasons, c.want)
		}
	}
}
