package plan

import (
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
)

func TestARateIsInEveryWorkloadThatTakesOne(t *testing.T) {
	k := Usual()
	k.Rate, k.Arrivals = "2000", "poisson"
	for _, command := range []string{Repro, Fixed, Matrix} {
		cells, err := Cells(command, k)
		labtest.Check(t, err)
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
	labtest.Check(t, err)
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

func TestAShareMustSuffice(t *testing.T) {
	k := Usual()
	k.Rate, k.Pools = "1%", 50
	if err := k.CheckShare(50); err != nil {
		t.Error(err)
	}
	want := "RATE=1% is 49 requests/s here, and POOLS=50 needs one request a second for each pool"
	if err := k.CheckShare(49); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v", err)
	}
}

func TestARateWithoutARenewalIsNamed(t *testing.T) {
	for _, c := range []struct {
		rate         string
		limit, pools int
		want         string
	}{
		{"70", 1000, 1, "RATE=70 sends 420 requests to an HTTP/2 connection in a trial (6 s with the warm-up), so none reaches LIMIT=1000"},
		{"70", 100, 1, ""}, {"70", 100, 5, "sends 84 requests"}, {"2000", 1000, 1, ""}, {"", 1000, 1, ""},
		{"70%", 1000, 1, ""}, // not known before the closed loops
	} {
		k := Usual()
		k.Rate, k.Limit, k.Pools = c.rate, c.limit, c.pools
		if got := k.WithoutRenewal(); !strings.Contains(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("RATE=%s LIMIT=%d POOLS=%d: %q", c.rate, c.limit, c.pools, got)
		}
	}
}

// repro with go-once alone has no user of k6 that a rate could leave out.
func TestWhatARateLeavesOut(t *testing.T) {
	for _, c := range []struct {
		command, rate string
		clients       []string
		want          bool
	}{{Matrix, "2000", nil, true}, {Matrix, "", nil, false}, {Matrix, "2000", []string{"go-once"}, false},
		{Repro, "70%", []string{"go-once"}, false}} {
		k := Usual()
		k.Rate, k.Clients = c.rate, c.clients
		if got := RateLeavesOut(c.command, k); got != c.want {
			t.Errorf("%s RATE=%s CLIENT=%v: %v", c.command, c.rate, c.clients, got)
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
