package clientverdicts

import (
	"flag"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
)

// figures are those of clients at the low limit and at the high one; what they are judged is in testdata/verdicts.txtar.
var figures = []struct {
	what      string
	low, high *numbers
	p         facts.Protocol
}{
	{"one that dials once a renewal is sound", &well, &steady, facts.H2},
	{"one that dials twice a renewal does not stampede",
		&numbers{attempts: 40000, accepted: 82, used: 82}, &steady, facts.H2},
	{"the mildest stampede, of ten in flight, is one",
		&numbers{attempts: 20000, accepted: 189, used: 20}, &steady, facts.H2},
	{"a hundred in flight stampede", &stampede, &steady, facts.H2},
	{"a slow client's stampede at few renewals is one",
		&numbers{attempts: 4000, accepted: 80, used: 4}, &steady, facts.H2},
	{"a hundred connections renewed at once, each used up, are no stampede",
		&numbers{attempts: 80000, accepted: 100, used: 100}, &steady, facts.H2},
	{"what it opens without the limit too isn't caused by the limit",
		&numbers{attempts: 40000, accepted: 400, used: 400}, &numbers{attempts: 40000, accepted: 390}, facts.H2},
	{"failures that come with the limit are losses",
		&numbers{attempts: 40000, accepted: 41, used: 41, failed: 500}, &steady, facts.H2},
	{"some of the lost were executed",
		&numbers{attempts: 40000, accepted: 41, failed: 500, executed: 20}, &steady, facts.H2},
	{"losing and stampeding is losing first",
		&numbers{attempts: 26000, accepted: 2880, used: 27, failed: 500}, &steady, facts.H2},
	{"failures that come without the limit too are not losses",
		&numbers{attempts: 40000, accepted: 41, failed: 60}, &numbers{attempts: 60000, failed: 80}, facts.H2},
	{"two failures in forty renewals are neither a loss nor none",
		&numbers{attempts: 40000, accepted: 41, failed: 2}, &steady, facts.H2},
	{"nor is a single one in five renewals",
		&numbers{attempts: 5000, accepted: 5, failed: 1, usedUp: 5}, &steady, facts.H2},
	{"one that is broken for good loses, though it did not come to a second renewal",
		&numbers{attempts: 40000, failed: 39500}, &steady, facts.H2},
	{"one request that ran twice is one too many",
		&numbers{attempts: 40000, accepted: 41, duplicates: 1}, &steady, facts.H2},
	{"a hung call is worse than a duplicate",
		&numbers{attempts: 40000, accepted: 41, duplicates: 9, hung: 3, failed: 3}, &steady, facts.H2},
	{"hung calls are not lost ones as well",
		&numbers{attempts: 40000, accepted: 41, hung: 300, failed: 300}, &steady, facts.H2},
	{"calls that hang without the limit too are not its doing",
		&numbers{attempts: 40000, accepted: 41, hung: 3, failed: 3}, &numbers{attempts: 40000, hung: 3, failed: 3}, facts.H2},
	{"a program that dies crashes", &numbers{fault: facts.FaultCrashed}, &steady, facts.H2},
	{"a program whose words can't be used crashes", &numbers{fault: facts.FaultGarbled}, &steady, facts.H2},
	{"a program that dies without the limit too has trouble of its own",
		&numbers{fault: facts.FaultCrashed}, &numbers{fault: facts.FaultCrashed}, facts.H2},
	{"a program that never ends hangs", &numbers{fault: facts.FaultSilent}, &steady, facts.H2},
	{"more successes than executions are a lie",
		&numbers{attempts: 40000, accepted: 41, executed: -1}, &steady, facts.H2},
	{"without ids nothing is a lie or a duplicate",
		&numbers{attempts: 40000, accepted: 41, executed: -1, duplicates: 3, without: "ids"}, &steady, facts.H2},
	{"too few requests tell nothing", &numbers{attempts: 700, accepted: 2}, &steady, facts.H2},
	{"a connection for each request in flight, opened once, is neither a stampede nor sound",
		&numbers{attempts: 18000, accepted: 100, used: 100}, &steady, facts.H2},
	{"with more renewals it is sound",
		&numbers{attempts: 18000, accepted: 110, used: 110, usedUp: 100}, &steady, facts.H2},
	{"the same without use is one", &numbers{attempts: 18000, accepted: 100, used: 18}, &steady, facts.H2},
	{"one that opens hundreds for each that its requests fill, limit or not, can't be judged",
		&numbers{attempts: 9480, accepted: 1666, used: 1666, replaced: 1600}, &numbers{attempts: 9089, accepted: 1378, used: 1378}, facts.H2},
	{"many more than are in flight are one, used or not",
		&numbers{attempts: 9480, accepted: 1666, used: 1666}, &steady, facts.H2},
	{"one renewal is too little evidence", &numbers{attempts: 1500, accepted: 1}, &steady, facts.H2},
	{"a hundred connections at one renewal are not sound",
		&numbers{attempts: 1819, accepted: 100, used: 100, usedUp: 1}, &steady, facts.H2},
	{"nor are they with the same at each of five",
		&numbers{attempts: 5400, accepted: 500, used: 500, usedUp: 5}, &steady, facts.H2},
	{"lost requests are a verdict though no renewal was seen",
		&numbers{attempts: 4995, failed: 263}, &steady, facts.H2},
	{"what renews itself before the limit is sound",
		&numbers{attempts: 13295, accepted: 26, used: 26, replaced: 26}, &numbers{attempts: 10222, accepted: 20}, facts.H2},
	{"over HTTP/1.1 renewals must be seen as well", &numbers{attempts: 900}, &steady, facts.H1},
	{"nor one that grew without the limit alone",
		&numbers{attempts: 26495, accepted: 105, used: 100, usedUp: 200}, &numbers{attempts: 13497, accepted: 442, used: 425}, facts.H1},
	{"a pool that grew over HTTP/1.1 is no stampede",
		&numbers{attempts: 40000, accepted: 442, used: 425, usedUp: 20}, &steady, facts.H1},
	{"too few requests that fail still lose", &numbers{attempts: 1900, accepted: 2, failed: 60}, &steady, facts.H2},
	{"an h2 client that opened nothing was not at the limit", &numbers{attempts: 40000}, &steady, facts.H2},
	{"one that fails everywhere can't be judged",
		&numbers{attempts: 40000, accepted: 41, failed: 9000}, &numbers{attempts: 40000, failed: 8000}, facts.H2},
	{"a trial that counts nothing has no evidence",
		&numbers{attempts: 40000, without: "everything"}, &steady, facts.H2},
	{"a program that wasn't ready in time says nothing of the limit",
		&numbers{fault: facts.FaultNotStarted}, &steady, facts.H2},
	{"without the cell at the high limit the rest is judged all the same", &stampede, nil, facts.H2},
	{"without the cell at the low limit there is no verdict", nil, &steady, facts.H2},
	{"two and a half dials a renewal", &numbers{attempts: 40000, accepted: 125}, &steady, facts.H2},
	{"four dials a renewal", &numbers{attempts: 40000, accepted: 180}, &steady, facts.H2},
	{"three losses", &numbers{attempts: 40000, accepted: 41, failed: 3}, &steady, facts.H2},
	{"many losses", &numbers{attempts: 40000, accepted: 41, failed: 300}, &steady, facts.H2},
	{"six renewals, not counted", &numbers{attempts: 5000, accepted: 6}, &steady, facts.H2},
	{"as many failures for a request without the limit", &numbers{attempts: 40000, accepted: 41, failed: 60},
		&numbers{attempts: 40000, failed: 60}, facts.H2},
}

var update = flag.Bool("update", false, "write testdata/verdicts.txtar")

func TestAClientsVerdictFollowsFromItsFigures(t *testing.T) {
	var got strings.Builder
	for _, c := range figures {
		r := newRun().client("a", "", c.p, c.low, c.high, nil).row("a")
		fmt.Fprintf(&got, "%s: %v; fails anyway: %t\n", c.what, r.all(), r.FailsAnyway)
		for _, words := range slices.Concat(r.Reasons, r.Notes) {
			fmt.Fprintf(&got, "  %s\n", texts.English.In(words))
		}
		for _, words := range r.Near {
			fmt.Fprintf(&got, "  near a threshold: %s\n", texts.English.In(words))
		}
		if len(r.Reasons) != len(r.all()) {
			t.Errorf("%s: %d verdicts have %d reasons: %q", c.what, len(r.all()), len(r.Reasons), r.Reasons)
		}
	}
	labtest.GoldenPart(t, "verdicts", t.Name(), got.String(), *update)
}

func TestTrialsAreSummedUp(t *testing.T) {
	r := newRun().cell("nginx-1000", 1000, facts.H2, "a", "", well, numbers{attempts: 40000, accepted: 41, failed: 10},
		numbers{fault: facts.FaultCrashed}).row("a")
	f := r.At
	if f.Trials != 2 || len(f.Faults) != 1 || f.Attempts != 80000 || f.Failed != 10 || *f.Accepted != 82 ||
		*f.Expected != 80 || *f.Filled != 99 || *f.Unanswered != 0 {
		t.Errorf("summed up as %+v", f)
	}
	if r.Verdict != Crashes || !strings.Contains(texts.English.In(r.Reasons[0]), "(1 of 3 trials)") {
		t.Errorf("%s: %q", r.Verdict, r.Reasons)
	}
	half := newRun().cell("nginx-1000", 1000, facts.H2, "a", "", well,
		numbers{attempts: 40000, without: "everything"}).row("a")
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
		"not measured":     {nil, ""},
		"sound there":      {&well, Sound},
		"no better there":  {&loser, Loses},
		"a stampede there": {&stampede, Stampedes},
	} {
		if r := newRun().client("a", "", facts.H2, &loser, &steady, c.envoy).row("a"); r.SavedByEnvoy != c.want {
			t.Errorf("%s: %q", what, r.SavedByEnvoy)
		}
	}
}

func TestNothingFollowsFromAClientThatLackedFiles(t *testing.T) {
	lacks := &Figures{Totals: core.Totals{Trials: 1, Attempts: 1000, Failed: 900, Succeeded: 100},
		Errors: []facts.Error{{Class: facts.ErrClientResources, Count: 900, Message: "too many open files"}}}
	well := &Figures{Totals: core.Totals{Trials: 1, Attempts: 1000, Succeeded: 1000}}
	dead := &Figures{Faults: []facts.Fault{{Kind: facts.FaultStarved, Message: "can't start new thread"}}}
	for name, f := range map[string]cellFacts{
		"here":              {Figures: *lacks, base: well},
		"without the limit": {Figures: *well, base: lacks},
		"its program":       {Figures: *dead, base: well},
	} {
		f.limit, f.protocol, f.inFlight = 100, facts.H2, 10
		j := judge(f)
		says := len(j.reasons) == 1 && strings.Contains(texts.English.In(j.reasons[0]), "no file, port, thread or memory")
		if j.verdict != Inconclusive || !says {
			t.Errorf("%s: %s, %q", name, j.verdict, j.reasons)
		}
	}
}

func TestACureHasCuredOnlyWhenItWasMeasuredSound(t *testing.T) {
	ill := numbers{attempts: 26000, accepted: 2880, used: 27, failed: 500}
	loser := numbers{attempts: 40000, accepted: 41, failed: 500}
	twice := numbers{attempts: 40000, accepted: 41, duplicates: 7}
	few := numbers{attempts: 900}
	var got strings.Builder
	for _, c := range []struct {
		what      string
		ill, cure *numbers
	}{
		{"sound", &ill, &well}, {"a part", &ill, &stampede}, {"nothing", &loser, &loser}, {"another fault instead", &loser, &twice},
		{"another fault as well", &stampede, &ill}, {"too few requests", &loser, &few}, {"nothing to cure", &well, &well},
		{"not measured", &loser, nil},
	} {
		run := newRun().client("ill", "", facts.H2, c.ill, &steady, nil)
		if c.cure != nil {
			run.client("cure", "ill", facts.H2, c.cure, &steady, nil)
		} else {
			run.cell("nginx-1000", 1000, facts.H2, "cure", "ill")
			run.Cells[len(run.Cells)-1].Unsupported = facts.T("verdict.recorded", "no java")
		}
		r := run.row("ill")
		for _, cure := range r.Cures {
			fmt.Fprintf(&got, "%s: %s: %s; cured by %v\n", c.what, cure.Outcome, texts.English.In(cure.Words), r.CuredBy())
		}
	}
	labtest.GoldenPart(t, "verdicts", t.Name(), got.String(), *update)
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
	run.Cells[0].Unsupported = facts.T("verdict.recorded", "cargo was not found: apt-get install cargo")
	if r := run.row("a"); r.Verdict != Unsupported || texts.English.In(r.Reasons[0]) != texts.English.In(run.Cells[0].Unsupported) || r.At != nil {
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
