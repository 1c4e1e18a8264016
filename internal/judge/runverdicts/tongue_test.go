package runverdicts

import (
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
	"h2lab/internal/report/translations"
)

// spokenInChinese compares a run's verdicts and headline in both languages.
func spokenInChinese(t *testing.T, name string, run *facts.Result, english []facts.Verdict) {
	t.Helper()
	chinese := JudgeIn(translations.Chinese, run)
	labtest.SameVerdicts(t, name, english, chinese)
	labtest.SameFigures(t, name+" headline", headline(run, english), HeadlineIn(translations.Chinese, run, chinese))
}
