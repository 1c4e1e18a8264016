package workshop

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/base/texts"
)

// giveaways are words that no hint may contain: the answer, or the command that shows it.
var giveaways = []string{
	"h2lab ", "curl", "make check", "make repro", "make up", "bin/", "--", "`", "stub_status", "awk", "accepts",
	"keepalive_requests", "max_requests_per_connection", "maxconnsperhost", "getbody", "asyncrequest", "promise.all",
	"177", "179", "2147483647", "health locations", "in this front's name", "whatever the method", "20000", "full_ms", "above 1", "rebalanc", "flood",
}

func TestHintsDifferAndGiveNothingAway(t *testing.T) {
	for _, e := range Exercises {
		if len(e.Hints()) < 4 {
			t.Errorf("exercise %d has hints for %d states", e.Number, len(e.Hints()))
		}
		lines := solutionLines(t, e)
		for state, hints := range e.Hints() {
			for i, hint := range append(hints.En[:], hints.Zh[:]...) {
				where := fmt.Sprintf("exercise %d, %s, hint %d", e.Number, state, i+1)
				if len(hint) < 20 || strings.HasSuffix(hint, ".") || strings.HasSuffix(hint, "。") {
					t.Errorf("%s: %q is no hint, or ends with a full stop, which is added", where, hint)
				}
				if i < 3 && hint == hints.En[(i+1)%3] {
					t.Errorf("%s is the same as another", where)
				}
				for _, word := range append(lines, giveaways...) {
					if strings.Contains(strings.ToLower(hint), word) {
						t.Errorf("%s gives %q away", where, word)
					}
				}
			}
		}
	}
}

// solutionLines returns the lines of a solution that the learner has to find, and the answers'
// values that aren't everyday words.
func solutionLines(t *testing.T, e Exercise) []string {
	t.Helper()
	root := labtest.Root(t)
	var out []string
	for _, name := range e.Files {
		in := fmt.Sprintf("%02d/%s", e.Number, name)
		begin := labtest.Read(t, filepath.Join(root, start, in))
		for line := range strings.Lines(labtest.Read(t, filepath.Join(root, "docs/workshop/solutions", in))) {
			line = strings.ToLower(strings.TrimSpace(line))
			if len(line) > 5 && !strings.HasPrefix(line, "#") && !strings.Contains(strings.ToLower(begin), line) {
				out = append(out, line)
			}
		}
	}
	if len(out) == 0 {
		t.Errorf("exercise %d: the solution is what the exercise begins with", e.Number)
	}
	return out
}

func TestEveryExerciseHasAStartASolutionAndItsNumber(t *testing.T) {
	root := labtest.Root(t)
	for i, e := range Exercises {
		if e.Number != i+1 || e.Check == nil || len(e.Files) == 0 {
			t.Errorf("exercise %d stands at place %d", e.Number, i+1)
		}
		for _, place := range []string{start, "docs/workshop/solutions"} {
			var there []string
			found, _ := os.ReadDir(filepath.Join(root, place, fmt.Sprintf("%02d", e.Number)))
			for _, f := range found {
				there = append(there, f.Name())
			}
			if fmt.Sprint(there) != fmt.Sprint(e.Files) {
				t.Errorf("%s/%02d has %v, exercise %d has %v", place, e.Number, there, e.Number, e.Files)
			}
		}
	}
	if _, err := Find(0); err == nil {
		t.Error("there is an exercise 0")
	}
	if _, err := Find(len(Exercises) + 1); err == nil || !strings.Contains(err.Error(), "1 to 11") {
		t.Errorf("one beyond the last: %v", err)
	}
}

func TestAHintFitsWhatWasFound(t *testing.T) {
	e := Exercises[4]
	for strength := 1; strength <= 3; strength++ {
		for l, want := range map[texts.Language]string{texts.English: e.Hints()["many-dials"].En[strength-1],
			texts.Chinese: e.Hints()["many-dials"].Zh[strength-1]} {
			hint, err := e.Hint(Finding{State: "many-dials"}, strength, l)
			if err != nil || strings.TrimRight(hint, ".。") != want {
				t.Errorf("hint %d is %q, %v", strength, hint, err)
			}
		}
	}
	if _, err := e.Hint(Finding{State: "many-dials"}, 4, texts.English); err == nil {
		t.Error("there is a hint 4")
	}
	if hint, err := e.Hint(Finding{State: Done}, 3, texts.English); err != nil || !strings.Contains(hint, "nothing left") {
		t.Errorf("when it is done: %q, %v", hint, err)
	}
}
