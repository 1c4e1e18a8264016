package runverdicts

import (
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
)

// spokenInChinese compares a run's verdicts and headline in both languages.
func spokenInChinese(t *testing.T, name string, run *facts.Result, verdicts []facts.Verdict) {
	t.Helper()
	labtest.SameVerdicts(t, name, verdicts)
	labtest.SameFigures(t, name+" headline", headline(run, verdicts), texts.Chinese.In(Headline(run, verdicts)))
}
