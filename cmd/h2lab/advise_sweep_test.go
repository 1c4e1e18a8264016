package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"h2lab/internal/field/advise"
	"h2lab/internal/field/output"
)

// sweepFile is the measured sweep that docs/advise.md shows; `go test -tags integration ./cmd/h2lab
// -run Sweep -update` records it anew.
const sweepFile = "../../internal/field/advise/testdata/sweep.json"

// sweepPromise is the typical and the worst factor of dials and of dropped streams in the sweep. No
// constant was fitted to it.
var sweepPromise = [2][2]float64{{1.25, 3.2}, {1.3, 2}}

func TestAdviceIsCheckedAgainstItsSweep(t *testing.T) {
	b, err := os.ReadFile(sweepFile)
	if err != nil {
		t.Fatal(err)
	}
	var cells []sweepCell
	if err := json.Unmarshal(b, &cells); err != nil {
		t.Fatal(err)
	}
	if len(cells) != len(sweepCells()) {
		t.Fatalf("%d cells in %s, %d are swept: record it anew", len(cells), sweepFile, len(sweepCells()))
	}
	var out strings.Builder
	out.WriteString("| cell | requests/s | renewals seen | dials a renewal | dropped a renewal " +
		"|\n|---|---|---|---|---|\n")
	var errs [2][]float64
	for i, c := range cells {
		if want := sweepCells()[i].name(); c.name() != want {
			t.Errorf("cell %d is %q, swept is %q: record it anew", i, c.name(), want)
		}
		p := arithmetic(c.question())
		dials, x := compared(p.WastedPerRenewal+1, c.Dials, "dials", advise.Stampede)
		dropped, y := compared(p.DroppedPerRenewal, c.Dropped, "dropped", advise.Stampede)
		errs[0], errs[1] = append(errs[0], x), append(errs[1], y)
		fmt.Fprintf(&out, "| %s | %s | %.0f | %s | %s |\n", c.name(), output.Digits(c.RateRPS), c.Renewals, dials,
			dropped)
	}
	for i, what := range []string{"Dials", "Dropped streams"} {
		slices.Sort(errs[i])
		typical, worst := errs[i][len(errs[i])/2], errs[i][len(errs[i])-1]
		fmt.Fprintf(&out, "\n%s: typical factor %.2f, worst %.2f of %d cells.\n", what, typical, worst, len(errs[i]))
		if typical > sweepPromise[i][0] || worst > sweepPromise[i][1] {
			t.Errorf("%s: typical factor %.2f, worst %.2f; promised are %v", what, typical, worst, sweepPromise[i])
		}
	}
	between(t, "../../docs/advise.md", "sweep", out.String())
}
