package counters

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
)

// handled reads one document.
func handled(t *testing.T, document string) Histogram {
	t.Helper()
	h, err := Handled(t.Context(), facts.Server{Name: "backend", Counters: page(t, 200, document)})
	labtest.Check(t, err)
	return h
}

func TestTheTimesOfAWindowAreThoseOfTheRequestsInBetween(t *testing.T) {
	const warmup = `{"unit":"us","counts":[[900,5],[20015,100],[500223,3]]}`
	for _, x := range []struct {
		name, before, after string
		want                facts.Latency
	}{
		{"the warm-up's slow ones are left out", warmup,
			`{"unit":"us","counts":[[900,5],[20015,1080],[21007,10],[35007,9],[40991,1],[500223,3]]}`,
			facts.Latency{P50: new(20.015), P90: new(20.015), P95: new(20.015), P99: new(21.007), P999: new(35.007), Max: new(40.991)}},
		{"from the backend's start", `{"unit":"us","counts":[]}`, warmup,
			facts.Latency{P50: new(20.015), P90: new(20.015), P95: new(20.015), P99: new(500.223), P999: new(500.223),
				Max: new(500.223)}},
		{"one request", warmup, `{"unit":"us","counts":[[900,6],[20015,100],[500223,3]]}`,
			facts.Latency{P50: new(0.9), P90: new(0.9), P95: new(0.9), P99: new(0.9), P999: new(0.9), Max: new(0.9)}},
		{"no request", warmup, warmup, facts.Latency{}},
		{"no request at all", `{"unit":"us","counts":[]}`, `{"unit":"us","counts":[]}`, facts.Latency{}},
	} {
		got, err := handled(t, x.after).Since(handled(t, x.before))
		if err != nil {
			t.Errorf("%s: %v", x.name, err)
			continue
		}
		if diff := cmp.Diff(&x.want, got, cmpopts.EquateApprox(0.001, 0)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", x.name, diff)
		}
	}
}

func TestTimesOfAnotherProcessAreNotSubtracted(t *testing.T) {
	before := handled(t, `{"unit":"us","counts":[[900,5],[20015,100]]}`)
	faults := labtest.NewFaults(t, labtest.Programs)
	for _, x := range []struct{ name, after string }{
		{"no times yet", `{"unit":"us","counts":[]}`},
		{"fewer requests of a time", `{"unit":"us","counts":[[900,5],[20015,99]]}`},
		{"more requests, of other times", `{"unit":"us","counts":[[900,50],[40991,1000]]}`},
	} {
		faults.Try("the backend was restarted in the window and has "+x.name, func(t *testing.T) {
			got, err := handled(t, x.after).Since(before)
			if err == nil || got != nil || !strings.Contains(err.Error(), "backend") ||
				!strings.Contains(err.Error(), "make down") {
				t.Errorf("%s: %+v, error %v", x.after, got, err)
			}
		})
	}
}

func TestTimesThatTheBackendCannotHaveWrittenAreAnError(t *testing.T) {
	faults := labtest.NewFaults(t, labtest.Programs)
	for _, x := range []struct {
		name   string
		status int
		body   string
		says   string
	}{
		{"not there", 404, "not found", "404"},
		{"empty", 200, "", "EOF"},
		{"a web page", 200, "<html>", "invalid character"},
		{"an empty object", 200, "{}", `not "us"`},
		{"null", 200, "null", `not "us"`},
		{"in another unit", 200, `{"unit":"ms","counts":[]}`, `not "us"`},
		{"without counts", 200, `{"unit":"us","counts":null}`, "no counts"},
		{"a time without a count", 200, `{"unit":"us","counts":[[1]]}`, "has 1 numbers"},
		{"three numbers", 200, `{"unit":"us","counts":[[1,2,3]]}`, "has 3 numbers"},
		{"in another order", 200, `{"unit":"us","counts":[[2,1],[1,1]]}`, "count 2"},
		{"one time twice", 200, `{"unit":"us","counts":[[1,1],[1,1]]}`, "count 2"},
		{"a negative time", 200, `{"unit":"us","counts":[[-1,1]]}`, "count 1"},
		{"a time without requests", 200, `{"unit":"us","counts":[[1,0]]}`, "0 requests"},
		{"a negative count", 200, `{"unit":"us","counts":[[1,-4]]}`, "-4 requests"},
		{"longer than an hour", 200, `{"unit":"us","counts":[[3600000001,1]]}`, "an hour"},
		{"more than a counter holds", 200, `{"unit":"us","counts":[[1,9223372036854775807],[2,1]]}`,
			"than a counter can have"},
		{"fractions", 200, `{"unit":"us","counts":[[1,1.5]]}`, "number 1.5"},
		{"followed by something else", 200, `{"unit":"us","counts":[]} []`, "more than the document"},
		{"larger than a mebibyte", 200, `{"unit":"us","counts":[` + strings.Repeat("[1,1],", maxBody/6) + "[1,1]]}",
			"EOF"},
	} {
		faults.Try("the backend's times are "+x.name, func(t *testing.T) {
			_, err := Handled(t.Context(), facts.Server{Name: "some-backend", Counters: page(t, x.status, x.body)})
			if err == nil || !strings.Contains(err.Error(), x.says) || !strings.Contains(err.Error(), "some-backend") ||
				!strings.Contains(err.Error(), "curl") {
				t.Errorf("error %v, want one with %q", err, x.says)
			}
		})
	}
}

func TestABackendThatIsGoneIsNamed(t *testing.T) {
	if _, err := Handled(t.Context(), facts.Server{Name: "gone", Counters: "127.0.0.1:1"}); err == nil ||
		!strings.Contains(err.Error(), "gone") {
		t.Errorf("error %v", err)
	}
}
