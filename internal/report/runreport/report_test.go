package runreport

import (
	"errors"
	"flag"
	"regexp"
	"slices"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
	"h2lab/internal/report/pagetest"
	"h2lab/internal/report/parts"
)

var update = flag.Bool("update", false, "accept what is written now as the golden files")

var pages = pagetest.Pages{Name: "report", Build: Build, Short: Short, Input: input, Foreign: regexp.MustCompile(`\A\z`)}

func build(t *testing.T, in parts.Input) string {
	t.Helper()
	built, err := Build(in)
	labtest.Check(t, err)
	return string(built.Files["report.md"])
}

// runs are invented runs of every kind.
func runs() map[string]*facts.Result {
	unlike := repro(6)
	unlike.Cells[3].Trials[0].Errors = []facts.Error{{Class: "od|d", Count: 3, Message: "a | b\n# c `d` <script> *e*"}}
	unlike.Environment.Versions["nginx"] = "1.22.1\n| x |"
	alien := repro(6)
	alien.Run.Concurrency, alien.Run.Limit, alien.Run.CPUs = 50, 100, nil
	return map[string]*facts.Result{"repro": repro(6), "fixed": fixed(6), "matrix": matrix(6), "quick": quick(),
		"open": atRate("fixed", 6), "merged": withHistograms(repro(6)), "few trials": repro(3), "strained": strained(), "hostile": unlike,
		"another limit": alien, "two trials": fixed(2), "empty": {},
		"no cells": {Run: facts.Run{Command: "repro", Trials: 6}},
		"nil everywhere": {Run: facts.Run{Command: "fixed", Trials: 1}, Renewals: []facts.Renewal{{}}, Cells: []facts.Cell{
			{Topology: "nginx-1000", Protocol: facts.H2, Client: facts.GoOnce, Trials: []facts.Trial{{}}}, {}}}}
}

func TestPagesHold(t *testing.T) {
	pages.Hold(t, runs(), []string{"repro", "matrix", "quick", "open", "merged"}, *update)
	pages.Fit(t, runs())
	labtest.SameTexts(t)
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

func TestWhatIsNotKnownIsADashAndNever0(t *testing.T) {
	for name, series := range map[string]func(string) (facts.Series, error){
		"unreadable": func(string) (facts.Series, error) { return facts.Series{}, errors.New("gone") },
		"empty":      func(string) (facts.Series, error) { return facts.Series{}, nil },
	} {
		labtest.Unmeant(t, name, build(t, parts.Input{Result: repro(2), Series: series}))
	}
	bare := repro(1)
	bare.Cells[3].Trials[0] = facts.Trial{Index: 1}
	md := build(t, parts.Input{Result: bare})
	labtest.Unmeant(t, "bare", md)
	_, took, _ := strings.Cut(md, "### Cost")
	row := regexp.MustCompile("(?m)^\\| `nginx-1000` .*h2 \\|.*$").FindString(took)
	if strings.Count(row, dash) < 5 || strings.Contains(row, " 0 ") {
		t.Errorf("a cell without numbers reads %q", row)
	}
}

func TestEveryColumnOfTheTablesIsExplained(t *testing.T) {
	p := newPage(input(atRate("fixed", 6)))
	_, md := pages.Draw(t, p.Result, texts.English)
	all := byPercentile()
	for _, table := range p.tables() {
		all = append(all, table.columns[2:]...)
	}
	pagetest.Explained(t, md, append(all[2:], where, protocol))
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
			top, _, _ := strings.Cut(build(t, in), "\n## ")
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
	for language, verdicts := range map[texts.Language]string{texts.English: "\n## Verdicts",
		texts.Chinese: "\n## 判定"} {
		_, md := pages.Draw(t, strained(), language)
		blocks := strings.Split(md, "\n\n")
		if !strings.HasPrefix(blocks[0], "# ") || !strings.HasPrefix(blocks[1], "> **") ||
			!strings.HasPrefix(blocks[2], "<picture>") || !strings.Contains(blocks[2], "connections") {
			t.Errorf("%s begins with\n%s\n%s\n%s", language, blocks[0], blocks[1], blocks[2])
		}
		if strings.Index(md, "strained") > strings.Index(md, verdicts) {
			t.Errorf("%s: the warnings stand below the verdicts", language)
		}
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
		p := newPage(parts.Input{Result: r})
		got, _, _ := strings.Cut(usedCell(p.rows[0]), " <sup>")
		if got != c.want {
			t.Errorf("%s accepted %v, used %v: the table shows %q, want %q", c.protocol, c.accepted, c.used, got,
				c.want)
		}
		if drawn := p.rows[0].used(); (drawn == nil) != (c.want == dash) {
			t.Errorf("%s accepted %v, used %v: the chart shows %v", c.protocol, c.accepted, c.used, drawn)
		}
	}
}
