package runverdicts

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"h2lab/internal/facts"
	"h2lab/internal/report/translations"
)

var (
	figure = regexp.MustCompile(`\d+(?:,\d{3})*(?:\.\d+)?`)
	// verbatim matches quoted output of programs and recorded sentences of an unknown form.
	verbatim = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|（原文）.*|make repro LIMIT=100`)
	words    = regexp.MustCompile(`[A-Za-z'-]{2,}(?: [A-Za-z'-]+){2,}`)
)

// spokenInChinese compares a run's verdicts in both languages: the same answers with the same
// numbers, and no English sentence in the Chinese ones.
func spokenInChinese(t *testing.T, name string, run *facts.Result, english []facts.Verdict) {
	t.Helper()
	chinese := JudgeIn(translations.Chinese, run)
	if len(chinese) != len(english) {
		t.Fatalf("%s: %d verdicts in Chinese, %d in English", name, len(chinese), len(english))
	}
	for i, v := range chinese {
		e := english[i]
		if v.ID != e.ID || v.Status != e.Status || len(v.Evidence) != len(e.Evidence) ||
			len(v.Warnings) != len(e.Warnings) {
			t.Errorf("%s: %s is %s in English, and in Chinese %s %s", name, e.ID, e.Status, v.ID, v.Status)
		}
		sameFigures(t, name+" "+v.ID, said(e), said(v))
	}
	sameFigures(t, name+" headline", headline(run, english), HeadlineIn(translations.Chinese, run, chinese))
}

func said(v facts.Verdict) string {
	return strings.Join(append([]string{v.Title, v.Expected, v.Actual, v.Hint}, v.Warnings...), "\n")
}

func sameFigures(t *testing.T, name, english, chinese string) {
	t.Helper()
	want, got := figure.FindAllString(english, -1), figure.FindAllString(chinese, -1)
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(want, got) {
		t.Errorf("%s: figures %q in English, %q in Chinese:\n%s\n%s", name, want, got, english, chinese)
	}
	if m := words.FindString(verbatim.ReplaceAllString(chinese, "")); m != "" || strings.Contains(chinese, "%!") {
		t.Errorf("%s: %q is left in\n%s", name, m, chinese)
	}
}
