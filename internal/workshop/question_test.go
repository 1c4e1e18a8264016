package workshop

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
)

const aRun = "20261121T091500Z-repro"

// asked makes a project with a learner's question and a run.
func asked(t *testing.T, run string, change ...string) *Desk {
	t.Helper()
	root := t.TempDir()
	text := strings.NewReplacer("20260101T000000Z-repro",
		aRun).Replace(labtest.Read(t, filepath.Join(labtest.Root(t), "docs/workshop/solutions/11", questionFile)))
	text = strings.NewReplacer(change...).Replace(text)
	for name, text := range map[string]string{"workshop/11/" + questionFile: text,
		"results/" + aRun + "/results.json": run} {
		to := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return &Desk{Root: root}
}

const theRun = `{"run":{"command":"repro","repeat":"make repro SEED=1 LIMIT=100 CONCURRENCY=10 DURATION=1s ` +
	`WARMUP=300ms TRIALS=1 CPUS=0.5 RUNTIME=native",` +
	`"finished":"2026-11-21T09:16:00Z","limit":100,"concurrency":10,` +
	`"duration_s":1,"warmup_s":0.3,"trials":1,"cpus":0.5,"key":"rsa"}}`

const theCommand = "make repro LIMIT=100 CONCURRENCY=10 DURATION=1s WARMUP=300ms TRIALS=1 RUNTIME=native SEED=1"

func TestAQuestionIsHeldAgainstItsRun(t *testing.T) {
	e := question()
	withCPUs := theCommand + " CPUS=0.5"
	for _, c := range []struct {
		what, run string
		change    []string
		want      State
		says      string
	}{
		{"all there", theRun, []string{theCommand, withCPUs}, Done, aRun},
		{"other spellings", theRun,
			[]string{theCommand,
				"LIMIT=100 CPUS=.5 make repro CONCURRENCY=10 DURATION=1000ms WARMUP=0.3s TRIALS=1 SEED=1"}, Done, ""},
		{"the binary, with flags", theRun,
			[]string{theCommand, "bin/h2lab repro --limit 100 --concurrency=10 --duration 1s --warmup 300ms --trials " +
				"1 --cpus 0.5"}, Done, ""},
		{"in Chinese", theRun, []string{theCommand, withCPUs,
			"How many connections for one used one does a tenth of the requests in flight cost?", "在途请求减到十分之一，接受的连接会减少多少？",
			"About a tenth: only requests that wait at a renewal dial, and there are ten of them.", "大约减到十分之一，因为只有等待的请求才会建立连接。"},
			Done, ""},
		{"a Chinese question without a question mark", theRun, []string{theCommand, withCPUs,
			"How many connections for one used one does a tenth of the requests in flight cost?", "在途请求减到十分之一，接受的连接会减少"},
			questionMark, ""},
		{"a knob left out", theRun, nil, questionFits, "CPUS=0.5"},
		{"another value", theRun, []string{theCommand, strings.Replace(withCPUs, "LIMIT=100", "LIMIT=1000", 1)},
			questionFits, "LIMIT=100"},
		{"another verb", theRun, []string{"make repro", "make fixed"}, questionFits, "is a fixed"},
		{"another seed", theRun, []string{theCommand, strings.Replace(withCPUs, "SEED=1", "SEED=2", 1)}, questionFits,
			"SEED=1"},
		{"a verb that measures nothing", theRun, []string{"make repro", "make report"}, questionCommand, ""},
		{"no command", theRun, []string{theCommand, "I pressed some keys on it"}, questionCommand, ""},
		{"a run that isn't there", theRun, []string{aRun, "20250101T000000Z-repro"}, questionRun,
			"20250101T000000Z-repro"},
		{"no run", theRun, []string{aRun, "the table of the report"}, questionRun, ""},
		{"out of the results", theRun, []string{aRun, "../../etc/passwd and some words"}, questionRun, ""},
		{"interrupted", strings.Replace(theRun, `"limit"`, `"interrupted":true,"limit"`, 1),
			[]string{theCommand, withCPUs}, questionEnd, ""},
		{"not finished", strings.Replace(theRun, `"finished":"2026-11-21T09:16:00Z",`, "", 1),
			[]string{theCommand, withCPUs}, questionEnd, ""},
		{"no question", theRun, []string{"cost?", "cost."}, questionMark, ""},
		{"a section left as it was", theRun,
			[]string{"About a tenth: only requests that wait at a renewal dial, and there are ten of them.",
				"<What do you expect, and why?>"}, questionOpen, "Prediction"},
		{"a section in a remark", theRun,
			[]string{"The stampede grows", "<!-- The stampede grows", "large pool.", "-->"}, questionOpen,
			"What follows"},
		{"a heading taken out", theRun, []string{"## Prediction\n", ""}, questionOpen, "Prediction"},
	} {
		f, err := e.Verify(t.Context(), asked(t, c.run, c.change...))
		if err != nil {
			t.Errorf("%s: %v", c.what, err)
			continue
		}
		finds(t, e, c.what, f, c.want)
		if !strings.Contains(f.Says, c.says) {
			t.Errorf("%s: %q doesn't say %q", c.what, f.Says, c.says)
		}
	}
}

func TestAGarbledRunIsAnError(t *testing.T) {
	for _, run := range []string{"", "[]", "{", "null\x00"} {
		if f, err := question().Verify(t.Context(), asked(t, run)); err == nil || !strings.Contains(err.Error(), aRun) {
			t.Errorf("%q: %v, %v", run, f, err)
		}
	}
}

func TestTheStartIsNotYetAnAnswer(t *testing.T) {
	d := asked(t, theRun)
	begin := labtest.Read(t, filepath.Join(labtest.Root(t), start, "11", questionFile))
	if err := os.WriteFile(d.path(11, questionFile), []byte(begin), 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := question().Verify(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	finds(t, question(), "the start", f, questionOpen)
	if !strings.Contains(f.Says, fmt.Sprintf("%q", "Question")) {
		t.Errorf("%q doesn't name the first section", f.Says)
	}
}
