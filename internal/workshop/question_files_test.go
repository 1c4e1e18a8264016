package workshop

import "testing"

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
