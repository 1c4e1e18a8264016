package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"

	"github.com/alecthomas/kong"

	"h2lab/internal/base/exitstatus"
	"h2lab/internal/base/labtest"
	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/lab/conduct"
	"h2lab/internal/lab/plan"
	"h2lab/internal/lab/results"
	"h2lab/internal/report/clientreport"
	"h2lab/internal/report/rundir"
	"h2lab/internal/report/translations"
)

// finished runs the end of a command on a copy of a recorded run, with some more warnings.
func finished(t *testing.T, name string, end func(a *app, dir string) error) (terminal, dir string) {
	t.Helper()
	r := recorded(t, name)
	r.Run.Interrupted = true
	r.Run.Warnings = append(r.Run.Warnings, facts.T("verdict.recorded", "no processor budget could be set: the kernel's cgroups aren't writable"))
	at := t.TempDir()
	dir = filepath.Join(at, r.Run.ID)
	labtest.Check(t, results.Write(dir, r))
	var out bytes.Buffer
	labtest.Check(t, end(&app{ctx: t.Context(), root: at, stdout: &out, stderr: &out}, dir))
	return strings.Join(strings.Fields(out.String()), " "), dir
}

func TestTheEndOfARunShowsTheReportsWarningsOnTheTerminal(t *testing.T) {
	terminal, dir := finished(t, "repro", func(a *app, dir string) error { return a.finish(dir, nil, false) })
	page := filepath.Join(dir, "report.md")
	list := warningsOf(t, page)
	if len(list) < 3 {
		t.Fatalf("warnings %q, want that it was interrupted, had no budget and was strained", list)
	}
	for _, w := range list {
		if w = strings.ReplaceAll(w, "\\", ""); !strings.Contains(terminal, w) {
			t.Errorf("the terminal lacks %q:\n%s", w, terminal)
		}
	}
}

func TestTheEndOfAClientMatrixShowsThePagesWarningsOnTheTerminal(t *testing.T) {
	terminal, dir := finished(t, "clients", func(a *app, dir string) error { return a.finish(dir, nil, false) })
	r, err := results.Read(dir)
	labtest.Check(t, err)
	list := translations.English.AllIn(clientreport.Warnings(r))
	if len(list) < 2 {
		t.Fatalf("warnings %q, want that it was interrupted and had no budget", list)
	}
	holdsEach(t, list, terminal, filepath.Join(dir, rundir.ClientsPage))
}

// A report without space for it is drawn later: the run isn't lost.
func TestAReportWithoutSpaceNamesTheNextStep(t *testing.T) {
	full := &os.PathError{Op: "write", Path: "report.md", Err: syscall.ENOSPC}
	err := ended("results/a run", nil, func() error { return full })
	if err == nil || !strings.Contains(err.Error(), "make room, then: h2lab report 'results/a run'") {
		t.Errorf("%v", err)
	}
	if err := ended("results/x", nil, func() error { return os.ErrPermission }); !errors.Is(err, os.ErrPermission) ||
		strings.Contains(err.Error(), "room") {
		t.Errorf("%v", err)
	}
	unsaved := &conduct.SaveError{Err: full}
	drawn := false
	if err := ended("results/x", unsaved, func() error { drawn = true; return full }); drawn || !errors.Is(err, unsaved) {
		t.Errorf("drawn %v, %v: a report of results that aren't saved", drawn, err)
	}
}

// warningsOf returns the list at the beginning of a report, as Markdown.
func warningsOf(t *testing.T, page string) (list []string) {
	t.Helper()
	_, rest, _ := strings.Cut(labtest.Read(t, page), "**About the whole run:**")
	top, _, _ := strings.Cut(rest, "\n## ")
	for line := range strings.Lines(top) {
		if w, ok := strings.CutPrefix(strings.TrimSpace(line), "- "); ok {
			list = append(list, w)
		}
	}
	return list
}

func holdsEach(t *testing.T, list []string, terminal, page string) {
	t.Helper()
	b := labtest.Read(t, page)
	for _, w := range list {
		if !strings.Contains(terminal, w) {
			t.Errorf("the terminal lacks %q:\n%s", w, terminal)
		}
		if !strings.Contains(b, w) {
			t.Errorf("%s lacks %q", filepath.Base(page), w)
		}
	}
}

// summaries are the summaries on the terminal that are drawn from a run alone.
var summaries = map[string]func(*app, string) error{
	"repro":   func(a *app, dir string) error { return a.report(dir, false) },
	"fixed":   func(a *app, dir string) error { return a.report(dir, false) },
	"story":   func(a *app, dir string) error { return a.report(dir, false) },
	"clients": func(a *app, dir string) error { return a.report(dir, false) },
}

// The Chinese summary is drawn from the same run, leads to the Chinese page, and has no line wider than the English one.
func TestASummaryIsInTheUsersLanguage(t *testing.T) {
	for run, draw := range summaries {
		t.Run(run, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			dir := filepath.Join(root, "results", run)
			labtest.Check(t, rundir.CopyMeasured(filepath.Join(recordedRuns, run), filepath.Join(root, "results"), run))
			said := map[translations.Language]string{}
			for _, l := range []translations.Language{translations.English, translations.Chinese} {
				var out strings.Builder
				a := &app{root: root, language: l, stdout: text.NewWriter(&out), stderr: text.NewWriter(&out)}
				labtest.Check(t, draw(a, dir))
				said[l] = out.String()
			}
			english, chinese := said[translations.English], said[translations.Chinese]
			if !strings.Contains(chinese, ".zh.md\n") || strings.Contains(english, ".zh.md") {
				t.Errorf("the pages are not those of the languages:\n%s\n%s", english, chinese)
			}
			for line := range strings.Lines(chinese) {
				if run != "clients" && text.Columns(strings.TrimSuffix(line, "\n")) > 100 && !strings.Contains(line, ".zh.md") {
					t.Errorf("%d columns: %s", text.Columns(line), line)
				}
			}
			for _, words := range []string{" failed", "accepted", "The page", "report:", "sound", "loses requests", "expected"} {
				if strings.Contains(chinese, words) && strings.Contains(english, words) {
					t.Errorf("the Chinese summary has %q:\n%s", words, chinese)
				}
			}
		})
	}
}

// storyEnds runs the end of the command on an invented story.
func storyEnds(t *testing.T, r *facts.Result, err error, whole bool) (terminal, dir string, status int) {
	t.Helper()
	at := t.TempDir()
	dir = filepath.Join(at, r.Run.ID)
	labtest.Check(t, results.Write(dir, r))
	var out bytes.Buffer
	ended := (&app{ctx: t.Context(), root: at, stdout: &out, stderr: &out}).finish(dir, err, whole)
	return out.String(), dir, exitstatus.Of(ended)
}

func TestTheEndOfAStoryShowsItsPageAndItsVerdict(t *testing.T) {
	terminal, dir, status := storyEnds(t, labtest.Story("envoy", 6), nil, true)
	if status != exitstatus.Done || !strings.Contains(terminal, "100 users got 817 requests/s") ||
		!strings.Contains(terminal, "story.md") {
		t.Errorf("status %d:\n%s", status, terminal)
	}
	for _, name := range []string{"story.md", "story.html", "story.zh.md", "story.zh.html", "verdicts.json",
		"charts/story-goodput-light.svg", "charts/story-p99-dark.svg"} {
		if s, err := os.Stat(filepath.Join(dir, name)); err != nil || s.Size() < 500 {
			t.Errorf("%s: %v", name, err)
		}
	}
	valid(t, dir)
	for _, page := range []string{"story.html", "story.zh.html"} {
		if n := strings.Count(labtest.Read(t, filepath.Join(dir, page)), "data-raw="); n < 100 {
			t.Errorf("%s: %d numbers have a source", page, n)
		}
	}
}

func TestAStoryThatShowsTheContraryEndsWith4(t *testing.T) {
	without := labtest.Story("envoy", 6)
	without.Cells[0].Trials = without.Cells[2].Trials // as without the reverse proxy
	for _, c := range []struct {
		name  string
		err   error
		whole bool
		want  int
	}{
		{"whole", nil, true, exitstatus.Contradicted},
		{"some cells", nil, false, exitstatus.Done},
		{"a run that failed", errors.New("nginx-1000-envoy ended"), true, exitstatus.Failed},
	} {
		if terminal, _, status := storyEnds(t, without, c.err, c.whole); status != c.want ||
			!strings.Contains(terminal, "story.md") {
			t.Errorf("%s: status %d, want %d:\n%s", c.name, status, c.want, terminal)
		}
	}
}

// An interrupted story still has a page, which says what is missing.
func TestAnInterruptedStoryHasItsPage(t *testing.T) {
	r := labtest.Story("scg", 6)
	r.Run.Interrupted, r.Cells = true, r.Cells[:2]
	r.Cells[1].Trials = r.Cells[1].Trials[:1]
	terminal, dir, _ := storyEnds(t, r, errors.New("interrupted"), true)
	for _, text := range []string{terminal, labtest.Read(t, filepath.Join(dir, "story.md"))} {
		if !strings.Contains(text, "was interrupted") || !strings.Contains(strings.Join(strings.Fields(text), " "),
			"9 of 10 planned cells are incomplete") {
			t.Errorf("the gaps are not named:\n%.900s", text)
		}
	}
}

func TestTheUsualStoryIsItsFlagsDefaults(t *testing.T) {
	var c storyCmd
	for _, name := range []string{"CONCURRENCY", "LIMIT", "TRIALS", "CPUS", "QUICK", "SEED", "GATEWAY", "DELAY"} {
		t.Setenv(name, "") // registers the restoration
		os.Unsetenv(name)
	}
	parser, err := kong.New(&c)
	labtest.Check(t, err)
	if _, err := parser.Parse(nil); err != nil {
		t.Fatal(err)
	}
	if got := c.knobs(); !reflect.DeepEqual(got, plan.UsualFor(plan.Story)) {
		t.Errorf("flags default to %+v, the usual story is %+v", got, plan.UsualFor(plan.Story))
	}
	if c.Runtime != "auto" || !c.Timeline {
		t.Errorf("%+v", c)
	}
}

func TestUpNamesTheKnobsThatAShellExports(t *testing.T) {
	for _, c := range []struct {
		makeflags, env string
		given          plan.Given
		want           string
	}{
		{"", "100", plan.Given{"LIMIT": "100"}, "[LIMIT=100]"},
		{" --no-print-directory", "100", plan.Given{"LIMIT": "100"}, "[LIMIT=100]"},
		{" --no-print-directory -- LIMIT=100", "100", plan.Given{"LIMIT": "100"}, "[]"}, // make up LIMIT=100
		{" -- CPUS=1 LIMIT=100", "100", plan.Given{"LIMIT": "100"}, "[]"},
		{" -- MYLIMIT=100", "100", plan.Given{"LIMIT": "100"}, "[LIMIT=100]"},
		{"", "100", plan.Given{"LIMIT": "50"}, "[]"}, // h2lab up --limit 50
		{"", "", plan.Given{}, "[]"},
	} {
		t.Setenv("MAKEFLAGS", c.makeflags)
		t.Setenv("LIMIT", c.env)
		names, pairs := inherited(c.given, "LIMIT", "CPUS")
		if fmt.Sprint(pairs) != c.want || len(names) != len(pairs) || strings.Contains(strings.Join(names, ""), "=") {
			t.Errorf("MAKEFLAGS=%q LIMIT=%s: %v, %v, want %s", c.makeflags, c.env, names, pairs, c.want)
		}
	}
}
