package runverdicts

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
)

var update = flag.Bool("update", false, "write testdata/verdicts.txtar")

// judgeEach applies one rule to each run, compares the verdicts with testdata/verdicts.txtar, and checks what every verdict must
// have: a known status, texts, and evidence whose pointers lead to its values.
func judgeEach(t *testing.T, id string, table map[string]run) {
	t.Helper()
	var got strings.Builder
	for _, name := range slices.Sorted(maps.Keys(table)) {
		whole := table[name].Result
		verdicts := Judge(whole).Verdicts
		v := core.Find(verdicts, id)
		if v == nil {
			t.Errorf("%s: no verdict %s for %s", name, id, whole.Run.Command)
			continue
		}
		fmt.Fprintf(&got, "%s: %s", name, labtest.Judged(*v))
		labtest.CheckVerdict(t, name, v, files(t, whole))
		spokenInChinese(t, name, whole, verdicts)
	}
	labtest.GoldenPart(t, "verdicts", t.Name()+" "+id, got.String(), *update)
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
	for _, p := range Promises() {
		for _, id := range append(p.AnyOf, p.Rule) {
			if id != "" && !slices.Contains(core.RuleOf(Rules(), id).Commands, p.Command) {
				t.Errorf("%s promises %s, which isn't asked", p.Command, id)
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

// sayEach compares each run's headline, and what its command makes of the promises, with testdata/verdicts.txtar.
func sayEach(t *testing.T, table map[string]run) {
	t.Helper()
	var got strings.Builder
	for _, name := range slices.Sorted(maps.Keys(table)) {
		verdicts, kept := Judge(table[name].Result).Verdicts, "kept"
		if err := Kept(table[name].Result, verdicts); err != nil {
			kept = err.Error()
		}
		fmt.Fprintf(&got, "%s: %s\n  %s\n", name, headline(table[name].Result, verdicts), kept)
	}
	labtest.GoldenPart(t, "verdicts", t.Name(), got.String(), *update)
	for name, r := range table {
		if err := Kept(r.Result, nil); r.Run.Command != matrix && err == nil {
			t.Errorf("%s: no verdicts at all are what it promises", name)
		}
	}
}

func TestHeadlinesAndPromises(t *testing.T) {
	none := factsOf{rps: 100}
	quick, all := aRepro().with(firstTrials(1)), aRepro().beside(aFixed())
	quick.Run.Quick, all.Run.Command = true, matrix
	sayEach(t, map[string]run{
		"repro":                              aRepro(),
		"repro, quick":                       quick,
		"repro without a drop of throughput": shared(uneven(15300, 15300, 15300, 15300, 15300, 15300)),
		"repro that never reached the limit": shared(become(none)).edit("nginx-1000", facts.H2, facts.GoOnce, become(none)),
		"repro with one request in flight": shared(become(factsOf{rps: 900, accepted: 4, used: 4, expected: 4}),
			load(func(w *facts.Workload) { w.Concurrency = 1 })),
		"repro under a wrong name": limit(facts.Limit{Configured: new(1000), Effective: new(100), ProbedRequests: 100}),
		"repro without a cell":     aRepro().drop("nginx-1000", facts.H2, facts.GoOnce),
		"repro without k6":         aRepro().drop("nginx-1000", facts.H2, facts.K6SharedPool),
		"fixed":                    aFixed().beside(aRepro()),
		"fixed without Envoy": high("envoy", unsupported).edit("envoy", facts.H2, facts.GoOnce, unsupported).
			beside(aRepro()),
		"fixed with the fault":       high("nginx-100000", become(slow)).beside(aRepro()),
		"fixed that lost requests":   aFixed().edit("envoy", facts.H2, facts.GoOnce, become(loser)).beside(aRepro()),
		"fixed where a cure failed":  aFixed().edit("nginx-1000", facts.H2, facts.GoSingleDial, become(slow)).beside(aRepro()),
		"fixed without a stampede":   aFixed().beside(shared(become(none))),
		"fixed without a loss":       aFixed().beside(once(become(none))),
		"fixed without broken cells": aFixed(),
		"matrix":                     all,
		"matrix of nothing":          newRun(matrix),
	})
}

func headline(run *facts.Result, verdicts []facts.Verdict) string {
	return texts.English.In(Headline(run, verdicts))
}
