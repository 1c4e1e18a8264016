package counters

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
)

const goodView = `{"requests":12,"rejected":1,"calls":11,"succeeded":9,"failed":2,"errors":[{"class":"","count":2,` +
	`"message":"okhttp3.internal.framed.StreamResetException: stream was reset: CANCEL"}],` +
	`"call_ms":{"p50":21,"p90":22,"p95":22,"p99":40,"p999":41,"max":41},` +
	`"failed_ms":{"p50":3,"p90":3,"p95":3,"p99":3,"p999":3,"max":3},` +
	`"row_ms":{"p50":0.05,"p90":0.1,"p95":0.1,"p99":0.2,"p999":1,"max":1},` +
	`"threads":240,"heap_mb":101.5,"heap_max_mb":268.4,"cpu_s":1.25,"gc_s":0.02,"settings":{"pool":"5","jvm":"-Xmx256m"}}`

// viewFrom reads the view of a service that gives that answer.
func viewFrom(t *testing.T, answer http.HandlerFunc) (facts.ServiceView, error) {
	t.Helper()
	s := httptest.NewServer(answer)
	defer s.Close()
	return View(t.Context(), facts.Server{Name: "caller", Front: strings.TrimPrefix(s.URL, "http://")})
}

func TestAServicesViewIsReadWithUnknownNumbersAsNull(t *testing.T) {
	text := goodView
	for _, unknown := range []string{`"threads":240`, `"heap_mb":101.5`, `"heap_max_mb":268.4`, `"cpu_s":1.25`,
		`"gc_s":0.02`} {
		name, _, _ := strings.Cut(unknown, ":")
		text = strings.ReplaceAll(text, unknown, name+":null")
	}
	v, err := viewFrom(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, text) })
	labtest.Check(t, err)
	if v.Requests != 12 || v.Calls != 11 || v.Failed != 2 || *v.CallMS.P99 != 40 || v.Errors[0].Count != 2 ||
		v.Settings["pool"] != "5" {
		t.Errorf("%+v", v)
	}
	if v.Threads != nil || v.HeapMB != nil || v.HeapMaxMB != nil || v.CPUS != nil || v.GCS != nil {
		t.Errorf("unknown numbers became %+v", v)
	}
}

// changed answers with a good view in which one part is another.
func changed(old, new string) http.HandlerFunc {
	if !strings.Contains(goodView, old) {
		panic("the view has no " + old)
	}
	return func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, strings.Replace(goodView, old, new, 1)) }
}

var brokenViews = []struct {
	name   string
	answer http.HandlerFunc
	says   string
}{
	{"a service's view is a page", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>\n") },
		"its answer is no JSON object"},
	{"a service's view is empty", func(http.ResponseWriter, *http.Request) {}, "its answer is no JSON object"},
	{"a service's view is null", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "null") },
		"its answer lacks requests"},
	{"a service's view is an error", func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, strings.Repeat("\x1b[2J", 100), http.StatusInternalServerError)
	}, "it answers 500 Internal Server Error"},
	{"a service's view has 2 MB", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, strings.Repeat(" ", 2<<20)+goodView)
	}, "more than 1048576 bytes"},
	{"a service's view has a second document", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, goodView+goodView)
	}, "its answer is no JSON object"},
	{"a service's view lacks a number", changed(`"calls":11,`, ""), "its answer lacks calls"},
	{"a service's view has a field of its own", changed(`"calls":11,`, `"calls":11,"rows":3,`), `unknown field "rows"`},
	{"a service's view has a text for a number", changed(`"calls":11`, `"calls":"11"`), "not the expected JSON"},
	{"a service's calls are below 0", changed(`"succeeded":9`, `"succeeded":-9`), "succeeded is -9"},
	{"a service's calls are more than any window has", changed(`"requests":12`, `"requests":9000000000000000000`),
		"requests is 9000000000000000000"},
	{"a service's calls don't add up", changed(`"calls":11`, `"calls":10`), "are more than the 10 calls"},
	{"a service's errors don't add up", changed(`"count":2`, `"count":1`), "its errors add up to 1, not to the 2"},
	{"a service classifies its errors itself", changed(`"class":""`, `"class":"other"`), `an error of class "other"`},
	{"a service's percentiles descend", changed(`"p90":22,"p95":22,"p99":40`, `"p90":22,"p95":22,"p99":4`),
		"call_ms has 4 after 22"},
	{"a service's percentiles are incomplete", changed(`"p50":21,`, `"p50":null,`), "call_ms has only a part"},
	{"a service's processor time is below 0", changed(`"cpu_s":1.25`, `"cpu_s":-1`), "cpu_s is -1"},
	{"a service's setting has a hostile name", changed(`"jvm"`, `"\u001b[2J"`), `a setting is called "\x1b[2J"`},
}

func TestAServicesGarbageIsOneLineWithItsAddress(t *testing.T) {
	f := labtest.NewFaults(t, labtest.Programs)
	for _, c := range brokenViews {
		f.Try(c.name, func(t *testing.T) {
			v, err := viewFrom(t, c.answer)
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Fatalf("error %v, want %q (%+v)", err, c.says, v)
			}
			if !strings.HasPrefix(err.Error(), "the view of caller: ") ||
				!strings.Contains(err.Error(), "; try: curl http://127.0.0.1:") || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %q doesn't name the service and a next step in one line", err)
			}
		})
	}
	f.Try("a service doesn't answer for its view", func(t *testing.T) {
		gone := facts.Server{Name: "caller", Front: fmt.Sprintf("127.0.0.1:%d", labtest.FreePort(t))}
		if _, err := View(t.Context(), gone); err == nil || !strings.HasPrefix(err.Error(), "the view of caller: ") {
			t.Error(err)
		}
		if err := ResetView(t.Context(), gone); err == nil || !strings.Contains(err.Error(), "try: curl -i -X POST http://") {
			t.Error(err)
		}
	})
}

func TestWhatChangesAServerIsAskedByPOST(t *testing.T) {
	var asked string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = r.Method + " " + r.URL.Path
		w.WriteHeader(http.StatusNoContent)
	}))
	defer s.Close()
	addr := s.Listener.Addr().String()
	for want, err := range map[string]func() error{
		"POST /lab/view/reset": func() error { return ResetView(t.Context(), facts.Server{Name: "caller", Front: addr}) },
		"POST /ids/forget":     func() error { return ForgetIDs(t.Context(), facts.Server{Name: "backend", Counters: addr}) },
	} {
		if err := err(); err != nil || asked != want {
			t.Errorf("asked %q, want %q: %v", asked, want, err)
		}
	}
	err := ForgetIDs(t.Context(), facts.Server{Name: "backend", Counters: page(t, 404, "")})
	if err == nil || !strings.Contains(err.Error(), "404") || !strings.Contains(err.Error(), "backend") {
		t.Errorf("a backend that can't forget: error %v", err)
	}
}

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
			"more than 1048576 bytes"},
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
