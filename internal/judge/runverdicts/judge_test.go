package runverdicts

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
)

// fact is a line of a rule's table: a run, the uncured cells measured in the same run, and the
// expected verdict.
type fact struct {
	name   string
	run    run
	broken run
	status facts.Status
	says   string // in Actual, Hint or Warnings
}

// judgeEach applies one rule to each fact and checks what every verdict must have: a known status,
// texts, and evidence whose pointers lead to its values.
func judgeEach(t *testing.T, id string, table []fact) {
	t.Helper()
	for _, c := range table {
		whole := c.run.and(c.broken)
		verdicts := Judge(whole).Verdicts
		v := core.Find(verdicts, id)
		if v == nil {
			t.Errorf("%s: no verdict %s for %s", c.name, id, c.run.Run.Command)
			continue
		}
		text := labtest.Said(texts.English, *v)
		if v.Status != c.status || !strings.Contains(text, c.says) {
			t.Errorf("%s: %s, want %s with %q\n%s", c.name, v.Status, c.status, c.says, text)
		}
		labtest.CheckVerdict(t, c.name, v, files(t, whole))
		spokenInChinese(t, c.name, whole, verdicts)
	}
}

func TestEveryRuleHasItsTextsAndAnAnswer(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range Rules() {
		if seen[r.ID] {
			t.Errorf("two rules are called %s", r.ID)
		}
		seen[r.ID] = true
		if r.Title == "" || r.Reference == "" || r.Care == "" || len(r.Commands) == 0 || r.Group == "" {
			t.Errorf("%s lacks a title, a reference, a reason, a group or a command", r.ID)
		}
		v := r.Verdict(core.Gather(&facts.Result{}), func() finding { return runFacts{core.Gather(&facts.Result{})}.answer(r) })
		if v.ID != r.ID || v.Status == "" {
			t.Errorf("%s answers %+v", r.ID, v)
		}
	}
}

func TestEveryPromiseIsARuleOfItsCommand(t *testing.T) {
	for command, list := range promises {
		for _, p := range list {
			ok := false
			for _, r := range Rules() {
				ok = ok || r.ID == p.Rule && strings.Contains(strings.Join(r.Commands, " "), command)
			}
			if !ok {
				t.Errorf("%s promises %s, which isn't asked", command, p.Rule)
			}
		}
	}
}

// Whatever is missing, every rule returns a verdict whose evidence resolves.
func TestVerdictsAreGivenWhateverIsMissing(t *testing.T) {
	nothing := func(*facts.Trial) {}
	for name, blank := range map[string]func(*facts.Trial){
		"as it was":        nothing,
		"no counters":      func(t *facts.Trial) { t.Connections = facts.Connections{} },
		"no cold start":    func(t *facts.Trial) { t.ColdStart = facts.ColdStart{} },
		"no backend":       func(t *facts.Trial) { t.Backend = facts.BackendDelta{} },
		"no CPU":           func(t *facts.Trial) { t.CPU = facts.CPU{} },
		"nothing answered": func(t *facts.Trial) { t.Succeeded, t.GoodputRPS, t.Failed = 0, 0, t.Attempts },
		"nothing at all":   func(t *facts.Trial) { *t = facts.Trial{} },
	} {
		for _, trials := range []int{6, 1, 0} {
			for _, command := range []string{repro, fixed, matrix} {
				r := aRepro()
				if command != repro {
					r.Cells = append(r.Cells, aFixed().Cells...)
				}
				r.Run.Command = command
				for i := range r.Cells {
					r.Cells[i].Trials = r.Cells[i].Trials[:trials]
					eachTrial(blank)(&r.Cells[i])
				}
				judgedWhole(t, fmt.Sprintf("%s, %s of %d trials", name, command, trials), r.Result)
				if command == fixed { // only the cured topologies
					judgedWhole(t, fmt.Sprintf("%s, narrowed %s of %d trials", name, command, trials),
						aFixed().with(firstTrials(trials)).Result)
				}
			}
		}
	}
}

// judgedWhole checks every verdict on a run, and its headline.
func judgedWhole(t *testing.T, name string, r *facts.Result) {
	t.Helper()
	verdicts, in := Judge(r).Verdicts, files(t, r)
	trials := len(r.Cells[0].Trials)
	for i := range verdicts {
		labtest.CheckVerdict(t, name, &verdicts[i], in)
		if trials == 0 && verdicts[i].ID != "cpu-budget" && verdicts[i].Status != facts.Inconclusive {
			t.Errorf("%s: %s is %s without a trial", name, verdicts[i].ID, verdicts[i].Status)
		}
	}
	if trials < 6 { // the rules' own tables cover whole runs
		spokenInChinese(t, name, r, verdicts)
	}
	if h := headline(r, verdicts); len(h) < 20 || !strings.HasSuffix(h, ".") || strings.Contains(h, "%!") {
		t.Errorf("%s: headline %q", name, h)
	}
	if _, err := json.Marshal(verdicts); err != nil {
		t.Errorf("%s: %v", name, err)
	}
}

func TestJudgingChangesNothingAndRepeats(t *testing.T) {
	r := aRepro()
	before, err := json.Marshal(r.Result)
	labtest.Check(t, err)
	first, second := Judge(r.Result).Verdicts, Judge(r.Result).Verdicts
	if after, _ := json.Marshal(r.Result); string(after) != string(before) {
		t.Error("the run was changed")
	}
	if !reflect.DeepEqual(first, second) {
		t.Error("the second judgement differs")
	}
}

func TestAnEmptyRunIsJudgedToo(t *testing.T) {
	for _, command := range []string{repro, fixed, matrix, "bench"} {
		r := &facts.Result{Run: facts.Run{Command: command}}
		verdicts := Judge(r).Verdicts
		headline(r, verdicts)
		if err := Kept(r, verdicts); (err == nil) != (command == matrix || command == "bench") {
			t.Errorf("%s of nothing is kept: %v", command, err)
		}
	}
}

// spokenInChinese compares a run's verdicts and headline in both languages.
func spokenInChinese(t *testing.T, name string, run *facts.Result, verdicts []facts.Verdict) {
	t.Helper()
	labtest.SameVerdicts(t, name, verdicts)
	labtest.SameFigures(t, name+" headline", headline(run, verdicts), texts.Chinese.In(Headline(run, verdicts)))
}

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
