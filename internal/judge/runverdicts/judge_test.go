package runverdicts

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"

	"h2lab/internal/facts"
)

// fact is a line of a rule's table: a run, what it is set beside, and what the
// rule must say.
type fact struct {
	name   string
	run    run
	base   run
	status facts.Status
	says   string // in Actual, Hint or Warnings
}

// judgeEach asks one rule about each fact and checks what every verdict owes:
// a status of ours, words, and evidence that leads to what it says.
func judgeEach(t *testing.T, id string, table []fact) {
	t.Helper()
	for _, c := range table {
		verdicts := Judge(c.run.Result, c.base.Result)
		v := find(verdicts, id)
		if v == nil {
			t.Errorf("%s: no verdict %s for %s", c.name, id, c.run.Run.Command)
			continue
		}
		text := v.Actual + " | " + v.Hint + " | " + strings.Join(v.Warnings, "; ")
		if v.Status != c.status || !strings.Contains(text, c.says) {
			t.Errorf("%s: %s, want %s with %q\n%s", c.name, v.Status, c.status, c.says, text)
		}
		checkVerdict(t, c.name, v, file(t, c.run.Result), file(t, c.base.Result))
		spokenInChinese(t, c.name, c.run.Result, c.base.Result, verdicts)
	}
}

func checkVerdict(t *testing.T, name string, v *facts.Verdict, run, base any) {
	t.Helper()
	conclusive := v.Status == facts.Reproduced || v.Status == facts.Fixed || v.Status == facts.NotReproduced
	if v.Title == "" || v.Actual == "" || v.Reference == "" || v.Hint == "" || conclusive && (v.Expected == "" || len(v.Evidence) == 0) {
		t.Errorf("%s: %s says too little: %+v", name, v.ID, v)
	}
	if strings.Contains(v.Actual+v.Hint+v.Expected, "%!") || strings.Contains(v.Actual, "NaN") || strings.Contains(v.Actual, "Inf") {
		t.Errorf("%s: %s is badly written: %s | %s | %s", name, v.ID, v.Expected, v.Actual, v.Hint)
	}
	if v.Evidence == nil || v.Warnings == nil {
		t.Errorf("%s: %s has a null where the file has an array", name, v.ID)
	}
	for _, e := range v.Evidence {
		in, pointer := run, e.Pointer
		if rest, ok := strings.CutPrefix(pointer, "baseline#"); ok {
			in, pointer = base, rest
		}
		if got := follow(t, in, pointer); !reflect.DeepEqual(got, e.Value) {
			t.Errorf("%s: %s has %v at %s, where the file has %v", name, v.ID, e.Value, e.Pointer, got)
		}
	}
}

func TestEveryRuleIsAFileWithANameAndAReason(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range Rules() {
		if seen[r.ID] {
			t.Errorf("two rules are called %s", r.ID)
		}
		seen[r.ID] = true
		if r.Title == "" || r.Reference == "" || r.Care == "" || len(r.Commands) == 0 {
			t.Errorf("%s lacks a title, a reference, a reason or a command", r.ID)
		}
		name := r.ID
		for _, topology := range []string{"-" + highLimit, "-envoy"} {
			if rest, ok := strings.CutSuffix(name, topology); ok {
				name = rest + "-gone"
			}
		}
		if _, err := os.Stat("rule_" + strings.ReplaceAll(name, "-", "_") + ".go"); err != nil {
			t.Errorf("%s: %v", r.ID, err)
		}
	}
}

func TestEveryPromiseIsARuleOfItsCommand(t *testing.T) {
	for command, list := range promises {
		for _, p := range list {
			ok := false
			for _, r := range Rules() {
				ok = ok || r.ID == p.rule && strings.Contains(strings.Join(r.Commands, " "), command)
			}
			if !ok {
				t.Errorf("%s promises %s, which isn't asked", command, p.rule)
			}
		}
	}
}

// Whatever is missing, a verdict is given, and it resolves.
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
				r, base := aRepro(), aRepro()
				if command == fixed {
					r = aFixed()
				} else if command == matrix {
					r.Cells = append(r.Cells, aFixed().Cells...)
				}
				r.Run.Command = command
				for i := range r.Cells {
					r.Cells[i].Trials = r.Cells[i].Trials[:trials]
					eachTrial(blank)(&r.Cells[i])
				}
				for _, baseline := range []*facts.Result{base.Result, nil, r.Result} {
					verdicts := Judge(r.Result, baseline)
					runFile, baseFile := file(t, r.Result), file(t, baseline)
					for i := range verdicts {
						checkVerdict(t, name+" "+command, &verdicts[i], runFile, baseFile)
						if trials == 0 && baseline == nil && verdicts[i].ID != "cpu-budget" && verdicts[i].Status != facts.Inconclusive {
							t.Errorf("%s: %s is %s without a trial", command, verdicts[i].ID, verdicts[i].Status)
						}
					}
					if trials < 6 { // whole runs are spoken of by the tables of the rules
						spokenInChinese(t, name+" "+command, r.Result, baseline, verdicts)
					}
					if h := Headline(r.Result, baseline, verdicts); len(h) < 20 || !strings.HasSuffix(h, ".") || strings.Contains(h, "%!") {
						t.Errorf("%s %s: headline %q", name, command, h)
					}
					if _, err := json.Marshal(verdicts); err != nil {
						t.Errorf("%s %s: %v", name, command, err)
					}
				}
			}
		}
	}
}

func TestJudgingChangesNothingAndRepeats(t *testing.T) {
	r := aRepro()
	before, err := json.Marshal(r.Result)
	if err != nil {
		t.Fatal(err)
	}
	first, second := Judge(r.Result, nil), Judge(r.Result, nil)
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
		verdicts := Judge(r, nil)
		Headline(r, nil, verdicts)
		if err := Kept(command, verdicts); (err == nil) != (command == matrix || command == "bench") {
			t.Errorf("%s of nothing is kept: %v", command, err)
		}
	}
}
