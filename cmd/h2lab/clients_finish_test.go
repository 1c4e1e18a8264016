package main

import (
	"path/filepath"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/judge/clientverdicts"
	"h2lab/internal/report/rundir"
	"h2lab/internal/report/translations"
)

func TestTheHeadlineCountsLibrariesAsTheyComeApart(t *testing.T) {
	rows := []clientverdicts.Row{
		{Client: "a", Verdict: clientverdicts.Loses, Program: facts.Program{Library: "A", Default: true}},
		{Client: "a-cure", Verdict: clientverdicts.Sound, Program: facts.Program{Library: "A", Cures: "a"}},
		{Client: "a-other", Verdict: clientverdicts.Sound, Program: facts.Program{Library: "A", Cures: "a"}},
	}
	for l, want := range map[translations.Language]string{
		translations.English: "1 library as it comes: 1 loses requests\n2 variants and cures: 2 sound\n",
		translations.Chinese: "1 个库（默认设置）：1 个丢失请求\n2 个变体和对策：2 个正常\n",
	} {
		if got := (&app{language: l}).headline(rows); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// summaries are the summaries on the terminal that are drawn from a run alone.
var summaries = map[string]func(*app, string) error{
	"repro":   func(a *app, dir string) error { return a.report(dir, false) },
	"fixed":   func(a *app, dir string) error { return a.report(dir, false) },
	"story":   func(a *app, dir string) error { return a.reportStory(dir, false) },
	"clients": (*app).reportClients,
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
