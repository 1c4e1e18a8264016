package plan

import (
	"testing"

	"h2lab/internal/facts"
)

func TestARateIsInEveryWorkloadThatTakesOne(t *testing.T) {
	k := Usual()
	k.Rate, k.Arrivals = "2000", "poisson"
	for _, command := range []string{Repro, Fixed, Matrix} {
		cells, err := Cells(command, k)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range cells {
			w := c.Workload
			if c.Client == facts.K6ConnectionPerVU || w.RatePerS != 2000 || w.Arrivals != facts.Poisson || w.Concurrency != 1000 {
				t.Errorf("%s: %s %+v", command, c.Client, w)
			}
		}
	}
}

func TestAShareIsMeasuredInAClosedLoopFirst(t *testing.T) {
	k := Usual()
	k.Rate = "70%"
	cells, err := Cells(Repro, k)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cells {
		if c.Workload.RatePerS != 0 || c.Workload.Concurrency != 100 || c.Workload.Arrivals != "" {
			t.Errorf("%s: %+v", c.Client, c.Workload)
		}
	}
	for goodput, want := range map[float64]float64{1000: 700, 0.4: 1, 1e9: 100_000, 1234.4: 864} {
		if got := k.ShareOf(goodput); got != want {
			t.Errorf("70%% of %v is %v, want %v", goodput, got, want)
		}
	}
}

func TestHowManyMayBeInFlightAtARate(t *testing.T) {
	for inFlight, want := range map[int]int{1: 10, 50: 500, 100: 1000, 400: 1000, 1000: 1000} {
		k := Usual()
		k.Concurrency, k.Rate = inFlight, "5"
		if got := k.MayBeInFlight(); got != want || k.Workload().Concurrency != want {
			t.Errorf("CONCURRENCY=%d: %d, want %d", inFlight, got, want)
		}
		k.Rate = ""
		if got := k.MayBeInFlight(); got != inFlight {
			t.Errorf("CONCURRENCY=%d in a closed loop: %d", inFlight, got)
		}
	}
}

func TestALowerLimitHasALowerRate(t *testing.T) {
	k := UsualFor(Clients)
	k.Rate = "2000"
	rows := []Row{{Client: facts.GoOnce, Protocol: facts.H2, Program: &facts.Program{TakesRate: true}}}
	for _, c := range LowerCells(rows, k) {
		if c.Workload.RatePerS != 200 || c.Workload.Concurrency != 1000 {
			t.Errorf("%+v", c.Workload)
		}
	}
}
