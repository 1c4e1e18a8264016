package record

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"h2lab/internal/base/exitstatus"
	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
	"h2lab/internal/field/output"
	"h2lab/internal/field/probe"
)

func TestFilesThatCantBeWrittenAreFoundOutFirst(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct {
		out, keylog, pcap, want string
		status                  int
	}{
		"no directory": {filepath.Join(dir, "no", "x"), "", "", "no such file or directory", exitstatus.Failed},
		"a device": {"", os.DevNull, "", "--keylog can't be written: " + os.DevNull + " is no regular file",
			exitstatus.Failed},
		"a directory": {"", "", dir, "is no regular file", exitstatus.Failed},
		"the same name": {filepath.Join(dir, "x"), "", filepath.Join(dir, ".", "x"), "is named twice",
			exitstatus.Usage},
	} {
		_, err := open(c.out, c.keylog, c.pcap)
		if err == nil || !strings.Contains(err.Error(), c.want) || exitstatus.Of(err) != c.status {
			t.Errorf("%s: status %d, %v", name, exitstatus.Of(err), err)
		}
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestNextStepsCanBePasted(t *testing.T) {
	limit, asked := 1000, 2500
	https := func(o Options) Options { o.Request.URL = "https://h/"; return o }
	for name, c := range map[string]struct {
		options  Options
		seen     facts.FrameTrace
		captured bool
		unlocked bool
		want     string
	}{
		"a limit": {Options{}, facts.FrameTrace{Limit: &limit}, false, false, "h2lab probe https://h/"},
		"no limit": {Options{}, facts.FrameTrace{AskedUpTo: &asked}, false, false,
			"h2lab trace --max-streams 25000 https://h/"},
		"HTTP/1.1": {Options{Request: probe.Request{Question: output.Question{HTTP1: true, CACert: "ca.crt"}}},
			facts.FrameTrace{Limit: &limit}, false, false, "h2lab probe --http1 --cacert ca.crt https://h/"},
		"with secrets": {Options{Pcap: "a b.pcap"}, facts.FrameTrace{Limit: &limit}, true, true,
			"tshark -r 'a b.pcap' -Y http2"},
		"a key log": {Options{Pcap: "a.pcap", KeyLog: "k"}, facts.FrameTrace{Limit: &limit}, true, false,
			"tshark -r a.pcap -o tls.keylog_file:k -Y http2"},
		"no secrets": {Options{Pcap: "a.pcap"}, facts.FrameTrace{Limit: &limit}, true, false,
			"h2lab trace --keylog keys.log --pcap a.pcap https://h/"},
	} {
		r := &recording{Options: https(c.options), captured: c.captured, unlocked: c.unlocked}
		if got := r.next(c.seen); !strings.HasPrefix(got[0], c.want) {
			t.Errorf("%s: %q", name, got)
		}
	}
	r := &recording{Options: https(Options{})}
	if got := r.next(facts.FrameTrace{AskedUpTo: &asked}); len(got) != 2 || got[1] != "h2lab probe https://h/" {
		t.Errorf("where no limit was met, the probe can see an age: %q", got)
	}
	elsewhere := facts.NewNote("note.limit-elsewhere", 9, 1000)
	if got := r.next(facts.FrameTrace{Limit: &limit,
		Renewal: facts.Renewal{Summary: elsewhere}}); got[0] != "h2lab probe https://h/" {
		t.Errorf("where the limit is another: %q", got)
	}
}

// A trace that a probe led to does not lead back to that probe.
func TestATraceDoesNotLeadInACircle(t *testing.T) {
	q := output.Question{URL: "https://h/", Method: "GET"}
	for name, want := range map[string]string{"go-chance-200": "grep -rnE 'keepAliveMax", "nginx-1.22-1000": ""} {
		var e facts.Endpoint
		text := labtest.Read(t, filepath.Join("..", "..", "family", "testdata", name+".json"))
		if err := json.Unmarshal([]byte(text), &e); err != nil {
			t.Fatal(err)
		}
		r := recording{Options: Options{Request: probe.Request{Question: q}}, find: afterProbe(e, q)}
		got := r.next(facts.FrameTrace{})[0]
		if !strings.HasPrefix(r.find, want) || (want == "") != (got == "h2lab probe https://h/") {
			t.Errorf("%s: %q, next: %s", name, r.find, got)
		}
	}
}

// ask traces a server that a test runs, as the command does.
func ask(t *testing.T, s *httptest.Server) (shown string, err error) {
	t.Helper()
	var out bytes.Buffer
	q := output.Question{URL: s.URL + "/", Method: "GET", Insecure: true}
	err = Run(t.Context(), Options{Request: probe.Request{Question: q, Timeout: 5 * time.Second, Verb: "trace"},
		Ask: probe.TraceAsk{Streams: 6, MaxTime: 5 * time.Second}, MaxStreams: 100, Format: Text},
		Printer{Results: &out, Notice: func(...facts.Text) {}})
	return out.String(), err
}

// The search for the limit ends with an error where streams are reset: those frames are what the user asked for.
func TestWhereTheSearchFailsTheFramesAreShown(t *testing.T) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	s.EnableHTTP2 = true
	s.StartTLS()
	defer s.Close()
	shown, err := ask(t, s)
	if err == nil || !strings.Contains(err.Error(), "resets the first stream (INTERNAL_ERROR)") ||
		strings.Count(shown, "  INTERNAL_ERROR\n") != 6 || !strings.Contains(shown, "6 requests were reset") ||
		strings.Contains(shown, "limit:") || strings.Contains(shown, "next:") {
		t.Errorf("%v\n%s", err, shown)
	}
}

// A server that asks for fewer requests gets no more.
func TestABusyServerIsNotTraced(t *testing.T) {
	var asked atomic.Int64
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		w.WriteHeader(http.StatusTooManyRequests)
	}))
	s.EnableHTTP2 = true
	s.StartTLS()
	defer s.Close()
	if shown, err := ask(t, s); err == nil || !strings.Contains(err.Error(), "429") || shown != "" || asked.Load() > 1 {
		t.Errorf("%d requests, %v\n%s", asked.Load(), err, shown)
	}
}

// The next step of an error is the verb that met it.
func TestAnErrorLeadsToATraceOverTheOtherProtocol(t *testing.T) {
	s := httptest.NewTLSServer(http.NotFoundHandler())
	defer s.Close()
	if _, err := ask(t, s); err == nil || !strings.Contains(err.Error(), "h2lab trace --http1 --insecure https://127.0.0.1:") {
		t.Error(err)
	}
}

func TestAServerThatDemandsHTTP1LeadsThere(t *testing.T) {
	seen := facts.FrameTrace{Renewal: facts.Renewal{Frames: []facts.Frame{{Type: "RST_STREAM", Detail: "HTTP_1_1_REQUIRED"}}}}
	r := &recording{Options: Options{Request: probe.Request{Question: output.Question{URL: "https://h/", Method: "GET"}}}, failed: true}
	if got := r.next(seen); len(got) != 1 || got[0] != "h2lab trace --http1 https://h/" {
		t.Errorf("%q", got)
	}
}

// What the probe stops for a bound of its own is not fetched again.
func TestLargeAnswersAreNotFetchedAgain(t *testing.T) {
	var asked atomic.Int64
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		_, _ = w.Write(make([]byte, 9<<20))
	}))
	s.EnableHTTP2 = true
	s.StartTLS()
	defer s.Close()
	if shown, err := ask(t, s); err == nil || !strings.Contains(err.Error(), "smaller answers") || shown != "" || asked.Load() > 1 {
		t.Errorf("%d requests, %v\n%s", asked.Load(), err, shown)
	}
}
