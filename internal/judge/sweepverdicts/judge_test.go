package sweepverdicts

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"h2lab/internal/base/labtest"
	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
)

func TestAPointBelongsToOneSweep(t *testing.T) {
	for point, want := range map[string]*Sweep{"800-users": Callers, "50ms": Burst, "10ms-100-threads": LowLatency,
		"100-users-10ms": Async, "": nil, "users": nil, "10ms-100": nil, "x800-users": nil} {
		if got := of(point); got != want {
			t.Errorf("%q: %v", point, got)
		}
	}
	for s, n := range map[*Sweep]int{Callers: 9, Burst: 5, LowLatency: 14 + 3*3, Async: 4*3 + 2} {
		if got := len(s.Whole()); got != n {
			t.Errorf("%s has %d places, want %d", s.ID, got, n)
		}
	}
}

var update = flag.Bool("update", false, "write testdata/verdicts.txtar")

func TestWhatACallerMakesOfTheLimit(t *testing.T) {
	slower := [][]float64{{130, 150, 140}, {120, 160, 150}}
	same := [][]float64{{99, 101, 100}, {102, 98, 100}}
	some := new(int64(3))
	twice := behind(same, 0, 0, some)
	for _, c := range twice.Cells {
		for i := range c.Trials {
			c.Trials[i].Backend.Duplicates = new(int64(0))
		}
	}
	twice.Cells[0].Trials[1].Backend.Duplicates = new(int64(4))
	var got strings.Builder
	for _, c := range []struct {
		name string
		run  *facts.Result
	}{
		{"slower in six pairs", behind(slower, 0, 0, some)},
		{"failures that the high limit doesn't have", behind(same, 20, 0, some)},
		{"as many failures without the limit", behind(same, 20, 10, some)},
		{"more than twice as many", behind(same, 21, 10, some)},
		{"both", behind(slower, 20, 0, some)}, {"neither", behind(same, 0, 0, some)}, {"sent twice", twice},
		{"neither, and nobody counted the renewals", behind(same, 0, 0, nil)},
		{"slower, and nobody counted the renewals", behind(slower, 0, 0, nil)},
		{"too few pairs", behind(slower[:1], 0, 0, some)},
		{"no connection met the limit", behind(slower, 20, 0, new(int64(0)))},
		{"the high limit was not measured", run(one{topology: "nginx-1000", client: "caller", point: "100-users", ms: same[0]})},
	} {
		table := Tables(c.run)[0]
		e := table.Effects()[0]
		says := Voice{table}.Effect(e)
		fmt.Fprintf(&got, "%s: %s\n  %s\n", c.name, e.Kind, texts.English.In(says))
		labtest.SameFigures(t, c.name, texts.English.In(says), texts.Chinese.In(says))
	}
	labtest.GoldenPart(t, "verdicts", t.Name(), got.String(), *update)
}

// A trial in which the service failed has no numbers; it is counted and not compared.
func TestATrialOfAFailedServiceIsNoPair(t *testing.T) {
	r := behind([][]float64{{130, 150, 140}, {120, 160, 150}}, 0, 0, new(int64(3)))
	r.Cells[0].Trials[0].Fault = &facts.Fault{Kind: facts.FaultCrashed}
	e := Tables(r)[0].Effects()[0]
	if len(e.Slow.Ratios) != 5 || e.Faults != 1 || e.Planned != 6 {
		t.Errorf("%d pairs, %d of %d faults", len(e.Slow.Ratios), e.Faults, e.Planned)
	}
}

// A high limit without numbers is no base: the caller's own failures would be attributed to the limit.
func TestAPlaceWithoutNumbersBehindOneLimitIsNotCompared(t *testing.T) {
	r := behind([][]float64{{100, 100, 100}}, 20, 20, new(int64(3)))
	for i := range r.Cells[1].Trials {
		r.Cells[1].Trials[i] = facts.Trial{Index: i + 1, Fault: &facts.Fault{Kind: facts.FaultCrashed}}
	}
	if e := Tables(r)[0].Effects()[0]; e.Kind != NotMeasured || e.Failed != 0 {
		t.Errorf("%s with %d failures", e.Kind, e.Failed)
	}
	r.Cells[0], r.Cells[1] = r.Cells[1], r.Cells[0]
	r.Cells[0].Topology, r.Cells[1].Topology = "nginx-1000", High
	e := Tables(r)[0].Effects()[0]
	if s := texts.English.In(Voice{Tables(r)[0]}.Effect(e)); e.Kind != NotMeasured ||
		!strings.Contains(s, "In 3 of 3 trials behind nginx-1000 the service or its load generator failed.") {
		t.Errorf("%s: %s", e.Kind, s)
	}
}

func TestTheDelayFromWhichOnTheLimitStopsMattering(t *testing.T) {
	up, down := 1.2, 0.9
	for _, c := range []struct {
		name          string
		at            map[int]Pairs
		from          int // 0 is none
		told          bool
		before, after int
	}{
		{"five a delay", map[int]Pairs{1: five(up), 2: five(up), 5: five(down), 10: five(up, down)}, 5, true, 10, 10},
		{"one a delay", map[int]Pairs{1: just(up), 2: just(up), 3: just(up), 4: just(up), 5: just(up), 6: just(down), 7: just(up)}, 6,
			true, 5, 2},
		{"up to the largest", map[int]Pairs{1: five(up), 2: five(up)}, 0, true, 10, 0},
		{"at none", map[int]Pairs{1: five(down), 2: five(up, down)}, 1, true, 0, 10},
		{"too few", map[int]Pairs{1: just(up), 2: just(up)}, 0, false, 0, 2},
		{"nothing", nil, 0, false, 0, 0},
	} {
		got := split(keys(c.at), c.at)
		from := 0
		if got.DelayMS != nil {
			from = *got.DelayMS
		}
		if from != c.from || got.Told != c.told || len(got.Before.Ratios) != c.before || len(got.After.Ratios) != c.after {
			t.Errorf("%s: from %d, told %v, %d before, %d after", c.name, from, got.Told, len(got.Before.Ratios),
				len(got.After.Ratios))
		}
	}
}

func just(ratios ...float64) Pairs { return Pairs{Ratios: ratios} }

// five repeats some ratios until they are five.
func five(ratios ...float64) Pairs {
	var p Pairs
	for i := range agree {
		p.Ratios = append(p.Ratios, ratios[i%len(ratios)])
	}
	return p
}

func TestPublishedRatiosAreComparedByDirection(t *testing.T) {
	at := func(web, rest []float64) *facts.Result {
		return run(one{topology: Direct, client: "webclient-h1", point: "800-users", users: 800, delay: 100, rps: web, ms: web},
			one{topology: Direct, client: "resttemplate-pool", point: "800-users", users: 800, delay: 100, rps: rest, ms: rest})
	}
	var got strings.Builder
	for _, c := range []struct {
		name string
		run  *facts.Result
	}{
		{"the same direction", at([]float64{130, 140}, []float64{100, 110})}, {"the other", at([]float64{90}, []float64{100})},
		{"trials on both sides", at([]float64{90, 140}, []float64{100, 110})}, {"one is missing", at([]float64{90}, nil)},
	} {
		table := Tables(c.run)[0]
		beside := table.Published()[0]
		fmt.Fprintf(&got, "%s: %s: %s\n", c.name, beside.Status, texts.English.In(Voice{table}.Ours(beside)))
	}
	labtest.GoldenPart(t, "verdicts", t.Name(), got.String(), *update)
	near := Tables(run(
		one{topology: Direct, client: "asyncresttemplate", point: "800-users", users: 800, delay: 100, rps: []float64{500}, ms: []float64{1}},
		one{topology: Direct, client: "resttemplate-pool", point: "800-users", users: 800, delay: 100, rps: []float64{100}, ms: []float64{1}}))
	if got := near[0].Published()[1]; got.Status != facts.Inconclusive || got.Ours == nil || *got.Ours != 5 {
		t.Errorf("a published ratio near 1 has a direction: %+v", got.Status)
	}
}

func TestEveryFigureHasAnIDOfItsOwnAndNumbersThatGiveItsRatio(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range Figures() {
		a, b, ok := strings.Cut(f.Shown, " ÷ ")
		x, y := 0.0, 0.0
		for _, s := range []struct {
			text string
			into *float64
		}{{a, &x}, {b, &y}} {
			s.text = strings.TrimPrefix(strings.ReplaceAll(s.text, ",", ""), "≥ ")
			if _, err := fmt.Sscan(strings.Fields(s.text)[0], s.into); err != nil {
				t.Fatal(f.ID, err)
			}
		}
		if !ok || seen[f.ID] || f.A == nil || f.measure().ID == "" ||
			!slices.ContainsFunc(Sweeps, func(s *Sweep) bool { return s.ID == f.Sweep }) || fmt.Sprintf("%.6f", x/y) != fmt.Sprintf("%.6f", f.Ratio()) {
			t.Errorf("%s: %s is not %v, or the id is another's", f.ID, f.Shown, f.Ratio())
		}
		seen[f.ID] = true
	}
}

func TestClaims(t *testing.T) {
	web := func(users int, failed int64, message string) one {
		return one{topology: Direct, client: "webclient-h1", point: fmt.Sprintf("%d-users", users), users: users, delay: 100,
			ms: []float64{1}, failed: failed, message: message}
	}
	pending := "x.WebClientRequestException: full; Caused by: y.pool.PoolAcquirePendingLimitException: full"
	server := func(client string, failed int64) one {
		return one{topology: Direct, client: client, point: "1000ms", users: 10000, delay: 1000, ms: []float64{1}, failed: failed}
	}
	var got strings.Builder
	for _, c := range []struct {
		name string
		run  *facts.Result
	}{
		{"refused from 1,600 on", run(web(800, 0, ""), web(1600, 10, pending))},
		{"another error", run(web(1600, 10, "java.io.IOException: x"))}, {"too few users", run(web(800, 0, ""))},
		{"blocking fails", run(server("server-sync", 5), server("server-mono-netty", 0))},
		{"blocking doesn't", run(server("server-sync", 0), server("server-mono-netty", 0))},
		{"both fail", run(server("server-sync", 5), server("server-mono-netty", 5))}, {"one server", run(server("server-sync", 5))},
	} {
		claim := Voice{Tables(c.run)[0]}.Claims()[0]
		fmt.Fprintf(&got, "%s: %s: %s\n", c.name, claim.Status, texts.English.In(claim.Here))
	}
	labtest.GoldenPart(t, "verdicts", t.Name(), got.String(), *update)
}

func TestErrorsHaveTheNameOfTheirCause(t *testing.T) {
	for message, want := range map[string]string{
		"a.b.OuterException: x; Caused by: c.d.PoolAcquirePendingLimitException: Pending acquire queue": "PoolAcquirePendingLimitException",
		"java.lang.OutOfMemoryError: Java heap space":                                                   "OutOfMemoryError",
		"okhttp3.internal.http2.Http2Exception$StreamException: y":                                      "StreamException",
		"dial tcp 127.0.0.1:18301: connect: connection refused, and more words":                         "dial tcp 127.0.0.1:18301: connect: connection refused",
		"| `x` <b> #": "x b",
		"":            "",
	} {
		if got := nameOf(message); got != want {
			t.Errorf("%q is %q, want %q", message, got, want)
		}
	}
}

func TestVerdictsHaveEvidenceInTheirFileAndTheirOwnIDs(t *testing.T) {
	r := behind([][]float64{{130, 150, 140}, {120, 160, 150}}, 0, 0, new(int64(3)))
	j := Judge(r)
	var ids []string
	seen := map[string]bool{}
	for _, v := range j.Verdicts {
		if v.Title.IsZero() || v.Expected.IsZero() || v.Actual.IsZero() || v.Hint.IsZero() || v.Reference.IsZero() || v.Evidence == nil {
			t.Errorf("%s lacks a text: %+v", v.ID, v)
		}
		if seen[v.ID] {
			t.Errorf("two verdicts are %s", v.ID)
		}
		seen[v.ID] = true
		if len(v.Evidence) > 0 {
			ids = append(ids, v.ID)
		}
	}
	if diff := cmp.Diff([]string{"limit-callers-caller-h1"}, ids); diff != "" {
		t.Errorf("verdicts with evidence (-want +got):\n%s", diff)
	}
	last := j.Verdicts[len(j.Verdicts)-1]
	if last.Status != facts.Reproduced || last.Evidence[0].Pointer != "results.json#/cells/0/trials/0/latency_ms/p95" ||
		last.Evidence[0].Value != 130.0 {
		t.Errorf("%+v", last)
	}
}
