package workshop

import (
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
		labtest.Write(t, to, text)
	}
	return &Desk{Root: root}
}

const theRun = `{"run":{"command":"repro","repeat":"make repro SEED=1 LIMIT=100 CONCURRENCY=10 DURATION=1s ` +
	`WARMUP=300ms TRIALS=1 CPUS=0.5 RUNTIME=native",` +
	`"finished":"2026-11-21T09:16:00Z","limit":100,"concurrency":10,` +
	`"duration_s":1,"warmup_s":0.3,"trials":1,"cpus":0.5,"key":"rsa"}}`

const theCommand = "make repro LIMIT=100 CONCURRENCY=10 DURATION=1s WARMUP=300ms TRIALS=1 RUNTIME=native SEED=1"

// theLine is the command of theRun, in its shortest form.
const (
	theLine  = "make repro " + theKnobs
	theKnobs = "LIMIT=100 CONCURRENCY=10 DURATION=1s WARMUP=300ms TRIALS=1 CPUS=0.5"
	theFlags = "--limit 100 --concurrency=10 --duration 1s --warmup 300ms --trials 1 --cpus 0.5"
)

func TestExercise11TakesEveryRightCommandAndNoWrongOne(t *testing.T) {
	for _, c := range []struct {
		what, line string
		want       State
	}{
		{"as typed", theLine, Done},
		{"with the seed and the runtime", theLine + " SEED=1 RUNTIME=native", Done},
		{"the runtime that auto chose", theLine + " RUNTIME=auto", Done},
		{"a prompt", "$ " + theLine, Done},
		{"a list", "- " + theLine, Done},
		{"a block with its output", "```sh\n" + theLine + "\nh2lab: repro in the native runtime\n```", Done},
		{"in backticks", "`" + theLine + "`", Done},
		{"variables before", theKnobs + " make repro", Done},
		{"make's options", "make -C .. -s " + theKnobs + " repro", Done},
		{"lines that go on", strings.Replace(theLine, "repro ", "repro \\\n    ", 1), Done},
		{"flags", "bin/h2lab repro " + theFlags, Done},
		{"other spellings", strings.NewReplacer("1s", "1000ms", "0.5", ".50").Replace(theLine), Done},

		{"a knob left out", strings.Replace(theLine, "CPUS=0.5", "", 1), "another-run"},
		{"another value", strings.Replace(theLine, "LIMIT=100", "LIMIT=1000", 1), "another-run"},
		{"another unit", strings.Replace(theLine, "DURATION=1s", "DURATION=1m", 1), "another-run"},
		{"another seed", theLine + " SEED=2", "another-run"},
		{"another runtime", theLine + " RUNTIME=docker", "another-run"},
		{"a knob that wasn't", theLine + " METHOD=GET", "another-run"},
		{"a quick look, by flag", "h2lab repro --quick " + theFlags, "another-run"},
		{"another verb", strings.Replace(theLine, "repro", "fixed", 1), "another-run"},
		{"no knob", "make repro", "another-run"},
		{"a verb that measures nothing", "make report " + theKnobs, "no-command"},
		{"no program", "repro " + theKnobs, "no-command"},
		{"another program", "remake repro " + theKnobs, "no-command"},
		{"a run", aRun, "no-command"},
		{"nothing", "", "open"},
		{"what stood there", "<The line that you typed, with every knob that you turned.>", "open"},
	} {
		f, err := Exercises[10].Verify(t.Context(), asked(t, theRun, theCommand, c.line))
		labtest.Check(t, err)
		finds(t, Exercises[10], c.what, f, c.want)
	}
}

func TestEveryKnobOfARunIsCompared(t *testing.T) {
	for _, knob := range []string{"METHOD=PUT", "POOLS=2", "TLS=1.3", "KEY=ecdsa", "RTT=20ms", "TOPOLOGY=nginx-100,direct",
		"CLIENT=go-once", "TIMELINE=false", "QUICK=1"} {
		run := strings.Replace(theRun, " RUNTIME=", " "+knob+" RUNTIME=", 1)
		name, value, _ := strings.Cut(knob, "=")
		for line, want := range map[string]State{theLine: "another-run", theLine + " " + knob: Done,
			"h2lab " + strings.TrimPrefix(theLine, "make ") + " --" + strings.ToLower(name) + "=" + value: Done,
			theLine + " " + name + "=9999": "another-run"} {
			f, err := Exercises[10].Verify(t.Context(), asked(t, run, theCommand, line))
			labtest.Check(t, err)
			finds(t, Exercises[10], line+" for a run with "+knob, f, want)
		}
	}
}

func TestExercise11TakesEveryRightTextAndNoWrongOne(t *testing.T) {
	const (
		other      = "20261121T090000Z-repro"
		question   = "How many connections for one used one does a tenth of the requests in flight cost?"
		prediction = "About a tenth: only requests that wait at a renewal dial, and there are ten of them."
	)
	for _, c := range []struct {
		what   string
		run    string
		change []string
		want   State
	}{
		{"as it is", theRun, nil, Done},
		{"headings of another level and case", theRun, []string{"## Q", "### q", "## What follows", "## what follows:"}, Done},
		{"angle brackets of its own", theRun, []string{"About a tenth:", "A tenth, since p99 is < 10 ms and > 5 ms:"}, Done},
		{"a run in a path", theRun, []string{aRun, "results/" + aRun + "/report.md"}, Done},
		{"two runs", theRun, []string{aRun + ":", other + " was interrupted, and " + aRun + ":"}, Done},
		{"Windows lines", theRun, []string{"\n", "\r\n"}, Done},
		{"in Chinese", theRun, []string{question, "在途请求减到十分之一，接受的连接会减少多少？", prediction,
			"大约减到十分之一，因为只有等待的请求才会建立连接。"}, Done},

		{"no question mark", theRun, []string{"cost?", "cost"}, "no-question"},
		{"a run that isn't there", theRun, []string{aRun, other}, "no-run"},
		{"no run", theRun, []string{aRun, "the table of the report"}, "no-run"},
		{"out of the results", theRun, []string{aRun, "../../etc/passwd and some words"}, "no-run"},
		{"interrupted", strings.Replace(theRun, `"limit"`, `"interrupted":true,"limit"`, 1), nil, "unfinished"},
		{"not finished", strings.Replace(theRun, `"finished":"2026-11-21T09:16:00Z",`, "", 1), nil, "unfinished"},
		{"four words", theRun, []string{question, "How many are there?"}, "open"},
		{"all dots", theRun, []string{prediction, ". . . . . . . ."}, "open"},
		{"a placeholder", theRun, []string{prediction, "<What do you expect, and why? Written before the run.>"}, "open"},
		{"a section in a remark", theRun, []string{"The stampede grows", "<!-- The stampede grows", "large pool.", "-->"}, "open"},
		{"a heading taken out", theRun, []string{"## Prediction\n", ""}, "open"},
	} {
		f, err := Exercises[10].Verify(t.Context(), asked(t, c.run, append([]string{theCommand, theLine}, c.change...)...))
		labtest.Check(t, err)
		finds(t, Exercises[10], c.what, f, c.want)
	}
	for _, run := range []string{"", "[]", "{", "null\x00"} {
		if f, err := Exercises[10].Verify(t.Context(), asked(t, run)); err == nil || !strings.Contains(err.Error(), aRun) {
			t.Errorf("%q: %v, %v", run, f, err)
		}
	}
}

func TestTheStartIsNotYetAnAnswer(t *testing.T) {
	d := asked(t, theRun)
	labtest.Write(t, d.path(11, questionFile), labtest.Read(t, filepath.Join(labtest.Root(t), start, "11", questionFile)))
	f, err := Exercises[10].Verify(t.Context(), d)
	labtest.Check(t, err)
	finds(t, Exercises[10], "the start", f, "open")
	if !strings.Contains(says(f), `"Question"`) {
		t.Errorf("%q doesn't name the first section", says(f))
	}
}
