package clientreport

import (
	"strings"
	"testing"

	"h2lab/internal/facts"
)

func TestLateGeneratorsAreInTheWarnings(t *testing.T) {
	r := result(fieldOf()[:2]...)
	for i := range r.Cells {
		for j := range r.Cells[i].Trials {
			r.Cells[i].Trials[j].Schedule = &facts.Schedule{}
		}
	}
	late := 12.5
	r.Cells[0].Trials[0].Schedule.LateMS.P99 = &late
	_, md := build(t, r)
	for _, want := range []string{"trials the load generator fell behind its schedule, p99 up to 12.5 ms late"} {
		if !strings.Contains(md, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}
