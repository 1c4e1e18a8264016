package runverdicts

import (
	"h2lab/internal/base/text"
	"h2lab/internal/facts"
)

// merge is run.command where several machines shared one test.
const merge = "merge"

// mergedSentence is the headline of a merged run, which has one trial and no server's counters.
func (f runFacts) mergedSentence() facts.Text {
	for _, c := range f.Result.Cells {
		for _, t := range c.Trials {
			ms := func(v *float64) string { return text.Maybe(v, text.Measured) }
			return facts.T("verdict.requests-succeeded-requests-s", text.Count(t.Succeeded),
				text.Count(t.Attempts), text.Seconds(t.ElapsedS), text.Measured(t.GoodputRPS), ms(t.LatencyMS.P50),
				ms(t.LatencyMS.P99))
		}
	}
	return facts.Text{}
}
