package watch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"h2lab/internal/base/labtest"
)

// server plays a stub_status whose pages a function makes, by the reading's number.
func server(t *testing.T, page func(n int) (status int, text string)) *Source {
	t.Helper()
	var n atomic.Int64
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		status, text := page(int(n.Add(1)))
		w.WriteHeader(status)
		fmt.Fprint(w, text)
	}))
	t.Cleanup(h.Close)
	s, err := Open(t.Context(), h.URL, Trust{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func page(accepts, requests int) string {
	return fmt.Sprintf("Active connections: 2 \nserver accepts handled requests\n %d %d %d \nReading: 0 Writing: 1 Waiting: 1 \n", accepts, accepts, requests)
}

// watched runs until that many readings are done and gives what was said, start
// and summary included.
func watched(t *testing.T, s *Source, o Options, events int) ([]Event, *Summary, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	o.Every = 2 * time.Millisecond
	var got []Event
	summary, err := Run(ctx, s, o, func(e Event) error {
		got = append(got, e)
		if len(got) == events {
			cancel()
		}
		return nil
	})
	return got, summary, err
}

func kinds(events []Event) string {
	var out []string
	for _, e := range events {
		if n := len(out); n == 0 || out[n-1] != e.Kind {
			out = append(out, e.Kind)
		}
	}
	return strings.Join(out, " ")
}

func TestAQuietServerIsQuiet(t *testing.T) {
	// Nothing but the readings themselves: one connection, and one request each.
	s := server(t, func(n int) (int, string) { return 200, page(1, n) })
	got, summary, err := watched(t, s, Options{}, 6)
	if err != nil || summary.New != 0 || summary.Requests != 0 || summary.PerNew != nil {
		t.Errorf("%v, %+v", err, summary)
	}
	if kinds(got) != "start interval summary" || got[1].Interval.PerNew != nil || *got[1].Interval.Active != 2 {
		t.Errorf("%s, %+v", kinds(got), got[1].Interval)
	}
}

func TestWastedConnectionsAreAnAlarm(t *testing.T) {
	s := server(t, func(n int) (int, string) { return 200, page(100*n, 1000*n) })
	got, summary, err := watched(t, s, Options{Rule: Rule{Window: time.Millisecond}}, 8)
	if err != nil || summary.Alarms != 1 || !summary.Raised || *summary.Worst.PerNew > 11 {
		t.Errorf("%v, %+v", err, summary)
	}
	if kinds(got) != "start interval alarm interval summary" {
		t.Error(kinds(got))
	}
}

func TestARestartIsSaid(t *testing.T) {
	s := server(t, func(n int) (int, string) {
		if n < 4 {
			return 200, page(1000+n, 50_000+100*n)
		}
		return 200, page(n, 100*n)
	})
	got, summary, err := watched(t, s, Options{}, 8)
	if err != nil || summary.Restarts != 1 || summary.New < 3 || summary.New > 8 || summary.Requests > 1000 {
		t.Errorf("%v, %+v", err, summary)
	}
	if kinds(got) != "start interval restart interval summary" {
		t.Error(kinds(got))
	}
}

// A page that stays the same, as from a cache, is no restart, though the readings are subtracted from it.
func TestAnOldPageIsNoRestart(t *testing.T) {
	s := server(t, func(n int) (int, string) { return 200, page(1000+n/3, 50_000+100*(n/3)) })
	got, summary, err := watched(t, s, Options{}, 8)
	if err != nil || summary.Restarts != 0 || strings.Contains(kinds(got), Restart) {
		t.Errorf("%v, %+v, %s", err, summary, kinds(got))
	}
}

func TestAServerThatIsGoneIsAskedAgain(t *testing.T) {
	s := server(t, func(n int) (int, string) {
		if n > 3 && n < 8 {
			return 502, "bad"
		}
		return 200, page(n, 10*n)
	})
	got, summary, err := watched(t, s, Options{Patience: time.Minute}, 8)
	if err != nil || summary.GoneFor <= 0 {
		t.Errorf("%v, %+v", err, summary)
	}
	if kinds(got) != "start interval gone back interval summary" {
		t.Error(kinds(got))
	}
}

func TestPatienceEnds(t *testing.T) {
	s := server(t, func(n int) (int, string) {
		if n > 3 {
			return 404, ""
		}
		return 200, page(n, 10*n)
	})
	got, summary, err := watched(t, s, Options{Patience: 5 * time.Millisecond}, 1000)
	if err == nil || !strings.Contains(err.Error(), "gone for 5ms") || !strings.Contains(err.Error(), "404") || summary == nil {
		t.Errorf("%v, %+v", err, summary)
	}
	if kinds(got) != "start interval gone summary" {
		t.Error(kinds(got))
	}
}

func TestForEndsIt(t *testing.T) {
	s := server(t, func(n int) (int, string) { return 200, page(n, 10*n) })
	if _, summary, err := watched(t, s, Options{For: 10 * time.Millisecond}, 1<<30); err != nil || summary.Seconds > 10 {
		t.Errorf("%v, %+v", err, summary)
	}
}

func TestBadServersAreNamed(t *testing.T) {
	for want, page := range map[string]func(int) (int, string){
		"it answers HTML":     func(int) (int, string) { return 200, "<html>" },
		"it answers 404":      func(int) (int, string) { return 404, "" },
		"it answers 403":      func(int) (int, string) { return 403, "" },
		"it answers 500":      func(int) (int, string) { return 500, "" },
		"it answers 400":      func(int) (int, string) { return 400, "" },
		"longer than 16 MiB":  func(int) (int, string) { return 200, strings.Repeat("x 1\n", mostPage/4+1) },
		"its answer is empty": func(int) (int, string) { return 200, "" },
	} {
		if _, _, err := watched(t, server(t, page), Options{}, 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	for _, address := range []string{"", "localhost:80", "ftp://x/", "http://", "http://a b/", "::"} {
		if _, err := Open(t.Context(), address, Trust{}); err == nil || !strings.Contains(err.Error(), "is no http:// or https:// address") {
			t.Errorf("%q: %v", address, err)
		}
	}
}

func TestCertificatesAreVerified(t *testing.T) {
	h := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, stub) }))
	defer h.Close()
	h.Config.ErrorLog = nil
	for _, c := range []struct {
		trust Trust
		want  string
	}{{Trust{}, "trust it with --ca FILE"}, {Trust{Insecure: true}, ""}} {
		s, err := Open(t.Context(), h.URL, c.trust)
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.read(t.Context())
		s.Close()
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%+v: %v", c.trust, err)
		}
	}
	if _, err := Open(t.Context(), h.URL, Trust{CAFile: "watch.go"}); err == nil || !strings.Contains(err.Error(), "no certificate in watch.go") {
		t.Error(err)
	}
}

// docs/watch.md explains every field of every event, and every kind.
func TestTheEventsAreExplained(t *testing.T) {
	page, err := os.ReadFile("../../../docs/watch.md")
	if err != nil {
		t.Fatal(err)
	}
	names := []string{Started, Measured, Alarmed, Cleared, Restart, Gone, Back, Over, StubStatus, NginxExporter, Ingress, EnvoyStats, EnvoyMetrics}
	for _, typ := range []reflect.Type{reflect.TypeFor[Event](), reflect.TypeFor[Interval](), reflect.TypeFor[Evidence](), reflect.TypeFor[Summary]()} {
		for i := range typ.NumField() {
			name, _, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
			names = append(names, name)
		}
	}
	for _, name := range names {
		if !strings.Contains(string(page), "`"+name+"`") {
			t.Errorf("docs/watch.md does not explain `%s`", name)
		}
	}
}

// A pipe that nobody writes to is a file of authorities that never comes.
func TestAnInterruptDoesNotWaitForTheAuthorities(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "ca")
	labtest.Mkfifo(t, pipe)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Open(ctx, "https://127.0.0.1:1/", Trust{CAFile: pipe}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// The fields that Grafana needs to import a dashboard, and that its panels need to show data.
func TestTheDashboardCanBeImported(t *testing.T) {
	text, err := os.ReadFile("../../../docs/alerts/grafana-dashboard.json")
	if err != nil {
		t.Fatal(err)
	}
	var board struct {
		Title         string
		UID           string
		SchemaVersion int
		Templating    struct {
			List []struct{ Name, Type, Query any }
		}
		Panels []struct {
			ID         int
			Type       string
			Title      string
			Datasource struct{ Type, UID string }
			GridPos    struct{ X, Y, W, H int }
			Targets    []struct {
				Expr       string
				Datasource struct{ UID string }
			}
		}
	}
	if err := json.Unmarshal(text, &board); err != nil {
		t.Fatal(err)
	}
	if board.Title == "" || board.UID == "" || board.SchemaVersion < 36 || len(board.Panels) < 6 {
		t.Errorf("%q %q %d, %d panels", board.Title, board.UID, board.SchemaVersion, len(board.Panels))
	}
	if v := board.Templating.List[0]; v.Name != "datasource" || v.Type != "datasource" || v.Query != "prometheus" {
		t.Errorf("the first variable is %+v: every panel's data source comes from it", v)
	}
	ids := map[int]bool{}
	for _, p := range board.Panels {
		if ids[p.ID] || p.Datasource.UID != "${datasource}" || len(p.Targets) == 0 || p.GridPos.X+p.GridPos.W > 24 ||
			p.GridPos.W == 0 || p.GridPos.H == 0 {
			t.Errorf("panel %d %q: %+v", p.ID, p.Title, p)
		}
		ids[p.ID] = true
		for _, target := range p.Targets {
			if target.Expr == "" || target.Datasource.UID != "${datasource}" {
				t.Errorf("panel %q: %+v", p.Title, target)
			}
		}
	}
	rules, err := os.ReadFile("../../../docs/alerts/h2-connections.rules.yml")
	if err != nil {
		t.Fatal(err)
	}
	for _, recorded := range regexp.MustCompile(`h2:[a-z0-9_]+:[a-z0-9]+`).FindAllString(string(text), -1) {
		if !strings.Contains(string(rules), "record: "+recorded) {
			t.Errorf("no rule records %s", recorded)
		}
	}
}

// The alert rules must have the command's thresholds.
func TestTheRulesHaveTheCommandsThresholds(t *testing.T) {
	rules, err := os.ReadFile("../../../docs/alerts/h2-connections.rules.yml")
	if err != nil {
		t.Fatal(err)
	}
	if UsualRatio != 25 || (Rule{Limit: 1000}).Complete().MinRatio != 200 {
		t.Error("the command's thresholds have changed: change the rules, their tests and these lines")
	}
	for _, want := range []string{"ratio5m < 25 and", "ratio5m < 200 and"} {
		if !strings.Contains(string(rules), want) {
			t.Errorf("no rule with %q", want)
		}
	}
}
