package runreport

import (
	"bytes"
	"errors"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/report/parts"
	"h2lab/internal/report/translations"
)

var update = flag.Bool("update", false, "accept what is written now as the golden files")

func build(t *testing.T, in Input) (map[string][]byte, string) {
	t.Helper()
	files, err := Build(in)
	labtest.Check(t, err)
	return files, string(files["report.md"])
}

func TestReportsLookAsTheGoldenFilesDo(t *testing.T) {
	for name, in := range map[string]Input{
		"repro":  input(repro(6)),
		"fixed":  input(fixed(6)),
		"matrix": input(matrix(6)),
		"quick":  input(quick()),
		"open":   input(atRate("fixed", 6)),
		"merged": input(withHistograms(repro(6))),
	} {
		t.Run(name, func(t *testing.T) {
			files, _ := build(t, in)
			files["short.txt"] = []byte(Short(in, false))
			labtest.GoldenPages(t, name, files, *update)
		})
	}
}

// quick is an interrupted run with one trial, one cell without any, one missing cell and no
// timelines.
func quick() *facts.Result {
	r := repro(1)
	r.Run.Quick, r.Run.Interrupted, r.Run.Observed = true, true, false
	r.Run.DurationS, r.Run.Limit, r.Run.CPUs = 3, 1000, nil
	r.Run.Warnings = []facts.Text{facts.T("verdict.recorded", "no processor budget could be set: the kernel's cgroups aren't writable")}
	for i := range r.Cells {
		for j := range r.Cells[i].Trials {
			r.Cells[i].Trials[j].Series = ""
		}
	}
	last := &r.Cells[len(r.Cells)-1]
	last.Trials = nil
	r.Cells = r.Cells[:len(r.Cells)-1]
	r.Cells[len(r.Cells)-1].Trials = nil
	r.Renewals = nil
	return r
}

func TestTheSameResultGivesTheSameBytes(t *testing.T) {
	first, _ := build(t, input(fixed(6)))
	for range 3 {
		again, _ := build(t, input(fixed(6)))
		if !maps.EqualFunc(first, again, bytes.Equal) {
			t.Fatal("the same input gave different bytes")
		}
	}
}

var headRow = regexp.MustCompile(`(?m)^\| Topology \|.*$`)

func TestEveryColumnOfTheTablesIsExplained(t *testing.T) {
	_, md := build(t, input(fixed(6)))
	glossary := md[strings.Index(md, "## Columns"):]
	heads := headRow.FindAllString(md[:len(md)-len(glossary)], -1)
	if len(heads) != 2 {
		t.Fatalf("%d tables with a topology found, expected two", len(heads))
	}
	for _, head := range heads {
		for _, column := range strings.Split(strings.Trim(head, "| "), " | ") {
			if n := strings.Count(glossary, "\n| "+column+" | "); n != 1 {
				t.Errorf("column %q has %d rows in the glossary", column, n)
			}
		}
	}
	for _, c := range explained(fixed(6)) {
		if len(translations.English.Say(c.meaning)) < 20 {
			t.Errorf("column %q is hardly explained: %q", c.head, c.meaning)
		}
	}
}

func TestEveryTableRowHasAsManyCellsAsItsHead(t *testing.T) {
	r := repro(6)
	r.Cells[3].Trials[0].Errors = []facts.Error{{Class: "od|d", Count: 3, Message: "a | b\n# c `d` <script> *e*"}}
	r.Environment.Versions["nginx"] = "1.22.1\n| x |"
	for _, in := range []Input{input(r), input(matrix(6)), input(quick())} {
		_, md := build(t, in)
		labtest.WholeTables(t, in.Result.Run.Command, md)
		if strings.Contains(md, "<script>") && !strings.Contains(md, "`<script>") && !strings.Contains(md, "`a") {
			t.Error("markup from a message got into the page")
		}
	}
}

func TestWhatIsNotKnownIsADashAndNever0(t *testing.T) {
	one := repro(1)
	c := &one.Cells[3]
	c.Trials[0] = facts.Trial{Index: 1}
	for name, in := range map[string]Input{
		"empty":    {Result: &facts.Result{}},
		"no cells": {Result: &facts.Result{Run: facts.Run{Command: "repro", Trials: 6}}, Verdicts: []facts.Verdict{{}}},
		"nil everywhere": {Result: &facts.Result{Run: facts.Run{Command: "fixed", Trials: 1},
			Cells: []facts.Cell{{Topology: "nginx-1000", Protocol: facts.H2, Client: facts.GoOnce,
				Trials: []facts.Trial{{}}}, {}}, Renewals: []facts.Renewal{{}}}},
		"unreadable series": {Result: repro(2),
			Series: func(string) (facts.Series, error) { return facts.Series{}, errors.New("gone") }},
		"empty series": {Result: repro(2),
			Series: func(string) (facts.Series, error) { return facts.Series{}, nil }},
		"one bare trial": {Result: one},
	} {
		t.Run(name, func(t *testing.T) {
			_, md := build(t, in)
			labtest.Unmeant(t, name, md+Short(in, false))
		})
	}
	_, md := build(t, Input{Result: one})
	_, took, _ := strings.Cut(md, "### Cost")
	row := regexp.MustCompile("(?m)^\\| `nginx-1000` .*h2 \\|.*$").FindString(took)
	if strings.Count(row, dash) < 5 || strings.Contains(row, " 0 ") {
		t.Errorf("a cell without numbers reads %q", row)
	}
}

func TestNoResultIsAnError(t *testing.T) {
	if _, err := Build(Input{}); err == nil || !strings.Contains(err.Error(), "make repro") {
		t.Errorf("got %v", err)
	}
}

func TestCaveatsAreSaidAloud(t *testing.T) {
	for name, c := range map[string]struct {
		in   Input
		want []string
	}{
		"interrupted, quick, gaps": {input(quick()),
			[]string{"was interrupted", "no statistics", "has 0 of 1 trial", "was planned and is missing",
				"cgroups aren't writable", "recorded no timeline"}},
		"few trials":            {input(repro(3)), []string{"Too few trials for statistics: 3 trials"}},
		"unsupported":           {input(matrix(1)), []string{"Unsupported here", "needs nginx 1.29.4"}},
		"outliers and warnings": {input(repro(6)), []string{"in trial 2: the generator used 97 %"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, md := build(t, c.in)
			for _, w := range c.want {
				if !strings.Contains(md, w) {
					t.Errorf("%q is not in the report", w)
				}
			}
		})
	}
}

func TestEveryNoteThatIsReferredToIsThere(t *testing.T) {
	for _, in := range []Input{input(repro(2)), input(matrix(6)), input(quick())} {
		_, md := build(t, in)
		refs := regexp.MustCompile(`\(#(note-\d+)\)`).FindAllStringSubmatch(md, -1)
		if len(refs) == 0 {
			t.Fatal("no note is referred to")
		}
		for _, r := range refs {
			if strings.Count(md, `<a id="`+r[1]+`">`) != 1 {
				t.Errorf("%s is referred to and not there once", r[1])
			}
		}
	}
}

func TestEveryPictureIsThereInBothVersions(t *testing.T) {
	files, md := build(t, input(fixed(6)))
	names := regexp.MustCompile(`charts/[a-z-]+\.svg`).FindAllString(md, -1)
	if len(names) != 8 || len(files) != 9 {
		t.Fatalf("%d pictures named, %d files made", len(names), len(files))
	}
	for _, n := range names {
		if files[n] == nil {
			t.Errorf("%s is shown and not there", n)
		}
	}
}

func TestTheTerminalsVersionFitsASmallWindow(t *testing.T) {
	for _, in := range []Input{input(repro(6)), input(fixed(6)), input(matrix(6)), input(quick()),
		{Result: &facts.Result{}}} {
		labtest.FitsTerminal(t, Short(in, false), Short(in, true))
	}
}

// pair is a report in the two languages.
type pair struct{ en, zh string }

// pairs are invented runs of every kind, and the recorded ones.
func pairs(t *testing.T) map[string]pair {
	t.Helper()
	out := map[string]pair{}
	other := repro(6)
	other.Run.Concurrency, other.Run.Limit, other.Run.CPUs = 50, 100, nil
	unrecorded := &facts.Result{Run: facts.Run{Command: "fixed", Trials: 1}, Cells: []facts.Cell{{}},
		Renewals: []facts.Renewal{{}}}
	for name, in := range map[string]Input{
		"repro": input(repro(6)), "fixed": input(fixed(6)), "matrix": input(matrix(6)), "quick": input(quick()),
		"few": input(repro(3)), "strained": input(strained()), "alone": input(fixed(2)), "empty": input(unrecorded),
		"low": input(other), "open": input(atRate("fixed", 6)), "merged": input(withHistograms(repro(6))), "no verdicts": {Result: repro(2)},
	} {
		drawn, en := build(t, in)
		in.Language = translations.Chinese
		files, err := Build(in)
		if err != nil {
			t.Fatal(err)
		}
		labtest.SameCharts(t, name, in.Result, drawn, files)
		out[name] = pair{en, string(files["report.zh.md"])}
	}
	recorded, _ := filepath.Glob("../../../testdata/recorded/*/report.zh.md")
	if len(recorded) < 3 {
		t.Fatalf("recorded reports in Chinese: %q, want three at least", recorded)
	}
	for _, zh := range recorded {
		out[zh] = pair{content(t, filepath.Join(filepath.Dir(zh), "report.md")), content(t, zh)}
	}
	return out
}

func content(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestBothLanguagesSayTheSame(t *testing.T) {
	for name, p := range pairs(t) {
		labtest.SameReport(t, name, p.en, p.zh)
	}
}

func TestTextsOfBothLanguagesHoldTheSame(t *testing.T) { labtest.SameTexts(t) }

func TestChineseIsWrappedByColumns(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  []string
	}{
		{"one two three", 7, []string{"one two", "three"}},
		{"连接用完，就发 GOAWAY。", 8, []string{"连接用", "完，就发", "GOAWAY。"}},
		{"流（RFC 9113）", 6, []string{"流", "（RFC", "9113）"}},
	} {
		if got := text.Wrap(c.text, c.width); !slices.Equal(got, c.want) {
			t.Errorf("%q in %d columns is %q, want %q", c.text, c.width, got, c.want)
		}
	}
}

// strained is a run on a busy machine, whose servers had no budget and whose limits weren't probed.
func strained() *facts.Result {
	r := fixed(6)
	r.Run.Warnings = []facts.Text{facts.T("verdict.recorded", "no processor budget could be set: the kernel's cgroups aren't writable")}
	for i := range r.Environment.Servers {
		r.Environment.Servers[i].CPUs = nil
	}
	for i := range r.Cells {
		r.Cells[i].Limit = facts.Limit{}
		for j := range r.Cells[i].Trials {
			r.Cells[i].Trials[j].CPU.Other = new(4.0)
		}
	}
	return r
}

// unwrapped is a text without its line breaks.
func unwrapped(s string) string { return strings.Join(strings.Fields(s), " ") }

func TestTerminalAndReportShowTheSameWarnings(t *testing.T) {
	for name, c := range map[string]struct {
		r    *facts.Result
		want []string
	}{
		"strained": {strained(), []string{"no processor budget could be set",
			"cpu-budget: CPUS=0.5 was requested; unlimited",
			"machine-trust: 12 of 12 cells were strained", "limit-in-effect: not probed"}},
		"quick": {quick(), []string{"was interrupted", "a quick run without statistics",
			"2 of 8 planned cells are incomplete: nginx-1000.h1.go-once has 0 of 1 trial, " +
				"nginx-1000.h2.go-once was planned"}},
		"few trials":  {repro(3), []string{"Too few trials for statistics: 3 trials of each cell"}},
		"unsupported": {matrix(6), []string{"nginx-1000-h2-upstream can't run here: needs nginx 1.29.4"}},
		"at ease":     {repro(6), nil},
	} {
		t.Run(name, func(t *testing.T) {
			in := input(c.r)
			list := newPage(in).Warnings()
			_, md := build(t, in)
			top, _, _ := strings.Cut(md, "\n## ")
			for _, w := range c.want {
				if !slices.ContainsFunc(list, func(s string) bool { return strings.Contains(s, w) }) {
					t.Errorf("no warning says %q: %q", w, list)
				}
			}
			short := Short(in, false)
			for _, w := range list {
				if !strings.Contains(top, "\n- "+escape(w)+"\n") && !strings.HasSuffix(top, "\n- "+escape(w)) {
					t.Errorf("the report's beginning lacks %q:\n%s", w, top)
				}
				if !strings.Contains(unwrapped(short), "- "+w) {
					t.Errorf("the terminal lacks %q:\n%s", w, short)
				}
			}
			if n := strings.Count(top, "\n- "); n != len(list) {
				t.Errorf("the report shows %d warnings, the list has %d", n, len(list))
			}
			if n := strings.Count(short, "\n- "); n != len(list) {
				t.Errorf("the terminal shows %d warnings, the list has %d", n, len(list))
			}
		})
	}
}

// The list of a long run that was stopped early names some cells and counts the rest.
func TestManyIncompleteCellsAreOneWarning(t *testing.T) {
	r := matrix(6)
	for i := range r.Cells {
		r.Cells[i].Trials = nil
	}
	list := newPage(input(r)).Warnings()
	found := slices.ContainsFunc(list, func(w string) bool {
		return strings.HasPrefix(w, "60 of 70 planned cells are incomplete: "+
			"direct.h1.k6-shared-pool has 0 of 6 trials, ") &&
			strings.HasSuffix(w, ", 58 more")
	})
	if !found || len(list) > 6 {
		t.Errorf("%d warnings: %q", len(list), list)
	}
}

func TestReportOpensWithItsHeadlineAndThePictureOfIt(t *testing.T) {
	for language, verdicts := range map[translations.Language]string{translations.English: "\n## Verdicts",
		translations.Chinese: "\n## 判定"} {
		in := input(strained())
		in.Language = language
		files, err := Build(in)
		if err != nil {
			t.Fatal(err)
		}
		md := string(files[Name(language)])
		blocks := strings.Split(md, "\n\n")
		if !strings.HasPrefix(blocks[0], "# ") || !strings.HasPrefix(blocks[1], "> **") ||
			!strings.HasPrefix(blocks[2], "<picture>") {
			t.Errorf("%s begins with\n%s\n%s\n%s", language, blocks[0], blocks[1], blocks[2])
		}
		if n := strings.Count(md, "charts/"+parts.ChartName(language, "connections")+"-light.svg"); n != 1 {
			t.Errorf("%s shows the first picture %d times", language, n)
		}
		if strings.Index(md, "strained") > strings.Index(md, verdicts) {
			t.Errorf("%s: the warnings stand below the verdicts", language)
		}
	}
	empty := Input{Result: &facts.Result{Run: facts.Run{Command: "repro", Trials: 6}}}
	if _, md := build(t, empty); strings.Contains(md, "<picture>") {
		t.Error("a run without cells shows a picture")
	}
}

// An HTTP/1.1 pool first uses in the window the connections that it opened in the warm-up.
func TestUsedIsLeftOutWhereItCannotBeRead(t *testing.T) {
	for _, c := range []struct {
		protocol       facts.Protocol
		accepted, used *int64
		want           string
	}{
		{facts.H1, new(int64(0)), new(int64(79)), dash},
		{facts.H1, new(int64(3)), new(int64(79)), dash},
		{facts.H1, new(int64(80)), new(int64(79)), "79"},
		{facts.H1, new(int64(0)), new(int64(0)), "0"},
		{facts.H1, new(int64(0)), nil, dash},
		{facts.H1, nil, new(int64(79)), "79"},
		{facts.H2, new(int64(13)), new(int64(14)), "14"},
	} {
		cell := facts.Cell{Topology: "nginx-1000", Protocol: c.protocol, Client: facts.GoOnce,
			Trials: []facts.Trial{{Connections: facts.Connections{Accepted: c.accepted, Used: c.used}}}}
		r := &facts.Result{Cells: []facts.Cell{cell}}
		p := newPage(Input{Result: r})
		got, _, _ := strings.Cut(usedCell(p, p.rows[0]), " <sup>")
		if got != c.want {
			t.Errorf("%s accepted %v, used %v: the table shows %q, want %q", c.protocol, c.accepted, c.used, got,
				c.want)
		}
		if drawn := p.rows[0].used(); (drawn == nil) != (c.want == dash) {
			t.Errorf("%s accepted %v, used %v: the chart shows %v", c.protocol, c.accepted, c.used, drawn)
		}
	}
}
