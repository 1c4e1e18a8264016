//go:build integration

package k6

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// site is a TLS server to load and a status page to read, both in this process.
type site struct {
	target, status *httptest.Server
	ca             string
	// page is the status page's text after n readings.
	page func(n int) string
}

func newSite(t *testing.T, page func(n int) string) *site {
	t.Helper()
	s := &site{page: page}
	s.target = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(w, r.Body)
	}))
	s.target.Config.ErrorLog = log.New(io.Discard, "", 0) // handshakes that fail are the subject of a test
	s.target.EnableHTTP2 = true
	s.target.StartTLS()
	t.Cleanup(s.target.Close)
	n := 0
	s.status = httptest.NewServer(http.HandlerFunc(
		func(w http.ResponseWriter, _ *http.Request) { n++; fmt.Fprint(w, s.page(n)) }))
	t.Cleanup(s.status.Close)
	s.ca = filepath.Join(t.TempDir(), "ca.crt")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.target.Certificate().Raw})
	if err := os.WriteFile(s.ca, block, 0o600); err != nil {
		t.Fatal(err)
	}
	return s
}

// k6 runs a script, which flags may follow, as the comment at its top describes; a test that finds no k6 fails.
func (s *site) k6(t *testing.T, script string, env ...string) (stdout, stderr string, err error) {
	t.Helper()
	path := ""
	for _, name := range []string{"k6", "../tools/bin/k6"} {
		if p, err := exec.LookPath(name); err == nil && path == "" {
			path = p
		}
	}
	if path == "" {
		t.Fatal("k6 is neither on PATH nor in tools/bin: make tools")
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	args := append([]string{"run", "--quiet", "--no-color", "--no-usage-report", "--address", ""}, strings.Fields(script)...)
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "SSL_CERT_FILE=" + s.ca,
		"TARGET=" + s.target.URL, "DURATION=300ms", "WARMUP=200ms", "CONCURRENCY=10"}, env...)
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	return out.String(), errs.String(), err
}

// summary runs a script that writes its summary to a file, and reads that.
func (s *site) summary(t *testing.T, into any, script string, env ...string) (text []byte) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "summary.json")
	if _, stderr, err := s.k6(t, script, append(env, "SUMMARY="+file, "DURATION=900ms")...); err != nil {
		t.Fatalf("%s, %v: %v\n%s", script, env, err, stderr)
	}
	text, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		t.Fatalf("%s, %v: %v\n%s", script, env, err, text)
	}
	return text
}

func noPage(int) string { return "" }

func TestEveryScriptRunsByHandAndWritesASummary(t *testing.T) {
	for _, script := range []string{"shared-pool.js", "connection-per-vu.js", "open-loop.js"} {
		env := []string{"LIMIT=1000", "TOPOLOGY=mine"}
		if script == "open-loop.js" {
			env = append(env, "RATE=200")
		}
		var got struct {
			Script, Topology, Protocol         string
			Limit, Attempts, Succeeded, Failed int
			Dropped                            *int                `json:"dropped_iterations"`
			Latency                            map[string]*float64 `json:"latency_ms"`
		}
		raw := newSite(t, noPage).summary(t, &got, script, env...)
		if got.Script+".js" != script || got.Topology != "mine" || got.Protocol != "h2" || got.Limit != 1000 ||
			got.Dropped == nil {
			t.Errorf("%s: summary %s", script, raw)
		}
		if got.Attempts == 0 || got.Succeeded != got.Attempts || got.Failed != 0 || got.Latency["p999"] == nil {
			t.Errorf("%s: summary %s", script, raw)
		}
	}
}

// In a window of 0.9 s at 200/s 180 requests are due, and each of them is sent or counted.
func TestARateOnASharedPoolByHand(t *testing.T) {
	for _, c := range []struct {
		env              []string
		least, most, not int
	}{
		{[]string{"RATE=200", "POOLS=3"}, 180, 180, 0},
		{[]string{"RATE=200", "ARRIVALS=poisson", "SEED=7"}, 120, 240, 0},
		{[]string{"RATE=200", "CONCURRENCY=1"}, 180, 180, 1},
	} {
		s := newSite(t, noPage)
		echo := s.target.Config.Handler
		s.target.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(20 * time.Millisecond)
			echo.ServeHTTP(w, r)
		})
		var got struct {
			Attempts, Succeeded int
			Schedule            struct {
				Due         int
				NotStarted  int                 `json:"not_started"`
				Late        map[string]*float64 `json:"late_ms"`
				Uncorrected map[string]*float64 `json:"uncorrected_ms"`
			}
		}
		raw := s.summary(t, &got, "shared-pool.js", c.env...)
		d := got.Schedule
		if d.Due < c.least || d.Due > c.most || d.Due != got.Attempts+d.NotStarted || d.NotStarted < c.not ||
			got.Attempts == 0 || d.Late["p99"] == nil || d.Uncorrected["p50"] == nil {
			t.Errorf("%v: %s", c.env, raw)
		}
	}
}

func TestTheServersOwnCountStandsBesideK6s(t *testing.T) {
	for name, c := range map[string]struct {
		page func(n int) string
		says string
	}{
		"nginx": {func(n int) string {
			return fmt.Sprintf("Active connections: 3 \nserver accepts handled requests\n %d 7 9 \nReading: 0 "+
				"Writing: 1 Waiting: 2 \n", 1000*n)
		}, "the server accepted 999 (nginx stub_status accepts)"}, // one was the reading's own
		"envoy": {func(n int) string {
			return fmt.Sprintf("http.admin.downstream_cx_total: 9\nhttp.front.downstream_cx_total: "+
				"5\nlistener.0.0.0.0_18121.downstream_cx_total: %d\n"+
				"listener.0.0.0.0_18121.worker_0.downstream_cx_total: 77777\nlistener.admin.downstream_cx_total: %d\n",
				500*n, 9999*n)
		}, "the server accepted 500 (Envoy downstream_cx_total of all listeners but admin)"},
		"backend": {func(n int) string {
			return fmt.Sprintf(`{"connections":{"new":%d,"active":1,"idle":0,"closed":0,"used":4},"executed":3}`, 20*n)
		}, "the server accepted 20 (the backend's connections.new)"},
	} {
		s := newSite(t, c.page)
		stdout, stderr, err := s.k6(t, "shared-pool.js", "STATUS_URL="+s.status.URL)
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, stderr)
		}
		if !strings.Contains(stdout, c.says) || !strings.Contains(stdout, "k6 noticed ") {
			t.Errorf("%s: the summary does not say %q:\n%s", name, c.says, stdout)
		}
	}
}

func TestWhatCannotBeUsedIsNamedWithANextStep(t *testing.T) {
	s := newSite(t, func(int) string { return "<html>hello</html>" })
	for _, c := range []struct {
		script, env, says string
	}{
		{"shared-pool.js", "TARGET=", "TARGET is required: give a URL, such as -e TARGET=https://"},
		{"shared-pool.js", "TARGET=localhost", "TARGET=localhost can't be used"},
		{"shared-pool.js", "CONCURRENCY=abc", "CONCURRENCY=abc can't be used: give a whole number from 1"},
		{"shared-pool.js", "CONCURRENCY=0", "CONCURRENCY=0 can't be used"},
		{"shared-pool.js", "POOLS=11", "POOLS=11 can't be used: give a whole number from 1 to 10"},
		{"shared-pool.js", "DURATION=5", "DURATION=5 can't be used: give a duration such as 5s"},
		{"connection-per-vu.js", "METHOD=TRACE", "METHOD=TRACE can't be used: choose from GET, POST"},
		{"connection-per-vu.js", "TLS=1.1", "TLS=1.1 can't be used: choose from 1.2, 1.3"},
		{"shared-pool.js", "TALLY=csv", "TALLY=csv can't be used: choose from none, log"},
		{"shared-pool.js", "RATE=70%", "give a whole number from 0 to 1000000, such as 2000"},
		{"shared-pool.js --execution-segment 1/4:2/4", "POOLS=4", "--execution-segment=1/4:1/2 can't be used alone"},
		{"open-loop.js --execution-segment 1/4:2/4", "DURATION=1s", "--execution-segment=1/4:1/2 can't be used alone"},
		{"connection-per-vu.js --execution-segment 1/4:2/4", "TALLY=log", "--execution-segment=1/4:1/2 can't be used alone"},
		{"connection-per-vu.js", "RATE=5", "RATE=5 can't be used with connection-per-vu.js"},
		{"shared-pool.js", "RATE=1.5", "RATE=1.5 can't be used: give a whole number"},
		{"shared-pool.js", "ARRIVALS=poisson", "can't be used without RATE: give one, such as RATE=2000"},
		{"open-loop.js", "BURST=11", "BURST=11 can't be used: give at most CONCURRENCY=10"},
		{"open-loop.js", "DURATION=1ms", "k6 requires an arrival rate for at least 1s"},
		{"open-loop.js", "GATE=http://127.0.0.1:1", "GATE can't be used with open-loop.js"},
		{"shared-pool.js", "STATUS_URL=" + s.status.URL,
			"has no count of accepted connections (200 OK: <html>hello</html>)"},
		{"shared-pool.js", "PROTOCOL=h1", "run GODEBUG=http2client=0 k6 run -e PROTOCOL=h1"},
		{"shared-pool.js", "SSL_CERT_FILE=/dev/null", "give k6 the CA by SSL_CERT_FILE="},
	} {
		_, stderr, err := s.k6(t, c.script, c.env)
		if err == nil || !strings.Contains(stderr, c.says) {
			t.Errorf("%s with %s: %v; stderr does not say %q:\n%s", c.script, c.env, err, c.says, stderr)
		}
	}
}

func TestHTTP1IsForcedByTheProcesssEnvironment(t *testing.T) {
	s := newSite(t, noPage)
	stdout, stderr, err := s.k6(t, "shared-pool.js", "PROTOCOL=h1", "GODEBUG=http2client=0")
	if err != nil || !strings.Contains(stdout, ", h1, 10 in flight") {
		t.Errorf("%v\n%s%s", err, stdout, stderr)
	}
}

func TestAFailureCrossesTheThresholdAndIsShownVerbatim(t *testing.T) {
	s := newSite(t, noPage)
	s.target.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.Header.Get("X-Lab-Request-Id"), "9") {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	_, stderr, err := s.k6(t, "shared-pool.js")
	if err == nil || !strings.Contains(stderr, "HTTP status 503 Service Unavailable") ||
		!strings.Contains(stderr, "lab_failed") {
		t.Errorf("%v\n%s", err, stderr)
	}
}

// A runner prints the load of the whole test and the counts of its own part, so it says which is which.
func TestARunnerSaysThatItsNumbersAreAPart(t *testing.T) {
	s := newSite(t, noPage)
	out, stderr, err := s.k6(t, "shared-pool.js --execution-segment 0:1/2 --execution-segment-sequence 0,1/2,1", "POOLS=2")
	want := "10 in flight on 2 pools of all runners; the numbers below are those of segment 0:1/2"
	if err != nil || !strings.Contains(out, want) {
		t.Errorf("%v: the summary lacks %q:\n%s%s", err, want, out, stderr)
	}
	if out, _, _ := s.k6(t, "shared-pool.js", "POOLS=2"); strings.Contains(out, "segment") || !strings.Contains(out, "on 2 pools\n") {
		t.Errorf("a whole test:\n%s", out)
	}
}
