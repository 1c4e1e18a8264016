package storyverdicts

import (
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

// change edits a story.
type change func(*facts.Result)

// edit changes each trial of one cell.
func edit(at Place, f func(*facts.Trial)) change {
	return func(r *facts.Result) {
		c := r.Cell(at.Topology, at.Protocol, at.Caller)
		if c == nil {
			panic("no cell " + at.ID())
		}
		for i := range c.Trials {
			f(&c.Trials[i])
		}
	}
}

func drop(at Place) change {
	return func(r *facts.Result) {
		for i := range r.Cells {
			if r.Cells[i].ID() == at.ID() {
				r.Cells = append(r.Cells[:i:i], r.Cells[i+1:]...)
				return
			}
		}
		panic("no cell " + at.ID())
	}
}

// like gives a cell the trials of another.
func like(at, other Place) change {
	return func(r *facts.Result) {
		from := r.Cell(other.Topology, other.Protocol, other.Caller)
		r.Cell(at.Topology, at.Protocol, at.Caller).Trials = append([]facts.Trial{}, from.Trials...)
	}
}

// first keeps the first trials of every cell.
func first(n int) change {
	return func(r *facts.Result) {
		r.Run.Trials = n
		for i := range r.Cells {
			r.Cells[i].Trials = r.Cells[i].Trials[:n]
		}
	}
}

func story(changes ...change) *facts.Result {
	r := labtest.Story("envoy", 6)
	for _, c := range changes {
		c(r)
	}
	return r
}

var chain = Chain{Gateway: "envoy", Low: "nginx-1000-envoy", High: "nginx-100000-envoy", Other: "envoy-envoy"}

var update = flag.Bool("update", false, "write testdata/verdicts.txtar")

// judgeEach asks one rule about each story, compares the verdicts with testdata/verdicts.txtar and checks all in both languages.
func judgeEach(t *testing.T, id string, table map[string]*facts.Result) {
	t.Helper()
	var got strings.Builder
	for _, name := range slices.Sorted(maps.Keys(table)) {
		v := core.Find(Judge(table[name]).Verdicts, id)
		if v == nil {
			t.Errorf("%s: no verdict %s", name, id)
			continue
		}
		fmt.Fprintf(&got, "%s: %s", name, labtest.Judged(*v))
		checkAll(t, name, table[name])
	}
	labtest.GoldenPart(t, "verdicts", t.Name()+" "+id, got.String(), *update)
}

func checkAll(t *testing.T, name string, run *facts.Result) {
	t.Helper()
	verdicts := Judge(run).Verdicts
	documents := labtest.Documents(t, run, Judge(run))
	for i := range verdicts {
		labtest.CheckVerdict(t, name, &verdicts[i], documents)
	}
	labtest.SameVerdicts(t, name, verdicts)
	english := texts.English.In(Headline(run, verdicts))
	if len(english) < 20 || !strings.HasSuffix(english, ".") || strings.Contains(english, "%!") {
		t.Errorf("%s: headline %q", name, english)
	}
	labtest.SameFigures(t, name+" headline", english, texts.Chinese.In(Headline(run, verdicts)))
}

func TestEveryRuleHasItsTextsAndAnAnswer(t *testing.T) {
	seen := map[string]bool{}
	empty := &facts.Result{}
	for _, r := range Rules() {
		if seen[r.ID] || r.Title == "" || r.Reference == "" || r.Care == "" || r.Group == "" {
			t.Errorf("%s is there twice, or lacks a title, a reference, a reason or a group", r.ID)
		}
		seen[r.ID] = true
		f := storyFacts{core.Gather(empty), ChainOf(empty)}
		if v := r.Verdict(f.Run, func() core.Finding { return f.answer(r.ID) }); v.Status == "" {
			t.Errorf("%s has no answer", r.ID)
		}
	}
}

// Whatever is missing, every rule returns a verdict whose evidence resolves, in both languages.
func TestVerdictsAreGivenWhateverIsMissing(t *testing.T) {
	for name, blank := range map[string]func(*facts.Trial){
		"as it was":        func(*facts.Trial) {},
		"no counters":      func(t *facts.Trial) { t.Connections = facts.Connections{} },
		"no backend":       func(t *facts.Trial) { t.Backend = facts.BackendDelta{} },
		"no service":       func(t *facts.Trial) { t.Service = nil },
		"no CPU":           func(t *facts.Trial) { t.CPU = facts.CPU{} },
		"nothing answered": func(t *facts.Trial) { t.Succeeded, t.GoodputRPS, t.Failed = 0, 0, t.Attempts },
		"nothing at all":   func(t *facts.Trial) { *t = facts.Trial{} },
	} {
		for _, trials := range []int{6, 3, 1, 0} {
			for _, gateway := range []string{"envoy", "scg"} {
				r := labtest.Story(gateway, 6)
				first(trials)(r)
				for i := range r.Cells {
					for j := range r.Cells[i].Trials {
						blank(&r.Cells[i].Trials[j])
					}
				}
				checkAll(t, name, r)
				if trials == 0 {
					for _, v := range Judge(r).Verdicts {
						if v.ID != "cpu-budget" && v.Status != facts.Inconclusive {
							t.Errorf("%s is %s without a trial", v.ID, v.Status)
						}
					}
				}
			}
		}
	}
	empty := &facts.Result{Run: facts.Run{Command: "story"}}
	if err := Kept(empty, Judge(empty).Verdicts); err == nil {
		t.Error("a story of nothing keeps its promises")
	}
}

func TestJudgingRepeatsAndChangesNothing(t *testing.T) {
	r, before := story(), story()
	if !reflect.DeepEqual(Judge(r).Verdicts, Judge(r).Verdicts) || !reflect.DeepEqual(r, before) {
		t.Error("the second judgement differs, or the run was changed")
	}
}

func TestTheGatewayIsReadFromTheCells(t *testing.T) {
	for gateway, want := range map[string]Chain{"envoy": chain,
		"scg": {Gateway: "scg", Low: "nginx-1000-scg", High: "nginx-100000-scg", Other: "envoy-scg"}} {
		if got := ChainOf(labtest.Story(gateway, 1)); got != want {
			t.Errorf("%s: %+v", gateway, got)
		}
	}
	interrupted := &facts.Result{Run: facts.Run{Limit: 100, Planned: []string{"nginx-100-scg.h2.resttemplate-okhttp3"}}}
	if got := ChainOf(interrupted); got.Low != "nginx-100-scg" || got.Gateway != "scg" {
		t.Errorf("an interrupted run: %+v", got)
	}
}

func TestHeadlinesAndPromises(t *testing.T) {
	var got strings.Builder
	for _, c := range []struct {
		name string
		run  *facts.Result
	}{
		{"a story", story()}, {"three trials", story(first(3))},
		{"one trial", story(first(1), func(r *facts.Result) { r.Run.Quick = true })},
		{"no damage", story(like(chain.Incident(), chain.Cut()))},
		{"damage at the gateway alone", story(like(chain.Cut(), chain.Incident()))},
		{"a cure that fails", story(like(chain.Cures()[0].After, chain.Incident()))},
		{"without the incident", story(drop(chain.Incident()))},
		{"without cures", story(drop(chain.Cures()[0].After), drop(chain.NoRetry()))}, {"empty", &facts.Result{Run: facts.Run{Command: "story"}}},
	} {
		verdicts, kept := Judge(c.run).Verdicts, "kept"
		if err := Kept(c.run, verdicts); err != nil {
			kept = err.Error()
		}
		fmt.Fprintf(&got, "%s: %s\n  %s\n", c.name, texts.English.In(Headline(c.run, verdicts)), kept)
	}
	labtest.GoldenPart(t, "verdicts", t.Name(), got.String(), *update)
}

func TestNothingFollowsFromACellWhoseServiceLackedPorts(t *testing.T) {
	starved := edit(chain.Incident(), func(t *facts.Trial) {
		t.Service.Errors = append(t.Service.Errors, facts.Error{Class: facts.ErrClientResources, Count: 50,
			Message: "java.net.BindException: Cannot assign requested address"})
	})
	for _, v := range Judge(story(starved)).Verdicts {
		if group := RuleOf(v.ID).Group; group == core.Fault && v.Status != facts.Inconclusive {
			t.Errorf("%s is %s: %s", v.ID, v.Status, texts.English.In(v.Actual))
		}
	}
}
