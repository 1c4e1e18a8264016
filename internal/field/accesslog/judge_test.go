package accesslog

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"h2lab/internal/base/labtest"
	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
	"h2lab/internal/field/cure"
)

var update = flag.Bool("update", false, "write the golden files")

func TestWhereConnectionsEnd(t *testing.T) {
	type counts map[uint32]int
	for _, c := range []struct {
		name string
		of   counts
		want uint32
	}{
		{"all end at 1000", counts{1000: 20}, 1000},
		{"two at 1000 are enough", counts{1000: 2, 400: 5}, 1000},
		{"one isn't", counts{1000: 1, 400: 1}, 0},
		{"leaving anywhere", counts{1: 500, 2: 300, 3: 100}, 0},
		{"two small ones alike", counts{7: 2, 3: 1}, 0},
		{"a small limit", counts{50: 30, 49: 2, 12: 5}, 50},
		{"many leave below it", counts{1: 900, 700: 1, 850: 2, 999: 1, 1000: 100}, 1000},
		{"a spread without a limit", counts{91: 3, 95: 2, 97: 4, 99: 3, 100: 3}, 0},
		{"one server block has another limit", counts{100: 40, 2000: 1, 1500: 1}, 100},
		{"beyond what is counted one by one", counts{1_000_000: 3, 20: 2}, 1_000_000},
		{"one request each", counts{1: 100}, 0},
		{"nothing", counts{}, 0},
	} {
		h := newHistogram()
		for v, n := range c.of {
			h.add(v, uint64(n))
		}
		if got := commonEnd(h, false); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

// limited is a result with a limit that so many connections reached.
func limited(ended uint64, empty *Opened, usedUp float64) *Result {
	return &Result{Requests: ended * 1000, Connections: ended, Opened: empty, Server: cure.Nginx,
		Limit: &Limit{Requests: 1000, UpTo: 1000, How: "found", EndedBy: byServer, EndedExactly: ended, UsedUpP50S: &usedUp,
			UsedUpP10S: &usedUp, UsedUpResolutionS: .001}}
}

// The complete text and JSON document of a stampede.
func TestGolden(t *testing.T) {
	for name, g := range map[string]*traffic{
		"stampede": {lines: 120_000, limit: 1000, alive: 2, empty: 20, perSec: 500},
		"churn":    {lines: 3_000, limit: 1000, alive: 10, perSec: 10, churn: .3},
	} {
		got := read(t, g, Options{NoUpstreams: name == "stampede"})
		var doc bytes.Buffer
		if err := got.WriteJSON(&doc); err != nil {
			t.Fatal(err)
		}
		golden(t, name+".json", doc.Bytes())
		inBothLanguages(t, name, got)
	}
	rows := everyRow()
	inBothLanguages(t, "rows", &rows)
}

func inBothLanguages(t *testing.T, name string, r *Result) {
	t.Helper()
	for file, l := range map[string]texts.Language{name + ".txt": texts.English, name + ".zh.txt": texts.Chinese} {
		var b bytes.Buffer
		if err := r.WriteText(&b, l); err != nil {
			t.Fatal(err)
		}
		golden(t, file, b.Bytes())
		for line := range strings.Lines(b.String()) {
			if name != "rows" && len([]rune(line)) > 111 {
				t.Errorf("%s: %s", file, line)
			}
		}
	}
}

// everyRow is a result of logs with each row.
func everyRow() Result {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	number := uint64(7)
	return Result{Files: []string{"a.log"}, Format: texts.Sentence(facts.T("logs.in-cri", facts.T("logs.f-json-ingress"))), Requests: 12_000, Connections: 31, From: &at,
		To: &at, Malformed: 2, FirstMalformed: &BadLine{File: "a.log", Number: 9, Text: "half a line; and no more. The end"},
		BeganBefore: &number, OpenAtEnd: 4, Restarts: 1, Opened: &Opened{AtMost: 90, EmptyAtMost: 59, EmptyAtLeast: 3,
			EmptyShare: .005, UpstreamAttempts: &number},
		PerConnection: Distribution{Of: "ended", Connections: 1, P50: 1, P90: 1, Max: 1,
			Histogram: []Bar{{From: 1_000_000, To: 4294967295, Connections: 2}}},
		Protocols: []ProtocolCount{{Protocol: "HTTP/1.1", Requests: 1, Connections: 1}, {Protocol: "unknown", Requests: 9}},
		Limit:     &Limit{Requests: 37, UpTo: 41, EndedBy: "clients", EndedExactly: 1, Beyond: 1},
		Age:       &Age{FromS: 59, ToS: 75, Connections: 20, Of: 31},
		Idle:      &Idle{LongestReusedS: .4, ShortestRenewedS: 7_300},
		Reloads:   []Reload{{At: at, Connections: 1}, {At: at, Connections: 20}},
		HealthChecks: []HealthCheck{{Agent: "kube-probe/1.29", Connections: 60, EveryS: 10},
			{Agent: "an agent; of its own. Yes", Connections: 1, EveryS: 150}},
		Errors: &Errors{Status499: 3, Status5xx: 1},
		Warnings: sentences(facts.T("logs.warn-twice", "1"),
			facts.T("logs.warn-missing", requestsText(3)), facts.T("logs.warn-empty", "a.log"),
			facts.T("logs.warn-cut", "a.log"),
			facts.Join("join.semicolon", facts.T("logs.counted-by-id"), facts.T("logs.forgotten", "1")),
			facts.T("logs.counted-by-address"), facts.T("logs.warn-mixed"))}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	labtest.Golden(t, name, got, *update)
}

// docs/logs.md explains every field of the JSON document, and every verdict.
func TestTheDocumentIsExplained(t *testing.T) {
	page, err := os.ReadFile("../../../docs/logs.md")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	documentNames(reflect.TypeFor[Result](), &names)
	names = append(names, verdicts...)
	if len(names) < 60 {
		t.Errorf("only %d names found", len(names))
	}
	for _, name := range names {
		if !strings.Contains(string(page), "`"+name+"`") {
			t.Errorf("docs/logs.md does not explain `%s`", name)
		}
	}
	if !strings.Contains(string(page), combined) || !strings.Contains(string(page), added) {
		t.Error("docs/logs.md offers another log_format than the command")
	}
}

func documentNames(t reflect.Type, into *[]string) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || t.PkgPath() != reflect.TypeFor[Result]().PkgPath() {
		return
	}
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		*into = append(*into, name)
		documentNames(t.Field(i).Type, into)
	}
}

func pointer[T any](v T) *T { return &v }

// of is a result with so many requests and connections, changed.
func of(requests, connections uint64, change func(*Result)) *Result {
	r := &Result{Requests: requests, Connections: connections, Server: cure.Nginx, Files: []string{"access.log"}, again: "h2lab logs access.log"}
	if change != nil {
		change(r)
	}
	return r
}

// ended is a limit at which connections ended, by whom.
func ended(by string, change func(*Limit)) func(*Result) {
	return func(r *Result) {
		r.Limit = &Limit{Requests: 37, UpTo: 37, EndedBy: by, EndedExactly: 50, UsedUpResolutionS: 1}
		if change != nil {
			change(r.Limit)
		}
	}
}

// everyVerdict has a result for each sentence of the verdicts.
func everyVerdict() []*Result {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	reload := Reload{At: at, Connections: 9}
	check := HealthCheck{Agent: "kube-probe/1.29", Request: "GET /healthz HTTP/1.1", Connections: 70, EveryS: 10}
	age := &Age{FromS: 59.5, ToS: 60.4, Connections: 90, Of: 100, Fewest: 400, Most: 1900}
	return []*Result{
		limited(20, &Opened{EmptyAtLeast: 943, EmptyAtMost: 943, AtMost: 963}, 3),
		limited(20, &Opened{EmptyAtMost: 943}, 36), limited(20, &Opened{EmptyAtLeast: 1, EmptyAtMost: 1}, 36),
		limited(20, &Opened{Steady: true, EmptyAtMost: 943}, 36), limited(1, nil, .0005), limited(20, nil, 7200),
		of(90_000, 100, ended(byServer, func(l *Limit) { l.UpTo, l.RenewalsPerMinute = 40, pointer(2.5) })),
		of(90_000, 100, ended(byClients, nil)), of(90_000, 100, ended(byUnknown, nil)),
		of(90_000, 100, ended(byUnknown, func(l *Limit) { l.Beyond = 3 })),
		of(90_000, 100, ended(byUnknown, func(l *Limit) { l.AfterSilenceS = pointer(3.2) })),
		of(90_000, 100, func(r *Result) { ended(byUnknown, nil)(r); r.Server = cure.Apache }),
		of(500, 500, nil), of(500, 100, func(r *Result) { r.lacks = (&reading{count: &counter{}}).lacks() }),
		of(500, 5, nil), of(500, 5, func(r *Result) { r.BeganBefore = pointer(uint64(0)) }),
		of(500, 5, func(r *Result) {
			r.BeganBefore, r.Opened = pointer(uint64(0)), &Opened{AtMost: 10, EmptyAtMost: 8, UpstreamAttempts: pointer(uint64(8))}
		}),
		of(5, 5, nil), of(1, 1, nil), of(5000, 100, func(r *Result) { r.MixedServers = true }),
		of(90_000, 100, func(r *Result) { r.Age = age }), of(90_000, 100, func(r *Result) {
			ended(byServer, nil)(r)
			r.Age, r.Opened = age, &Opened{EmptyAtLeast: 943, EmptyAtMost: 943}
		}),
		of(90_000, 100, func(r *Result) {
			r.Age = &Age{FromS: 60, ToS: 60, Connections: 90, Of: 100, Fewest: 600, Most: 600, Same: true}
		}),
		of(90_000, 100, func(r *Result) { r.Age = &Age{FromS: 3600, ToS: 3700, Connections: 1, Of: 100, Fewest: 6, Most: 6} }),
		of(90_000, 100, func(r *Result) { r.Reloads = []Reload{reload, reload, reload, reload, reload} }),
		of(90_000, 100, func(r *Result) { r.Reloads, r.Server = []Reload{reload}, cure.IngressNginx }),
		of(5000, 100, func(r *Result) {
			r.Idle = &Idle{LongestReusedS: 9.9, ShortestRenewedS: 10.1, Connections: 95, Of: 96}
		}),
		of(120, 100, func(r *Result) { r.checked, r.HealthChecks = 70, []HealthCheck{check} }),
		of(90_000, 100, func(r *Result) { r.checked, r.HealthChecks = 70, []HealthCheck{check, check, check} }),
		of(90_000, 100, func(r *Result) { r.checked, r.HealthChecks = 70, []HealthCheck{check, check} }),
		of(90_000, 100, func(r *Result) { r.Opened = &Opened{AtMost: 900, EmptyAtLeast: 800, EmptyAtMost: 800} }),
		of(90_000, 100, func(r *Result) { r.Opened = &Opened{AtMost: 900, EmptyAtMost: 800, EmptyShare: .89} }),
		of(90_000, 100, func(r *Result) { // whose sentences name no variable of nginx
			r.Opened, r.Server = &Opened{AtMost: 900, EmptyAtMost: 800, EmptyShare: .89}, cure.Envoy
		}),
	}
}

// Each verdict has a result, and its sentences are in both languages.
func TestEveryVerdictIsReached(t *testing.T) {
	seen := map[string]bool{}
	var b strings.Builder
	for _, r := range everyVerdict() {
		v := judge(r)
		seen[v.ID] = true
		fmt.Fprintf(&b, "%s, %d changes\n", v.ID, len(v.Changes))
		for _, s := range slices.Concat(v.Says, v.WouldTell, v.Next) {
			fmt.Fprintf(&b, "  %s\n  %s\n", s, texts.Chinese.In(facts.Text(s)))
		}
	}
	golden(t, "verdicts.txt", []byte(b.String()))
	for _, id := range verdicts {
		if !seen[id] {
			t.Errorf("no result has the verdict %s", id)
		}
	}
}

var verdicts = []string{Stampede, AtLimit, PerhapsIt, SlowLimit, Churn, OneEach, Calm, TooLittle, SameCount, ClientsStop, Aged,
	CountOrAge, Reloaded, Idled, Empties, MaybeEmpty, Mixed, HealthChecks}

// Connections between two reloads last equally long, and at regular times too, and no age ends them. Those that began
// together and end at an age are no reloads. Each server of several has reloads of its own, as in a rolling deployment.
func TestReloadsAndAges(t *testing.T) {
	pool := func(every time.Duration) []crowd { return []crowd{{n: 40, agent: goClient, every: every, spread: 3}} }
	quarters := []time.Duration{15 * mins, 30 * mins, 45 * mins, 60 * mins, 75 * mins}
	var rolling []world
	for i, host := range []string{"a", "b", "c"} {
		w := world{seed: uint64(i), length: 60 * mins, host: host, crowds: []crowd{{n: 14, agent: goClient + host, every: 2 * sec, spread: 4}}}
		for at := time.Duration(200+200*i) * sec; at < w.length; at += 10 * mins {
			w.reloads = append(w.reloads, at)
		}
		rolling = append(rolling, w)
	}
	type c struct {
		worlds      []world
		verdict     string
		least, most int // reloads
	}
	cases := []c{{rolling, Reloaded, 12, 50}}
	for _, seed := range []uint64{16, 36, 44} {
		cases = append(cases, c{[]world{{seed: seed, length: 50 * mins, crowds: pool(5 * sec),
			reloads: []time.Duration{20*mins + 7*sec, 35*mins + 11*sec}}}, Reloaded, 2, 2})
	}
	for _, every := range []time.Duration{5 * sec, 500 * time.Millisecond} {
		cases = append(cases, c{[]world{{length: 90 * mins, reloads: quarters, crowds: pool(every)}}, Reloaded, 1, 50},
			c{[]world{{length: 90 * mins, age: 15 * mins, crowds: pool(every)}}, Aged, 0, 50})
	}
	for i, c := range cases {
		as := func(r request) string { return "[pod/web-" + r.instance + "/nginx] " + asCombined(r) }
		got := read(t, strings.NewReader(textOf(interleaved(c.worlds...), as)), direct)
		if got.Verdict.ID != c.verdict || len(got.Reloads) < c.least || len(got.Reloads) > c.most {
			t.Errorf("%d: %s, %+v, %+v", i, got.Verdict.ID, got.Age, got.Reloads)
		}
	}
}
