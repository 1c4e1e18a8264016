package runreport

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/report/translations"
)

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
