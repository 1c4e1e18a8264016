package document

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"h2lab/internal/base/labtest"
	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
	"h2lab/internal/field/output"
)

var update = flag.Bool("update", false, "write the golden files")

// recordings are what the probe saw of real servers.
const recordings = "../../family/testdata/*.json"

func TestTheTextOfEachRecordedServer(t *testing.T) {
	recorded, err := filepath.Glob(recordings)
	if err != nil || len(recorded) < 40 {
		t.Fatalf("%d recorded endpoints, %v", len(recorded), err)
	}
	for _, name := range recorded {
		var e facts.Endpoint
		if err := json.Unmarshal([]byte(labtest.Read(t, name)), &e); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		d, err := New(e, Traffic{}, output.Question{URL: e.URL, Method: "GET", HTTP1: e.Protocol == facts.H1,
			CACert: "ca.crt"})
		if err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		if err := d.WriteText(&got, texts.English); err != nil {
			t.Fatal(err)
		}
		golden := "testdata/" + strings.TrimSuffix(filepath.Base(name), ".json") + ".txt"
		if *update {
			if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(labtest.Read(t, golden), got.String()); diff != "" {
			t.Errorf("%s (go test ./internal/field/probe/document -update):\n%s", golden, diff)
		}
		for line := range strings.Lines(got.String()) {
			if n := len([]rune(line)); n > 106 && !strings.HasPrefix(line, "next: ") && !strings.HasPrefix(line, "      ") {
				t.Errorf("%s: a line of %d columns: %s", golden, n, line)
			}
		}
	}
}

// recorded is the endpoint of a recorded server; those of stopped are it with another reason to stop.
func recorded(t *testing.T, name string) facts.Endpoint {
	t.Helper()
	file := name
	stopped := map[string]facts.Note{
		"unanswered": facts.NewNote("stop.unanswered", "h:443", 1, 1, "10s", facts.T("stop.or-wait")),
		"resets":     facts.NewNote("stop.resets", "h:443", "NO_ERROR", 3, 299),
		"too-large":  facts.NewNote("stop.too-much", "h:443", 512, 497),
	}
	if !stopped[name].IsZero() {
		file = "busy"
	}
	var e facts.Endpoint
	if err := json.Unmarshal([]byte(labtest.Read(t, filepath.Join(filepath.Dir(recordings), file+".json"))), &e); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if !stopped[name].IsZero() {
		e.Budget.Stopped = stopped[name]
	}
	return e
}

// A round trip that was measured longer than a request takes is named as such: probe has no --rtt.
func TestTrafficThatDoesNotFitTheRoundTrip(t *testing.T) {
	e, far := recorded(t, "nginx-1.22-1000"), 40.0
	e.TLS.ConnectMS = &far
	d, err := New(e, Traffic{RPS: 1000, InFlight: 10}, output.Question{URL: "https://h/"})
	if d.Price != nil || err == nil || strings.Contains(err.Error(), "--rtt") || strings.Contains(err.Error(), "--backend") ||
		!strings.Contains(err.Error(), "40 ms: check --rps and --in-flight") {
		t.Errorf("%v, %v", d.Price, err)
	}
}

func TestTheNextStepCanBePasted(t *testing.T) {
	q := output.Question{URL: "https://h/it's?a=1&b", Method: "GET", CACert: "ca.crt", Header: []string{"X-A: b"}}
	const options = ` --cacert ca.crt -H 'X-A: b' 'https://h/it'\''s?a=1&b'`
	for name, want := range map[string]string{
		"node-20":          "h2lab probe --max-streams 30000" + options,
		"one-connection":   "h2lab probe --connections 4" + options,
		"out-of-time":      "h2lab probe --max-time 10m" + options,
		"busy":             "h2lab probe --rate 20" + options,
		"unanswered":       "h2lab probe --timeout 1m" + options,
		"fleet-100-1000":   "h2lab trace" + options,
		"node-destroy-300": "h2lab probe --idle 1m" + options, // two families send its frame
		"go-chance-200":    "h2lab trace" + options,
		"grpc-python-none": "h2lab probe --method POST" + strings.Replace(options, "'X-A: b'",
			"'X-A: b' -H 'content-type: application/grpc' -H 'te: trailers'", 1),
		"nginx-1.22-1000": "nginx -vT 2>&1 | h2lab lint -",
		"envoy-500":       "curl -s http://127.0.0.1:9901/config_dump | h2lab lint --kind envoy -",
		"node-close-250":  "h2lab probe --idle 1m" + options, // an empty SETTINGS frame is also that of Rust's h2
		"resets":          "h2lab trace" + options,
		"grpc-go-idle-2s": "h2lab probe --method POST" + strings.Replace(options, "'X-A: b'",
			"'X-A: b' -H 'content-type: application/grpc' -H 'te: trailers'", 1),
		"too-large":       "h2lab probe --cacert ca.crt --method HEAD" + strings.TrimPrefix(options, " --cacert ca.crt"),
		"haproxy-3.2-300": "h2lab lint /etc/haproxy/haproxy.cfg",
	} {
		d, _ := New(recorded(t, name), Traffic{}, q)
		want = strings.Replace(want, "--method POST --cacert ca.crt", "--cacert ca.crt --method POST", 1)
		if !strings.HasPrefix(d.Verdict.Next.String(), want) {
			t.Errorf("%s: %s\nwant %s", name, d.Verdict.Next, want)
		}
	}
}

func TestTheNextStepOfServersThatAnswerOtherwise(t *testing.T) {
	q := output.Question{URL: "https://h/events", Method: "GET"}
	for want, stopped := range map[string]facts.Note{
		"h2lab probe https://h/":                 facts.NewNote("stop.endless", "h:443", 320, 1, "10s", facts.T("stop.or-wait")),
		"h2lab probe --rate 20 https://h/events": facts.NewNote("stop.resets", "h:443", "REFUSED_STREAM", 3, 500),
	} {
		e := recorded(t, "busy")
		e.Budget.Stopped = stopped
		if d, _ := New(e, Traffic{}, q); d.Verdict.Next.String() != want {
			t.Errorf("%v: %s", stopped, d.Verdict.Next)
		}
	}
	if got := otherPath("https://h:1/?a=b"); got != "https://h:1/robots.txt" {
		t.Error(got)
	}
	e := recorded(t, "nginx-idle-50ms")
	e.Idle = nil
	if d, _ := New(e, Traffic{}, q); d.Verdict.Next.String() != "h2lab probe --idle 1m https://h/events" {
		t.Error(d.Verdict.Next)
	}
}

func TestTheNewestTextOfTheGoaways(t *testing.T) {
	for want, all := range map[string][]facts.GoawayFrame{"": {{}, {}}, "a": {{Debug: "a"}, {}}, "b": {{Debug: "a"}, {Debug: "b"}}} {
		if got := said(all); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
