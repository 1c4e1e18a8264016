package clientreport

import (
	"strings"
	"testing"

	"h2lab/internal/facts"
)

func TestARunAtARateSaysSo(t *testing.T) {
	r := result(fieldOf()[:2]...)
	for i := range r.Cells {
		r.Cells[i].Workload.RatePerS = 500
		for j := range r.Cells[i].Trials {
			r.Cells[i].Trials[j].Schedule = &facts.Schedule{}
		}
	}
	late := 12.5
	r.Cells[0].Trials[0].Schedule.LateMS.P99 = &late
	_, md := build(t, r)
	for _, want := range []string{"500 requests arrive each second",
		"trials the load generator fell behind its schedule, p99 up to 12.5 ms late"} {
		if !strings.Contains(md, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(md, "closed loop") {
		t.Error("the page speaks of a closed loop")
	}
}
