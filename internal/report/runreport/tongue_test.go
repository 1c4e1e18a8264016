package runreport

import (
	"html"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
	"h2lab/internal/judge/runverdicts"
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
		"low": input(other), "no verdicts": {Result: repro(2)},
	} {
		_, en := build(t, in)
		in.Language = translations.Chinese
		if in.Verdicts != nil {
			in.Verdicts = runverdicts.JudgeIn(translations.Chinese, in.Result)
		}
		files, err := Build(in)
		if err != nil {
			t.Fatal(err)
		}
		if len(files) != 1 {
			t.Errorf("%s: a report in Chinese is %d files, want its text alone", name, len(files))
		}
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

var figure = regexp.MustCompile(`\d+(?:,\d{3})*(?:\.\d+)?`)

// The sections of both languages have the same order and the same numbers.
func TestNumbersOfBothLanguagesAreTheSame(t *testing.T) {
	for name, p := range pairs(t) {
		en, zh := strings.Split(html.UnescapeString(p.en), "\n## "), strings.Split(html.UnescapeString(p.zh), "\n## ")
		if len(en) != len(zh) {
			t.Errorf("%s: %d sections in English, %d in Chinese", name, len(en), len(zh))
			continue
		}
		for i := range en {
			want, got := figure.FindAllString(en[i], -1), figure.FindAllString(zh[i], -1)
			slices.Sort(want)
			slices.Sort(got)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: the numbers of section %.20q differ (-English +Chinese):\n%s", name, zh[i], diff)
			}
		}
	}
}

var (
	// quoted is text that isn't translated: code, markup, sources, output of programs, and recorded
	// sentences of an unknown form.
	quoted = regexp.MustCompile("(?s)```.*?```|`[^`\n]*`|<[^>]+>|(?m)^  - 出处：.*$|（原文）" +
		"[^\n|]*|\"(?:[^\"\\\\]|\\\\.)*\"")
	english = regexp.MustCompile(`[A-Za-z'-]{2,}(?: [A-Za-z'-]+){2,}`)
)

func TestNoEnglishSentenceIsLeftInTheChineseReport(t *testing.T) {
	for name, p := range pairs(t) {
		for line := range strings.Lines(quoted.ReplaceAllString(p.zh, " ¦ ")) {
			if m := english.FindString(line); m != "" {
				t.Errorf("%s: %q in %s", name, m, line)
			}
		}
		if strings.Contains(p.zh, "%!") {
			t.Errorf("%s is badly written", name)
		}
	}
	if english.FindString("the limit is high") == "" {
		t.Error("the pattern finds no English")
	}
}

func TestChineseReportsAreSetLikeChinese(t *testing.T) {
	for name, p := range pairs(t) {
		if places := labtest.Misset(p.zh); places != nil {
			t.Errorf("%s: spaces or punctuation at %q", name, places)
		}
	}
}

func TestLinksWithinTheChineseReportLeadSomewhere(t *testing.T) {
	for name, p := range pairs(t) {
		for _, m := range regexp.MustCompile(`\]\(#([^)]+)\)`).FindAllStringSubmatch(p.zh, -1) {
			if !strings.Contains(p.zh, `<a id="`+m[1]+`"></a>`) {
				t.Errorf("%s: nothing is at #%s", name, m[1])
			}
		}
	}
}

var fenced = regexp.MustCompile("(?s)```.*?```")

// The prose is translated; its code and its placeholders are those of the English text.
func TestTextsOfBothLanguagesHoldTheSame(t *testing.T) {
	files, _ := filepath.Glob("text/*.md")
	for _, file := range files {
		en, zh := content(t, file), content(t, filepath.Join("text/zh", filepath.Base(file)))
		for what, pattern := range map[string]*regexp.Regexp{
			"code blocks": fenced, "code spans": regexp.MustCompile("`[^`\n]+`"),
			"fields": regexp.MustCompile(`{{[^}]*}}`),
			"links":  regexp.MustCompile(`\]\([^)]*\)`), "numbers": figure, "headings": regexp.MustCompile(`(?m)^#+ `),
			"items": regexp.MustCompile(`(?m)^(?:- |\d\. )`),
		} {
			want, got := pattern.FindAllString(en, -1), pattern.FindAllString(zh, -1)
			slices.Sort(want)
			slices.Sort(got)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: %s differ (-English +Chinese):\n%s", file, what, diff)
			}
		}
	}
}

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
		if got := wrap(c.text, c.width); !slices.Equal(got, c.want) {
			t.Errorf("%q in %d columns is %q, want %q", c.text, c.width, got, c.want)
		}
	}
}
