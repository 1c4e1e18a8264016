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
		v := r.Verdict(core.Gather(&facts.Result{}), runFacts{core.Gather(&facts.Result{})}.answer(r.Of, r.Cured))
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
