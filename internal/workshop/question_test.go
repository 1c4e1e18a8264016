package workshop

import (
	"fmt"
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

// theLine is the command of theRun, in its shortest form.
const theLine = "make repro " + theKnobs

const (
	theKnobs = "LIMIT=100 CONCURRENCY=10 DURATION=1s WARMUP=300ms TRIALS=1 CPUS=0.5"
	theFlags = "--limit 100 --concurrency 10 --duration 1s --warmup 300ms --trials 1 --cpus 0.5"
)

// commanded judges a text in the section of the command.
func commanded(t *testing.T, what, line string, want State) {
	t.Helper()
	f, err := question().Verify(t.Context(), asked(t, theRun, theCommand, line))
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	finds(t, question(), what, f, want)
}

func TestExercise11TakesEveryRightCommand(t *testing.T) {
	knobs, flags := theKnobs, theFlags
	right := map[string]string{
		"as typed": theLine, "with the seed": theLine + " SEED=1", "with a runtime": theLine + " RUNTIME=native",
		"the runtime that auto chose": theLine + " RUNTIME=auto",
		"a prompt":                    "$ " + theLine, "root's prompt": "# " + theLine, "a list": "- " + theLine, "a numbered list": "1. " + theLine,
		"a block": "```sh\n" + theLine + "\n```", "a block with its output": "```\n" + theLine + "\nh2lab: repro in the native runtime\n```",
		"backticks in a sentence": "I typed `" + theLine + "`, after one with LIMIT=1000.",
		"a sentence":              "I ran " + theLine + ".", "a remark": theLine + " # not LIMIT=1000",
		"variables before": knobs + " make repro", "env": "env " + knobs + " make repro", "between make and its target": "make " + knobs + " repro",
		"make's options": "make -s --no-print-directory repro " + knobs, "another directory": "make -C .. repro " + knobs,
		"exported before":       "export LIMIT=100 CONCURRENCY=10\n" + strings.Replace(theLine, "LIMIT=100 CONCURRENCY=10 ", "", 1),
		"exported on the line":  "export LIMIT=100; " + strings.Replace(theLine, "LIMIT=100 ", "", 1),
		"lines that go on":      strings.Replace(theLine, "repro ", "repro \\\n    ", 1),
		"quotes":                `make repro "LIMIT=100" CONCURRENCY='10' DURATION="1s" WARMUP=300ms TRIALS=1 CPUS=0.5`,
		"another command after": theLine + " && make report", "its output kept": theLine + " 2>&1 | tee log",
		"flags": "h2lab repro " + flags, "a flag without a value": "bin/h2lab repro --timeline " + flags, "flags and variables": "LIMIT=100 ./bin/h2lab repro " + flags,
		"time": "time " + theLine, "other spellings": strings.NewReplacer("1s", "1000ms", "0.5", ".50").Replace(theLine),
		"a usual knob, stated": theLine + " METHOD=POST TLS=1.2 BODY=1 POOLS=1 DELAY=0 QUICK=0",
		"two commands":         "make repro LIMIT=1000\n" + theLine, "in Chinese": "命令是：`" + theLine + "`。",
	}
	if len(right) < 10 {
		t.Errorf("%d right commands", len(right))
	}
	for what, line := range right {
		commanded(t, what, line, Done)
	}
}

func TestExercise11TakesNoWrongCommand(t *testing.T) {
	knobs, flags := theKnobs, theFlags
	wrong := map[string]struct {
		line string
		want State
	}{
		"a knob left out":              {strings.Replace(theLine, "CPUS=0.5", "", 1), questionFits},
		"another value":                {strings.Replace(theLine, "LIMIT=100", "LIMIT=1000", 1), questionFits},
		"ten times the value":          {strings.Replace(theLine, "CONCURRENCY=10", "CONCURRENCY=100", 1), questionFits},
		"another unit":                 {strings.Replace(theLine, "DURATION=1s", "DURATION=1m", 1), questionFits},
		"another seed":                 {theLine + " SEED=2", questionFits},
		"another runtime":              {theLine + " RUNTIME=docker", questionFits},
		"a knob that wasn't":           {theLine + " METHOD=GET", questionFits},
		"a size that wasn't":           {theLine + " BODY=1000", questionFits},
		"a filter that wasn't":         {theLine + " TOPOLOGY=nginx-100", questionFits},
		"a distance":                   {theLine + " RTT=20ms", questionFits},
		"a rate":                       {theLine + " RATE=70%", questionFits},
		"a quick look":                 {theLine + " QUICK=1", questionFits},
		"a quick look, by flag":        {"h2lab repro --quick " + flags, questionFits},
		"another verb":                 {strings.Replace(theLine, "repro", "fixed", 1), questionFits},
		"no knob":                      {"make repro", questionFits},
		"small letters":                {strings.ToLower(strings.TrimPrefix(theLine, "make repro ")) + " make repro", questionFits},
		"knobs of the next one":        {"make repro && " + knobs + " make report", questionFits},
		"knobs in a remark":            {"make repro # " + knobs, questionFits},
		"a verb that measures nothing": {"make report " + knobs, questionCommand},
		"a verb that is none":          {"make reproduce " + knobs, questionCommand},
		"no program":                   {"repro " + knobs, questionCommand},
		"the words of a sentence":      {"make sure that repro runs", questionCommand},
		"knobs alone":                  {knobs, questionCommand},
		"another program":              {"remake repro " + knobs, questionCommand},
		"a run":                        {aRun, questionCommand},
		"nothing":                      {"", questionOpen},
		"what stood there":             {"<The line that you typed, with every knob that you turned.>", questionOpen},
	}
	if len(wrong) < 20 {
		t.Errorf("%d wrong commands", len(wrong))
	}
	for what, c := range wrong {
		commanded(t, what, c.line, c.want)
	}
}

func TestEveryKnobOfARunIsCompared(t *testing.T) {
	for _, knob := range []string{"METHOD=PUT", "BODY=1000", "POOLS=2", "DELAY=5", "TLS=1.3", "KEY=ecdsa", "RTT=20ms", "JITTER=1ms",
		"LOSS=0.5", "BANDWIDTH=100", "RATE=500", "ARRIVALS=poisson", "TOPOLOGY=nginx-100,direct", "PROTOCOL=h2", "CLIENT=go-once",
		"TIMELINE=false", "QUICK=1"} {
		run := strings.Replace(theRun, " RUNTIME=", " "+knob+" RUNTIME=", 1)
		name, value, _ := strings.Cut(knob, "=")
		if name == "KEY" {
			run = strings.Replace(run, `"key":"rsa"`, `"key":"`+value+`"`, 1)
		}
		for line, want := range map[string]State{theLine: questionFits, theLine + " " + knob: Done,
			"h2lab " + strings.TrimPrefix(theLine, "make ") + " --" + strings.ToLower(name) + "=" + value: Done,
			theLine + " " + name + "=9999": questionFits} {
			f, err := question().Verify(t.Context(), asked(t, run, theCommand, line))
			if err != nil {
				t.Fatalf("%s: %v", knob, err)
			}
			finds(t, question(), line+" for a run with "+knob, f, want)
		}
	}
	for _, verb := range verbs {
		if knobs := usualKnobs(verb); knobs["LIMIT"] == "" || knobs["METHOD"] != "POST" || knobs["RTT"] != "0s" || len(knobs) < 20 {
			t.Errorf("%s has the knobs %v", verb, knobs)
		}
	}
}

func TestExercise11TakesEveryRightTextAndNoWrongOne(t *testing.T) {
	const other = "20261121T090000Z-repro"
	for _, c := range []struct {
		what   string
		change []string
		want   State
	}{
		{"headings of another level", []string{"## ", "### "}, Done},
		{"headings in small letters", []string{"## Question", "## question", "## What follows", "## what follows"}, Done},
		{"headings with a colon", []string{"## Result", "## Result:", "## Command", "##Command"}, Done},
		{"angle brackets of its own", []string{"About a tenth:", "<A tenth, since p99 is < 10 ms and > 5 ms:>"}, Done},
		{"an answer inside the brackets", []string{"How many connections for one used one does a tenth of the requests in flight cost?",
			"<How many connections does a tenth of the requests in flight cost?>"}, Done},
		{"another heading inside a section", []string{"## Result", "### By hand\n\nNothing.\n\n## Result"}, Done},
		{"a run in a path", []string{aRun, "results/" + aRun + "/report.md"}, Done},
		{"two runs", []string{aRun + ":", other + " was interrupted, and " + aRun + ":"}, Done},
		{"the same run twice", []string{aRun + ":", aRun + " (" + aRun + "):"}, Done},
		{"Windows lines", []string{"\n", "\r\n"}, Done},
		{"a list of points", []string{"About a tenth:", "- about a tenth\n- because"}, Done},

		{"two runs that aren't there", []string{aRun, other + " and 20261121T080000Z-repro"}, questionRun},
		{"a run of another command", []string{aRun, "20261121T091500Z-fixed"}, questionRun},
		{"latest", []string{aRun, "results/latest, whose report has it"}, questionRun},
		{"a date", []string{aRun, "the run of 21 November 2026"}, questionRun},
		{"no number of the lab and no question", []string{"cost?", "cost"}, questionMark},
		{"four words", []string{"How many connections for one used one does a tenth of the requests in flight cost?", "How many are there?"}, questionOpen},
		{"a placeholder", []string{"About a tenth: only requests that wait at a renewal dial, and there are ten of them.",
			"<What do you expect, and why? Written before the run.>"}, questionOpen},
		{"a part of a placeholder", []string{"About a tenth: only requests that wait at a renewal dial, and there are ten of them.",
			"<What do you expect, and why?>"}, questionOpen},
		{"a placeholder in Chinese", []string{"About a tenth: only requests that wait at a renewal dial, and there are ten of them.",
			"<你预计会怎样？为什么？在运行之前写下来。>"}, questionOpen},
		{"no prediction", []string{"## Prediction", "## Result"}, questionOpen},
		{"no last section", []string{"## What follows", ""}, questionOpen},
	} {
		d := asked(t, theRun, append([]string{theCommand, theLine}, c.change...)...)
		f, err := question().Verify(t.Context(), d)
		if err != nil {
			t.Errorf("%s: %v", c.what, err)
			continue
		}
		finds(t, question(), c.what, f, c.want)
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
	labtest.Write(t, d.path(11, questionFile), begin)
	f, err := question().Verify(t.Context(), d)
	labtest.Check(t, err)
	finds(t, question(), "the start", f, questionOpen)
	if !strings.Contains(f.Says, fmt.Sprintf("%q", "Question")) {
		t.Errorf("%q doesn't name the first section", f.Says)
	}
}

// Files as learners wrote them from the page alone: other headings, another shell, a section that repeats another.
func TestExercise11TakesFilesWrittenBeforeTheyWereTried(t *testing.T) {
	q := "How many connections for one used one does a tenth of the requests in flight cost?"
	p := "About a tenth: only requests that wait at a renewal dial, and there are ten of them."
	f := "The stampede grows with the requests that one pool has in flight, so many small pools stampede less than one large pool."
	type file struct {
		what   string
		right  bool
		change []string
	}
	for _, c := range []file{
		{"zh headings", true, []string{"## Question", "## 问题", "## Prediction", "## 预测", "## Command", "## 命令", "## Result", "## 结果", "## What follows", "## 结论"}},
		{"bold headings", true, []string{"## Question", "**Question**"}},
		{"numbered headings", true, []string{"## Question", "## 1. Question", "## Prediction", "## 2. Prediction"}},
		{"setext", true, []string{"## Question", "Question\n--------"}},
		{"percent prompt", true, []string{theLine, "% " + theLine}},
		{"user prompt", true, []string{theLine, "anna@host:~/h2-keepalive-lab$ " + theLine}},
		{"console fence", true, []string{theLine, "```console\n" + theLine + "\n```"}},
		{"pipe", true, []string{theLine, theLine + " | tail -20"}},
		{"nice", true, []string{theLine, "nice -n 10 " + theLine}},
		{"sudo", true, []string{theLine, "sudo " + theLine}},
		{"make shell", true, []string{theLine, "make shell CMD='" + theLine + "'"}},
		{"cd first", true, []string{theLine, "cd h2-keepalive-lab && " + theLine}},
		{"make down first", true, []string{theLine, "make down\n" + theLine}},
		{"make down; ", true, []string{theLine, "make down; " + theLine}},
		{"absolute h2lab", true, []string{theLine, "/lab/bin/h2lab repro " + theFlags}},
		{"env lines", true, []string{theLine, "LIMIT=100\nexport LIMIT\n" + theLine}},
		{"zh fullwidth question", true, []string{q, "在途请求数减到十分之一时，每条用过的连接对应多少条接受的连接？"}},
		{"spanish question", true, []string{q, "¿Cuántas conexiones cuesta una décima parte de las peticiones?"}},
		{"run in backticks", true, []string{aRun, "`results/" + aRun + "/`"}},
		{"run as link", true, []string{aRun, "[report](../../results/" + aRun + "/report.md)"}},
		{"short zh follow", true, []string{f, "我猜对了，以后减小连接池"}},

		{"prediction copied as result", false, []string{p, f}},
		{"prediction = question", false, []string{p, q}},
		{"all dots", false, []string{p, ". . . . . . . ."}},
		{"lorem same word", false, []string{p, "word word word word word word"}},
		{"todo", false, []string{p, "TODO: write this section later, please, thanks"}},
		{"idk", false, []string{p, "I don't know, I have no idea at all"}},
		{"question mark only in link", false, []string{q, "See https://example.org/?q=stampede for what I would like to know here"}},
		{"a statement with ? quote", false, []string{q, "I measured how many connections one pool opens. Why not"}},
		{"several ???", false, []string{q, "? ? ? ? ? ? ?"}},
		{"result = only run", false, []string{aRun + ": its table says how many connections were accepted and how many were used.", aRun}},
		{"prediction copied zh template", false, []string{p, "你预计会怎样，为什么？在运行之前写下来。"}},
		{"copied template w/out brackets", false, []string{p, "What do you expect, and why? Written before the run."}},
		{"copied template question", false, []string{q, "What do you want to know? Something that a number of this lab can answer."}},
		{"what follows template", false, []string{f, "Were you right? What would you do about it in a system of yours?"}},
		{"command as template", false, []string{theLine, "The line that you typed, with every knob that you turned."}},
	} {
		d := asked(t, theRun, append([]string{theCommand, theLine}, c.change...)...)
		if len(c.change) == 2 && c.change[0] == theLine {
			d = asked(t, theRun, theCommand, c.change[1])
		}
		got, err := question().Verify(t.Context(), d)
		if err != nil || (got.State == Done) != c.right {
			t.Errorf("%s: right is %v, and the check finds %s: %s, %v", c.what, c.right, got.State, got.Says, err)
		}
	}
}
