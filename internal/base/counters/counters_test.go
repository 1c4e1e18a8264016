package counters

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"h2lab/internal/base/kinds"
	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
)

// page serves one body for every request.
func page(t *testing.T, status int, body string) string {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(srv.Close)
	return strings.TrimPrefix(srv.URL, "http://")
}

// fixture is a recorded answer in testdata.
func fixture(t *testing.T, name string) string {
	t.Helper()
	return labtest.Read(t, filepath.Join("testdata", name))
}

// open opens a source and closes it when the test ends.
func open(t *testing.T, root string, s facts.Server) Source {
	t.Helper()
	src, err := Open(root, s)
	labtest.Check(t, err)
	t.Cleanup(src.Close)
	return src
}

// read observes once.
func read(t *testing.T, src Source) facts.Observation {
	t.Helper()
	o, err := src.Observe(t.Context())
	labtest.Check(t, err)
	return o
}

// numbers returns the three derived numbers, -1 for unknown.
func numbers(o facts.Observation) [3]int64 {
	out := [3]int64{-1, -1, -1}
	for i, p := range []*int64{o.Accepted, o.Used, o.Requests} {
		if p != nil {
			out[i] = *p
		}
	}
	return out
}

func TestEachSourceReadsARealAnswer(t *testing.T) {
	for _, x := range []struct {
		kind    facts.Kind
		fixture string
		want    [3]int64
		raw     map[string]int64
	}{
		{facts.Nginx, "stub_status.txt", [3]int64{20 - 1, -1, 41 - 1},
			map[string]int64{"active": 3, "accepts": 20, "handled": 20, "requests": 41, "reading": 0, "writing": 1,
				"waiting": 2}},
		{facts.Envoy, "envoy.prom", [3]int64{20, 14, 14},
			map[string]int64{"downstream_cx_total": 20, "downstream_cx_http1_total": 7,
				"downstream_cx_http2_total": 7, "downstream_cx_ssl_total": 20,
				"downstream_cx_destroy_local": 0, "downstream_cx_destroy_remote": 6, "downstream_cx_drain_close": 0,
				"downstream_cx_max_requests_reached": 1,
				"downstream_rq_total":                14, "http2.goaway_sent": 1, "upstream_cx_total": 3,
				"upstream_cx_http1_total": 0,
				"upstream_cx_http2_total": 3, "upstream_cx_max_requests": 0, "upstream_rq_total": 12}},
		{facts.Backend, "ledger.json", [3]int64{12, 9, 30},
			map[string]int64{"executed": 28, "distinct": 27, "duplicates": 1, "connections_new": 12,
				"connections_used": 9, "requests_h1": 10, "requests_h2": 20}},
		{facts.Backend, "ledger-saturated.json", [3]int64{12, 9, 30},
			map[string]int64{"executed": 28, "connections_new": 12, "connections_used": 9, "requests_h1": 10,
				"requests_h2": 20}},
		{facts.Gateway, "gateway.json", [3]int64{14, 11, 5200},
			map[string]int64{"accepted": 14, "used": 11, "requests": 5200}},
	} {
		src := open(t, "", facts.Server{Name: "x", Kind: x.kind, Counters: page(t, 200, fixture(t, x.fixture))})
		got := read(t, src)
		if numbers(got) != x.want {
			t.Errorf("%s: accepted, used, requests are %v, want %v", x.fixture, numbers(got), x.want)
		}
		if diff := cmp.Diff(x.raw, got.Raw); diff != "" {
			t.Errorf("%s (-want +got):\n%s", x.fixture, diff)
		}
		if got.At.IsZero() {
			t.Errorf("%s: no time", x.fixture)
		}
	}
}

func TestABadAnswerIsAnErrorThatNamesTheServerAndACommand(t *testing.T) {
	for _, kind := range []facts.Kind{facts.Nginx, facts.Envoy, kinds.HAProxy, facts.Backend, facts.Gateway} {
		for _, x := range []struct {
			status int
			body   string
		}{{404, "not found"}, {200, ""}, {200, "<html>welcome</html>\n"}, {200, "{}"},
			{200, "Active connections: x server accepts handled requests 1 1 1 Reading: 0 Writing: 1 Waiting: 0"}} {
			src := open(t, "", facts.Server{Name: "some-server", Kind: kind, Counters: page(t, x.status, x.body)})
			_, err := src.Observe(t.Context())
			if err == nil || !strings.Contains(err.Error(), "some-server") || !strings.Contains(err.Error(), "curl") {
				t.Errorf("%s answering %d %q: error %v", kind, x.status, x.body, err)
			}
		}
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	labtest.Check(t, err)
	_ = ln.Close()
	if _, err := open(t, "", facts.Server{
		Name:     "gone",
		Kind:     facts.Nginx,
		Counters: ln.Addr().String(),
	}).Observe(t.Context()); err == nil {
		t.Error("a server that is gone gave a reading")
	}
	if _, err := Open("", facts.Server{Name: "x", Kind: "iis"}); err == nil || !strings.Contains(err.Error(), "iis") {
		t.Errorf("an unknown kind: error %v", err)
	}
	for _, s := range []facts.Server{{Kind: facts.Nginx, UsedLog: "var/x.log"}, {Kind: facts.Nginx, HundredsLog: "var/x.log"}} {
		if _, err := Open(t.TempDir(), s); err == nil || !strings.Contains(err.Error(), "var/x.log") ||
			!strings.Contains(err.Error(), "make up") {
			t.Errorf("a missing log: error %v", err)
		}
	}
}

// fakeNginx counts its own stub_status connections and requests, as nginx does, and closes every
// third connection after an answer.
func fakeNginx(t *testing.T) (addr string, accepts, requests *atomic.Int64) {
	accepts, requests = new(atomic.Int64), new(atomic.Int64)
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		r := requests.Add(1)
		if r%3 == 0 {
			w.Header().Set("Connection", "close")
		}
		a := accepts.Load()
		_, _ = fmt.Fprintf(w,
			"Active connections: 1 \nserver accepts handled requests\n %d %d %d \nReading: 0 Writing: 1 "+
				"Waiting: 0 \n", a, a, r)
	}))
	srv.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			accepts.Add(1)
		}
	}
	srv.Start()
	t.Cleanup(srv.Close)
	return srv.Listener.Addr().String(), accepts, requests
}

func TestReadingNginxDoesNotMoveItsNumbersEvenAfterReconnects(t *testing.T) {
	addr, accepts, requests := fakeNginx(t)
	accepts.Add(100) // from other clients before
	requests.Add(900)
	src := open(t, "", facts.Server{Name: "n", Kind: facts.Nginx, Counters: addr})
	other := src.(*source).twin()
	t.Cleanup(other.Close)
	for i := range 40 {
		from := src
		if i%2 == 1 {
			from = other
		}
		if got := numbers(read(t, from)); got != [3]int64{100, -1, 900} {
			t.Fatalf("reading %d: %v, want 100 accepted and 900 requests as before", i+1, got)
		}
	}
	if dials := accepts.Load() - 100; dials < 5 {
		t.Errorf("only %d connections were dialled: nothing was proved about reconnects", dials)
	}
}

func TestTheUsedLogIsCountedFromItsOpeningInWholeLines(t *testing.T) {
	addr, _, _ := fakeNginx(t)
	root := t.TempDir()
	log, err := os.Create(filepath.Join(root, "x.used.log"))
	labtest.Check(t, err)
	defer func() { _ = log.Close() }()
	write := func(s string) {
		if _, err := log.WriteString(s); err != nil {
			t.Fatal(err)
		}
	}
	write("old 1\nold 2\n")
	src := open(t, root, facts.Server{Name: "n", Kind: facts.Nginx, Counters: addr, UsedLog: "x.used.log"})
	for _, x := range []struct {
		text string
		want int64
	}{{"", 0}, {"a\n", 1}, {"b\nhalf a li", 2}, {"ne\n", 3}, {strings.Repeat("many\n", 100_000), 100_003},
		{"", 100_003}} {
		write(x.text)
		if got := read(t, src); *got.Used != x.want || got.Raw["used_log_lines"] != x.want {
			t.Errorf("used %d, want %d", *got.Used, x.want)
		}
	}
	labtest.Check(t, log.Truncate(3))
	if _, err := src.Observe(t.Context()); err == nil || !strings.Contains(err.Error(), "cut short") {
		t.Errorf("a log that shrank: error %v", err)
	}
}

func TestAGatewayThatDoesNotCountIsAnErrorAndNotZero(t *testing.T) {
	faults := labtest.NewFaults(t, labtest.Programs)
	for _, x := range []struct{ name, body string }{
		{"lack a number", `{"accepted":1,"used":1}`},
		{"are null", `{"accepted":null,"used":1,"requests":1}`},
		{"are negative", `{"accepted":-1,"used":1,"requests":1}`},
		{"are text", `{"accepted":"1","used":1,"requests":1}`},
		{"are fractions", `{"accepted":1.5,"used":1,"requests":1}`},
		{"are larger than a counter can be", `{"accepted":99999999999999999999,"used":1,"requests":1}`},
		{"are followed by something else", `{"accepted":1,"used":1,"requests":1} and more`},
		{"are a list", `[1,2,3]`},
	} {
		faults.Try("the gateway's counters "+x.name, func(t *testing.T) {
			src := open(t, "", facts.Server{Name: "scg", Kind: facts.Gateway, Counters: page(t, 200, x.body)})
			if o, err := src.Observe(t.Context()); err == nil || !strings.Contains(err.Error(), "scg") ||
				!strings.Contains(err.Error(), "curl") {
				t.Errorf("%s: %v, error %v", x.body, numbers(o), err)
			}
		})
	}
}

func appendTo(t *testing.T, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err == nil {
		_, err = f.WriteString(text)
	}
	if err == nil {
		err = f.Close()
	}
	labtest.Check(t, err)
}

// Two nginx servers write to one log; each source counts the new lines of its own port.
func TestConnectionsThatAreUsedUpAreCountedForEachServerApart(t *testing.T) {
	dir := t.TempDir()
	log := filepath.Join(dir, "hundreds.log")
	appendTo(t, log, "18101 1000\n18101 1000\n")
	server := facts.Server{Name: "nginx-1000", Kind: facts.Nginx, Front: "127.0.0.1:18101", HundredsLog: "hundreds.log",
		Counters: page(t, 200, fixture(t, "stub_status.txt"))}
	src := open(t, dir, server)
	if got := UsedUp(read(t, src), server, 1000); got == nil || *got != 0 {
		t.Errorf("what others left is counted: %v", got)
	}
	appendTo(t, log, "18101 100\n18101 1000\n18111 1000\n18101 10")
	if got := UsedUp(read(t, src), server, 1000); got == nil || *got != 1 {
		t.Errorf("one connection was used up, counted %v", got)
	}
	appendTo(t, log, "00\n18101 900\n")
	o := read(t, src)
	for limit, want := range map[int]int64{1000: 2, 900: 1, 100: 1, 800: 0} {
		if got := UsedUp(o, server, limit); got == nil || *got != want {
			t.Errorf("limit %d: %v were used up, want %d", limit, got, want)
		}
	}
	for _, limit := range []int{0, 7, 1001, 250} {
		if got := UsedUp(o, server, limit); got != nil {
			t.Errorf("limit %d isn't in the log, but %d are counted", limit, *got)
		}
	}
	if got := Closed(o, server); got == nil || *got != 17 {
		t.Errorf("%v closed of 20 accepted with 3 active", got)
	}
}

func TestWhatAServerDoesNotCountIsNotKnown(t *testing.T) {
	envoy := facts.Server{Name: "envoy", Kind: facts.Envoy, Counters: page(t, 200, fixture(t, "envoy.prom"))}
	o := read(t, open(t, "", envoy))
	if got := UsedUp(o, envoy, 1000); got != nil {
		t.Errorf("Envoy counts requests and not connections there, and %d are given", *got)
	}
	if got := Closed(o, envoy); got == nil || *got != 6 {
		t.Errorf("%v closed, want 6", got)
	}
	backend := facts.Server{Name: "backend", Kind: facts.Backend}
	if UsedUp(facts.Observation{}, backend, 1000) != nil || Closed(facts.Observation{}, backend) != nil {
		t.Error("something is known of a backend that counts neither")
	}
}

// The map in nginx's configurations and the function logged must agree.
func TestEveryConfigurationLogsTheRequestsThatAreRead(t *testing.T) {
	configs, _ := filepath.Glob("../../../nginx/*.conf")
	if len(configs) < 5 {
		t.Fatalf("only %q", configs)
	}
	block := regexp.MustCompile(`(?s)map \$connection_requests \$counted_request \{(.*?)\}`)
	for _, name := range configs {
		text, err := os.ReadFile(name)
		labtest.Check(t, err)
		found := block.FindSubmatch(text)
		if found == nil {
			t.Errorf("%s: no map of counted requests", name)
			continue
		}
		if got, want := strings.Join(strings.Fields(string(found[1])),
			" "), "10 1; 20 1; 50 1; ~00$ 1; default 0;"; got != want {
			t.Errorf("%s: the map is %q, want %q", name, got, want)
		}
	}
	for n, want := range map[int]bool{10: true, 20: true, 50: true, 100: true, 99900: true, 1: false, 30: false,
		150: false, 1001: false} {
		if logged(n) != want {
			t.Errorf("request %d: logged %t", n, !want)
		}
	}
}
