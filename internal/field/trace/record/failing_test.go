package record

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"h2lab/internal/facts"
	"h2lab/internal/field/output"
	"h2lab/internal/field/probe"
)

// ask traces a server that a test runs, as the command does.
func ask(t *testing.T, s *httptest.Server) (shown string, err error) {
	t.Helper()
	var out bytes.Buffer
	q := output.Question{URL: s.URL + "/", Method: "GET", Insecure: true}
	err = Run(t.Context(), Options{Request: probe.Request{Question: q, Timeout: 5 * time.Second, Verb: "trace"},
		Ask: probe.TraceAsk{Streams: 6, MaxTime: 5 * time.Second}, MaxStreams: 100, Format: Text},
		Printer{Results: &out, Notice: func(string, ...any) {}})
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
