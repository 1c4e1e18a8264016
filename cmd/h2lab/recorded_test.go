package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/alecthomas/kong"

	"h2lab/internal/base/exitstatus"
	"h2lab/internal/base/labtest"
	"h2lab/internal/base/text"
	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
	"h2lab/internal/judge/clientverdicts"
	"h2lab/internal/judge/runverdicts"
	"h2lab/internal/lab/clients"
	"h2lab/internal/lab/conduct"
	"h2lab/internal/lab/plan"
	"h2lab/internal/lab/results"
	"h2lab/internal/report/clientreport"
	"h2lab/internal/report/parts"
	"h2lab/internal/report/rundir"
)

// recordedRuns are real runs in the repository: their reports must not change unnoticed, and the
// docs must agree with them.
const recordedRuns = "../../testdata/recorded"

// numbersOnly is the run that is kept without its reports; it is the second of two runs that must
// agree.
const numbersOnly = "clients-again"

func TestTheSecondClientRunIsKeptWithoutItsDrawings(t *testing.T) {
	entries, err := os.ReadDir(filepath.Join(recordedRuns, numbersOnly))
	if err != nil || len(entries) != 1 || entries[0].Name() != results.File {
		t.Errorf("%s has %v, %v; keep its %s alone (testdata/record.sh does)", numbersOnly, entries, err, results.File)
	}
}

func recorded(t *testing.T, name string) *facts.Result {
	t.Helper()
	r, err := results.Read(filepath.Join(recordedRuns, name))
	labtest.Check(t, err)
	return r
}

// The integration layer draws every recorded run again.
func TestARecordedRunIsDrawnAgainByteForByte(t *testing.T) {
	drawnAgain(t, filepath.Join(recordedRuns, "repro"))
}

func drawnAgain(t *testing.T, dirs ...string) {
	t.Helper()
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			again := t.TempDir()
			labtest.Check(t, os.CopyFS(again, os.DirFS(dir)))
			for _, drawn := range []string{"report.md", "report.zh.md", "verdicts.json", rundir.ClientsPage, "clients.json",
				rundir.StoryPage, "story.zh.md", rundir.SweepPage, "sweep.zh.md", "charts"} {
				labtest.Check(t, os.RemoveAll(filepath.Join(again, drawn)))
			}
			if _, err := rundir.Draw(again); err != nil {
				t.Fatal(err)
			}
			if filepath.Base(dir) != numbersOnly {
				sameFiles(t, dir, again)
			}
		})
	}
}

// sameFiles compares two directories in both directions.
func sameFiles(t *testing.T, want, got string) {
	t.Helper()
	for _, pair := range [][2]string{{want, got}, {got, want}} {
		err := filepath.WalkDir(pair[0], func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(path) == ".html" { // made of the same, and not kept
				return err
			}
			rel, _ := filepath.Rel(pair[0], path)
			a, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			b, err := os.ReadFile(filepath.Join(pair[1], rel))
			if err != nil {
				t.Errorf("%s: %v", rel, err)
			} else if !bytes.Equal(a, b) {
				t.Errorf("%s is drawn otherwise than recorded; look at it (make golden), then commit it", rel)
			}
			return nil
		})
		labtest.Check(t, err)
	}
}

// valid checks a run's results and verdicts against their schemas.
func valid(t *testing.T, dir string) {
	t.Helper()
	for file, schema := range map[string]string{results.File: results.ResultsSchema, results.VerdictsFile: results.VerdictsSchema} {
		if err := results.Validate(schema, []byte(labtest.Read(t, filepath.Join(dir, file)))); err != nil {
			t.Errorf("%s of %s: %v", file, dir, err)
		}
	}
}

func TestRecordedRunsAreValidAndWhole(t *testing.T) {
	for _, name := range []string{"repro", "fixed", "clients", "clients-again"} {
		dir := filepath.Join(recordedRuns, name)
		labtest.Check(t, results.Validate(results.ResultsSchema, []byte(labtest.Read(t, filepath.Join(dir, results.File)))))
		r := recorded(t, name)
		if missing := results.Missing(r); len(missing) > 0 || r.Run.Quick || r.Run.Interrupted {
			t.Errorf("%s: quick %v, interrupted %v, missing %q", name, r.Run.Quick, r.Run.Interrupted, missing)
		}
		if r.Run.Command == plan.Clients {
			for _, c := range r.Cells {
				if !c.Unsupported.IsZero() || r.Environment.Git.Dirty {
					t.Errorf("%s: %s could not run: %s; dirty: %v", name, c.ID(), c.Unsupported, r.Environment.Git.Dirty)
				}
			}
			continue
		}
		valid(t, dir)
		if err := runverdicts.Kept(r, labtest.Judgement(t, dir).Verdicts); err != nil || r.Run.Trials != 6 {
			t.Errorf("%s of %d trials breaks its promise: %v", name, r.Run.Trials, err)
		}
	}
}

// Both READMEs quote the sentences of the recorded runs; -update writes them.
func TestReadmeShowsTheHeadlinesOfTheRecordedRuns(t *testing.T) {
	for language, page := range map[texts.Language]string{texts.English: "README.md",
		texts.Chinese: "README.zh.md"} {
		for _, name := range []string{"repro", "fixed"} {
			in, err := rundir.Read(filepath.Join(recordedRuns, name))
			labtest.Check(t, err)
			headline := language.In(runverdicts.Headline(in.Result, in.Verdicts))
			between(t, "../../"+page, "headline of "+name, blockquote(headline))
		}
	}
}

// blockquote formats a sentence as a quotation in Markdown, in lines of 120 columns.
func blockquote(sentence string) string {
	line, out := ">", ""
	for _, word := range strings.Fields(sentence) {
		if len(line)+1+len(word) > 120 && line != ">" {
			out, line = out+line+"\n", ">"
		}
		line += " " + word
	}
	return out + line + "\n"
}

var update = flag.Bool("update", false, "write docs/clients.md and its translation as they are drawn now")

// TestTwoRecordedRunsAgree compares the verdicts of two runs and writes the rows that differ into
// docs/variability.md. Two verdicts contradict each other unless one run is undecided or names its number
// as near a threshold or as too few to be sure of.
func TestTwoRecordedRunsAgree(t *testing.T) {
	here, there := recorded(t, "clients"), recorded(t, "clients-again")
	if here.Run.ID == there.Run.ID || here.Run.Seed == there.Run.Seed {
		t.Errorf("the two runs are one: %s and %s, seeds %d and %d", here.Run.ID, there.Run.ID, here.Run.Seed,
			there.Run.Seed)
	}
	other := map[facts.Client]clientverdicts.Row{}
	for _, r := range clientverdicts.Rows(there) {
		other[r.Client] = r
	}
	var table strings.Builder
	same, all := 0, 0
	for _, a := range clientverdicts.Rows(here) {
		b, both := other[a.Client]
		delete(other, a.Client)
		all++
		switch {
		case !both:
			t.Errorf("%s is in the first run only", a.Client)
		case a.Verdict == b.Verdict:
			same++
		default:
			fmt.Fprintf(&table, "| `%s` | %s | %s |\n", a.Client, wording(a), wording(b))
			if !mayDiffer(a, b) {
				t.Errorf("%s is %q in one run and %q in the other", a.Client, a.Verdict, b.Verdict)
			}
		}
	}
	for client := range other {
		t.Errorf("%s is in the second run only", client)
	}
	between(t, "../../docs/variability.md", "two runs", fmt.Sprintf("The two recorded runs give the same verdict for "+
		"%d of %d rows. The others:\n\n| row | one run | the other |\n|---|---|---|\n%s", same, all, table.String()))
}

// wording is a row's verdict with its first reason.
func wording(r clientverdicts.Row) string {
	return texts.English.In(facts.Join("join.colon", r.Verdict.Words(), r.Reasons[0]))
}

// mayDiffer reports whether chance explains that two runs of a row differ.
func mayDiffer(a, b clientverdicts.Row) bool {
	return slices.ContainsFunc([]clientverdicts.Row{a, b}, func(r clientverdicts.Row) bool {
		return r.Verdict == clientverdicts.Inconclusive || len(r.Near) > 0
	})
}

// unmeasured are the current rows of clients/ that a run doesn't have; the page lists them. A measured row must be as it
// is now: a cure with changed code must be measured before it is published.
func unmeasured(t *testing.T, r *facts.Result) (rows []facts.Cell) {
	t.Helper()
	measured := map[facts.Client]*facts.Program{}
	for _, c := range r.Cells {
		measured[c.Client] = c.Program
	}
	all, err := clients.Read("../..", "clients")
	labtest.Check(t, err)
	for _, e := range all {
		for _, c := range e.Clients {
			was, is := measured[c.Name], e.Program(c)
			delete(measured, c.Name)
			switch {
			case was == nil:
				rows = append(rows, facts.Cell{Client: c.Name, Program: is})
			case was.Snippet != is.Snippet || was.Cures != is.Cures || was.IDs != is.IDs:
				t.Errorf("%s is not what was measured: %+v, now %+v: testdata/record.sh ONLY=%[1]s", c.Name, *was, *is)
			}
		}
	}
	for name := range measured {
		t.Errorf("%s was measured and is no row any more", name)
	}
	return rows
}

func TestDocsShowTheRecordedClientMatrix(t *testing.T) {
	r := recorded(t, "clients")
	pages := map[texts.Language]string{}
	for _, l := range []texts.Language{texts.English, texts.Chinese} {
		name := parts.Name("clients", l)
		built, err := clientreport.Build(parts.Input{Result: r, Language: l, Unmeasured: unmeasured(t, r),
			Charts: "../testdata/recorded/clients/charts/"})
		labtest.Check(t, err)
		samePage(t, filepath.Join("../../docs", name), built.Files[name])
		pages[l] = string(built.Files[name])
	}
	labtest.SameReport(t, "clients.zh.md", pages[texts.English], pages[texts.Chinese])
	readme := labtest.Read(t, "../../README.md")
	rows := clientverdicts.Rows(r)
	said := strings.Join(strings.Fields(readme), " ")
	for words := range strings.Lines(clientreport.Headline(texts.English, rows)) {
		if words = strings.TrimSpace(words); !strings.Contains(said, words) {
			t.Errorf("README.md doesn't say %q", words)
		}
	}
}

// samePage compares a page of docs with what is drawn now, or accepts it.
func samePage(t *testing.T, page string, want []byte) {
	t.Helper()
	if *update {
		labtest.Write(t, page, string(want))
	}
	if labtest.Read(t, page) != string(want) {
		t.Errorf("%s is not the page of the recorded run: make golden, then read the diff", page)
	}
}

// between compares the text between two markers of a page, or with -update writes it.
func between(t *testing.T, page, name, want string) {
	t.Helper()
	b := labtest.Read(t, page)
	begin, end := "<!-- "+name+": drawn by a test -->\n", "<!-- end of "+name+" -->"
	before, rest, found := strings.Cut(b, begin)
	was, after, found2 := strings.Cut(rest, end)
	if !found || !found2 {
		t.Fatalf("%s has no place for %s", page, name)
	}
	if was == want {
		return
	}
	if !*update {
		t.Errorf("%s: %s is not what is drawn now; look at it (make golden), then commit it:\n%s", page, name, want)
		return
	}
	labtest.Write(t, page, before+begin+want+end+after)
}

// The end of a run shows on the terminal what its page warns of.
func TestTheEndOfARunShowsItsWarningsOnTheTerminal(t *testing.T) {
	for _, name := range []string{"repro", "clients"} {
		r := recorded(t, name)
		r.Run.Interrupted = true
		r.Run.Warnings = append(r.Run.Warnings, facts.T("verdict.recorded", "no processor budget could be set: the kernel's cgroups aren't writable"))
		at := t.TempDir()
		dir := filepath.Join(at, r.Run.ID)
		labtest.Check(t, results.Write(dir, r))
		var out bytes.Buffer
		labtest.Check(t, (&app{ctx: t.Context(), root: at, stdout: &out, stderr: &out}).finish(dir, nil, false))
		terminal := strings.Join(strings.Fields(out.String()), " ")
		list := texts.English.AllIn(clientreport.Warnings(r))
		page := labtest.Read(t, filepath.Join(dir, map[string]string{"repro": "report.md", "clients": rundir.ClientsPage}[name]))
		if name == "repro" {
			list = nil
			_, rest, _ := strings.Cut(page, "**About the whole run:**")
			top, _, _ := strings.Cut(rest, "\n## ")
			for line := range strings.Lines(top) {
				if w, ok := strings.CutPrefix(strings.TrimSpace(line), "- "); ok {
					list = append(list, strings.ReplaceAll(w, "\\", ""))
				}
			}
		}
		if len(list) < 2 {
			t.Fatalf("warnings %q, want that it was interrupted and had no budget", list)
		}
		for _, w := range list {
			if !strings.Contains(terminal, w) || !strings.Contains(strings.ReplaceAll(page, "\\", ""), w) {
				t.Errorf("the terminal or the page lacks %q:\n%s", w, terminal)
			}
		}
	}
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

// The Chinese summary is drawn from the same run, leads to the Chinese page, and has no line wider than the English one.
func TestASummaryIsInTheUsersLanguage(t *testing.T) {
	for _, run := range []string{"repro", "story", "clients"} {
		t.Run(run, func(t *testing.T) {
			root := t.TempDir()
			dir := filepath.Join(root, "results", run)
			labtest.Check(t, rundir.CopyMeasured(filepath.Join(recordedRuns, run), filepath.Join(root, "results"), run))
			said := map[texts.Language]string{}
			for _, l := range []texts.Language{texts.English, texts.Chinese} {
				var out strings.Builder
				a := &app{root: root, language: l, stdout: text.NewWriter(&out), stderr: text.NewWriter(&out)}
				labtest.Check(t, a.report(dir, false))
				said[l] = out.String()
			}
			english, chinese := said[texts.English], said[texts.Chinese]
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

// A story that shows the contrary ends with 4, if it is whole. An interrupted one still has a page, which says what is missing.
func TestStoriesThatProveNothingHaveTheirPageAndStatus(t *testing.T) {
	without, part := labtest.Story("envoy", 6), labtest.Story("scg", 6)
	without.Cells[0].Trials = without.Cells[2].Trials // as without the reverse proxy
	part.Run.Interrupted, part.Cells = true, part.Cells[:2]
	part.Cells[1].Trials = part.Cells[1].Trials[:1]
	for _, c := range []struct {
		r     *facts.Result
		err   error
		whole bool
		want  int
		says  string
	}{
		{without, nil, true, exitstatus.Contradicted, ""},
		{without, nil, false, exitstatus.Done, ""}, // some cells
		{without, errors.New("nginx-1000-envoy ended"), true, exitstatus.Failed, ""},
		{part, errors.New("interrupted"), true, exitstatus.Failed, "9 of 10 planned cells are incomplete"},
	} {
		terminal, dir, status := storyEnds(t, c.r, c.err, c.whole)
		if status != c.want || !strings.Contains(terminal, "story.md") {
			t.Errorf("%v: status %d, want %d:\n%s", c.err, status, c.want, terminal)
		}
		for _, text := range []string{terminal, labtest.Read(t, filepath.Join(dir, "story.md"))} {
			if !strings.Contains(strings.Join(strings.Fields(text), " "), c.says) {
				t.Errorf("the gaps are not named:\n%.900s", text)
			}
		}
	}
}

// The defaults of a verb's flags are the usual knobs of its command.
func TestTheDefaultsOfFlagsAreTheUsualKnobs(t *testing.T) {
	for _, name := range []string{"CONCURRENCY", "LIMIT", "TRIALS", "CPUS", "QUICK", "SEED", "GATEWAY", "DELAY"} {
		t.Setenv(name, "") // registers the restoration
		os.Unsetenv(name)
	}
	for command, flags := range map[string]any{plan.Repro: &measureCmd{}, plan.Clients: &clientsCmd{}, plan.Story: &storyCmd{}} {
		parser, err := kong.New(flags)
		labtest.Check(t, err)
		_, err = parser.Parse(nil)
		labtest.Check(t, err)
		q := request(command, flags)
		if want := plan.UsualFor(command); !reflect.DeepEqual(q.Knobs, want) || q.Runtime != "auto" ||
			q.Timeline != (command != plan.Clients) {
			t.Errorf("%s: the flags' defaults are %+v, the usual knobs are %+v", command, q, want)
		}
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
