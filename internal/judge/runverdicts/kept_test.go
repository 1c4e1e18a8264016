package runverdicts

import (
	"strings"
	"testing"

	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
)

func TestAPromiseIsKeptOrItsBreakIsExplained(t *testing.T) {
	none := factsOf{rps: 100}
	alone := load(func(w *facts.Workload) { w.Concurrency = 1 })
	for _, c := range []struct {
		name        string
		run, broken run
		says        []string // empty: kept
	}{
		{"repro", aRepro(), run{}, nil},
		{"repro without a drop of throughput", shared(uneven(15300, 15300, 15300, 15300, 15300, 15300)), run{}, nil},
		{"repro that never reached the limit",
			shared(become(none)).edit("nginx-1000", facts.H2, facts.GoOnce, become(none)), run{},
			[]string{"dial-stampede is not-reproduced, against what repro promises", "lost-requests is not-reproduced",
				"Raise DURATION or lower LIMIT"}},
		{"repro with one request in flight",
			shared(become(factsOf{rps: 900, accepted: 4, used: 4, expected: 4}), alone), run{},
			[]string{"Raise CONCURRENCY"}},
		{"repro under a wrong name", limit(facts.Limit{Configured: new(1000), Effective: new(100),
			ProbedRequests: 100}), run{}, []string{"limit-in-effect", "100 instead of 1,000"}},
		{"repro without a cell", aRepro().drop("nginx-1000", facts.H2, facts.GoOnce), run{},
			[]string{"lost-requests is inconclusive", "without TOPOLOGY"}},
		{"fixed", aFixed(), aRepro(), nil},
		{"fixed without Envoy", high("envoy", unsupported).edit("envoy", facts.H2, facts.GoOnce, unsupported), aRepro(),
			nil},
		{"fixed with the fault", high("nginx-100000", become(slow)), aRepro(),
			[]string{"dial-stampede-nginx-100000 is reproduced", "throughput-drop-nginx-100000 is reproduced"}},
		{"fixed that lost requests", aFixed().edit("envoy", facts.H2, facts.GoOnce, become(loser)), aRepro(),
			[]string{"lost-requests-envoy is reproduced"}},
		{"fixed where a cure failed", aFixed().edit("nginx-1000", facts.H2, facts.GoSingleDial, become(slow)), aRepro(),
			[]string{"single-dial-cures is reproduced"}},
		{"fixed without a stampede at the low limit", aFixed(), shared(become(none)), []string{"no stampede to cure",
			"dial-stampede is not-reproduced, against what fixed promises; without the fault this run proves nothing " +
				"about its cures: 0 connections"}},
		{"fixed without a loss at the low limit", aFixed(), once(become(none)), []string{
			"lost-requests is not-reproduced, against what fixed promises; without the fault this run proves nothing " +
				"about its cures: 0 requests lost"}},
		{"fixed without the broken cells", aFixed(), run{},
			[]string{"dial-stampede is inconclusive", "proves nothing about its cures"}},
		{"fixed with the fault at both limits", high("nginx-100000", become(slow)), aRepro(),
			[]string{"dial-stampede-nginx-100000 is reproduced"}},
		{"matrix promises its names only", newRun(matrix), run{}, nil},
	} {
		err := Kept(c.run.and(c.broken), Judge(c.run.and(c.broken)).Verdicts)
		if (err == nil) != (c.says == nil) {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		for _, s := range c.says {
			if !strings.Contains(err.Error(), s) {
				t.Errorf("%s: %q is not in %q", c.name, s, err)
			}
		}
	}
	if err := Kept(aRepro().Result, nil); err == nil || !strings.Contains(err.Error(), "there is none") {
		t.Errorf("no verdicts at all: %v", err)
	}
}

func headline(run *facts.Result, verdicts []facts.Verdict) string {
	return texts.English.In(Headline(run, verdicts))
}

func TestTheHeadlineIsOneSentenceWithItsNumbers(t *testing.T) {
	all := aRepro()
	all.Run.Command = matrix
	all.Cells = append(all.Cells, aFixed().Cells...)
	quick := aRepro().with(firstTrials(1))
	quick.Run.Quick = true
	for _, c := range []struct {
		name        string
		run, broken run
		want        string
	}{
		{"repro", aRepro(), run{},
			"HTTP/2 through nginx-1000 delivered 0.42 [0.41, 0.44] of HTTP/1.1's goodput and opened 2,894 " +
				"connections in 5 s where 32 were expected; a client whose body can't be replayed lost 1,505 " +
				"requests."},
		{"repro, quick", quick, run{}, "HTTP/2 through nginx-1000 delivered 0.42 ~ of HTTP/1.1's goodput and " +
			"opened 2,822 connections in 5 s where 32 were expected; a client whose body can't be replayed lost " +
			"1,505 requests (quick run, no statistics)."},
		{"repro without the fault", shared(become(factsOf{rps: 100})), run{}, "The stampede did not appear: 0 " +
			"connections accepted in 5 s where 0 were expected, 0 of them used: no connection reached the limit " +
			"in the window, so none was renewed; a client whose body can't be replayed lost 1,505 requests."},
		{"repro without the cell", aRepro().drop("nginx-1000", facts.H2, facts.K6SharedPool), run{},
			"The run can't show whether there is a stampede (inconclusive): cell nginx-1000.h2.k6-shared-pool " +
				"was not measured; a client whose body can't be replayed lost 1,505 requests."},
		{"fixed", aFixed(), aRepro(),
			"HTTP/2 through nginx-100000 delivered 1.00 [0.97, 1.03] ~ of HTTP/1.1's goodput and opened 0 new " +
				"connections in 5 s where nginx-1000 opened 2,894; HTTP/2 through envoy delivered 1.00 [0.97, 1.03] " +
				"~ and opened 0 new connections; a client whose body can't be replayed lost no request there."},
		{"fixed with the fault", high("envoy", become(slow)), aRepro(), "The stampede remains on envoy: HTTP/2 " +
			"through nginx-100000 delivered 1.00 [0.97, 1.03] ~ of HTTP/1.1's goodput and opened 0 new " +
			"connections in 5 s where nginx-1000 opened 2,894; HTTP/2 through envoy delivered 0.42 [0.41, 0.44] " +
			"and opened 2,894 new connections; a client whose body can't be replayed lost no request there."},
		{"fixed without the fault", aFixed(), shared(become(factsOf{rps: 100})),
			"This run proves nothing about the cures, since dial-stampede is not-reproduced: 0 connections " +
				"accepted in 5 s where 0 were expected, 0 of them used: no connection reached the limit in the " +
				"window, so none was renewed; HTTP/2 through nginx-100000 delivered 1.00 [0.97, 1.03] ~ of " +
				"HTTP/1.1's goodput and opened 0 new connections in 5 s where nginx-1000 opened 0; HTTP/2 through " +
				"envoy delivered 1.00 [0.97, 1.03] ~ and opened 0 new connections; a client whose body can't be " +
				"replayed lost no request there."},
		{"fixed without the broken cells", aFixed(), run{}, "This run proves nothing about the cures, since " +
			"dial-stampede is inconclusive: cell nginx-1000.h2.k6-shared-pool was not measured; HTTP/2 through " +
			"nginx-100000 delivered 1.00 [0.97, 1.03] ~ of HTTP/1.1's goodput and opened 0 new connections in 5 s; " +
			"HTTP/2 through envoy delivered 1.00 [0.97, 1.03] ~ and opened 0 new connections; a client whose body " +
			"can't be replayed lost no request there."},
		{"fixed without Envoy", high("envoy", unsupported), aRepro(), "HTTP/2 through nginx-100000 delivered 1.00 " +
			"[0.97, 1.03] ~ of HTTP/1.1's goodput and opened 0 new connections in 5 s where nginx-1000 opened 2,894; " +
			"envoy is unsupported: cell envoy.h2.k6-shared-pool can't run here: nginx 1.22.1 is older than 1.29.4; a " +
			"client whose body can't be replayed lost no request there."},
	} {
		whole := c.run.and(c.broken)
		if got := headline(whole, Judge(whole).Verdicts); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
	if got := headline(all.Result, Judge(all.Result).Verdicts); strings.Count(got, ";") != 4 ||
		!strings.Contains(got, "expected; a client") || !strings.Contains(got, "; HTTP/2 through nginx-100000") {
		t.Errorf("matrix: %s", got)
	}
}
