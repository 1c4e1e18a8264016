package family

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"h2lab/internal/facts"
)

var update = flag.Bool("update", false, "write the goldens and the table of docs/servers.md anew")

// recorded reads the probe's recording of a real server.
func recorded(t testing.TB, name string) facts.Endpoint {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var e facts.Endpoint
	if err := json.Unmarshal(b, &e); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return e
}

// recordings are the names of all recordings.
func recordings(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) < 15 {
		t.Fatalf("%d recordings: %v", len(files), err)
	}
	for i, f := range files {
		files[i] = strings.TrimSuffix(filepath.Base(f), ".json")
	}
	return files
}

// TestRecordedServersAreKnown checks the verdict on every recording, with its Server header and
// without: behaviour alone must be enough.
func TestRecordedServersAreKnown(t *testing.T) {
	want := map[string][3]string{ // family, how sure, how sure without the header
		"nginx-1.22-1000":     {"nginx", Certain, Certain},
		"nginx-1.22-none-met": {"nginx", Likely, Likely},
		"nginx-1.30-100":      {"nginx", Certain, Certain},
		"nginx-1.30-none-met": {"nginx", Likely, Likely},
		"envoy-none":          {"envoy", Certain, Certain},
		"envoy-500":           {"envoy", Certain, Certain},
		"haproxy-2.6-none":    {"haproxy", Likely, Likely},
		"haproxy-3.2-none":    {"haproxy", Likely, Likely},
		"haproxy-3.2-300":     {"haproxy", Certain, Certain},
		"apache-2.4":          {"apache", Certain, Certain},
		"caddy-2.6":           {"go", Certain, Certain},
		"go-1.26-none":        {"go", Certain, Certain},
		"go-1.26-400":         {"go", Certain, Certain},
		"h2o-2.2":             {"h2o", Certain, Certain},
		"nghttpx-1.52-none":   {"nghttpx", Certain, Certain},
		"nghttpx-1.52-300":    {"nghttpx", Certain, Certain},
		"node-20":             {"node", Likely, Likely},
	}
	for _, name := range recordings(t) {
		row, known := want[name]
		if !known {
			t.Errorf("%s has no row in this table", name)
			continue
		}
		e := recorded(t, name)
		if v := Judge(e); v.Family != row[0] || v.Sure != row[1] || len(v.Warnings) != 0 {
			t.Errorf("%s: %s %s, want %s %s; %v\n%s", name, v.Family, v.Sure, row[0], row[1], v.Warnings,
				strings.Join(lines(v), "\n"))
		}
		e.Server = ""
		if v := Judge(e); v.Family != row[0] || v.Sure != row[2] {
			t.Errorf("%s without a header: %s %s, want %s %s", name, v.Family, v.Sure, row[0], row[2])
		}
	}
	if len(want) != len(recordings(t)) {
		t.Errorf("%d rows for %d recordings", len(want), len(recordings(t)))
	}
}

// TestBehaviourAtTheLimitIsKnownWithoutTheSettings: some proxies and libraries change the SETTINGS
// frame.
func TestBehaviourAtTheLimitIsKnownWithoutTheSettings(t *testing.T) {
	for name, want := range map[string]string{"nginx-1.22-1000": "nginx", "haproxy-3.2-300": "haproxy",
		"go-1.26-400": "go", "envoy-500": "envoy", "nghttpx-1.52-300": "nghttpx"} {
		e := recorded(t, name)
		e.Settings, e.Server = nil, ""
		if v := Judge(e); v.Family != want || v.Sure == Unknown {
			t.Errorf("%s: %s %s, want %s\n%s", name, v.Family, v.Sure, want, strings.Join(lines(v), "\n"))
		}
	}
}

func TestAForgedHeaderChangesNothingAndIsSaid(t *testing.T) {
	headers := map[string]string{"nginx": "nginx/1.31.4", "go": "Caddy", "envoy": "istio-envoy",
		"apache": "Apache/2.4.71 (Debian)", "h2o": "h2o/2.2.5", "nghttpx": "nghttpx"}
	for _, name := range recordings(t) {
		e := recorded(t, name)
		honest := Judge(e)
		for family, header := range headers {
			e.Server = header
			v := Judge(e)
			if v.Family != honest.Family {
				t.Errorf("%s with the header %q is judged %s, not %s", name, header, v.Family, honest.Family)
			}
			said := len(v.Warnings) == 1 && strings.Contains(v.Warnings[0], header)
			if said != (family != honest.Family) {
				t.Errorf("%s with the header %q: %q", name, header, v.Warnings)
			}
		}
	}
}

func TestWhatFitsNothingIsUnknown(t *testing.T) {
	unheard := []facts.Setting{{Name: "SETTINGS_MAX_HEADER_LIST_SIZE", Value: 7}, {Name: "0x4d44", Value: 1}}
	n := 700
	for name, c := range map[string]struct {
		e     facts.Endpoint
		warns string
	}{
		"nothing was asked": {e: facts.Endpoint{}},
		"settings of nobody": {e: facts.Endpoint{Protocol: facts.H2, Settings: unheard,
			Budget: facts.Budget{Least: 3000, AskedUpTo: 3000}}},
		"and somebody's header": {e: facts.Endpoint{Protocol: facts.H2, Settings: unheard, Server: "nginx"},
			warns: "not how nginx behaves"},
		"and a strange ending": {e: facts.Endpoint{Protocol: facts.H2, Settings: unheard,
			Budget: facts.Budget{Least: 700, Most: &n, AskedUpTo: 800, Counts: []int{700, 700}},
			Ending: &facts.Ending{How: facts.EndedByReset}}},
		"HTTP/1.1 without a header": {e: facts.Endpoint{Protocol: facts.H1,
			Budget: facts.Budget{Least: 700, Most: &n, Counts: []int{700, 700}},
			Ending: &facts.Ending{How: facts.EndedByConnectionClose}}},
	} {
		v := Judge(c.e)
		if v.Family != "" || v.Sure != Unknown || len(v.Candidates) != 0 || len(v.Changes) != 0 ||
			!strings.Contains(lines(v)[0], "unknown") {
			t.Errorf("%s: %s %s %+v", name, v.Family, v.Sure, v.Candidates)
		}
		if said := strings.Join(v.Warnings, "; "); !strings.Contains(said, c.warns) || (said != "") != (c.warns != "") {
			t.Errorf("%s: warnings %q, want %q", name, said, c.warns)
		}
	}
}

// TestMixedEvidenceIsNotCertain: a rewritten or wrapped server may show one server's SETTINGS and
// another's ending.
func TestMixedEvidenceIsNotCertain(t *testing.T) {
	for _, pair := range [][2]string{{"nginx-1.22-1000", "envoy-500"}, {"envoy-500", "nginx-1.22-1000"},
		{"go-1.26-400", "haproxy-3.2-300"}, {"apache-2.4", "nginx-1.30-100"}} {
		e, frame := recorded(t, pair[0]), recorded(t, pair[1])
		e.Settings, e.Server = frame.Settings, ""
		v := Judge(e)
		if v.Sure == Certain {
			t.Errorf("%s with the SETTINGS of %s is certain: %s", pair[0], pair[1], v.Family)
		}
		for _, c := range v.Candidates {
			if c.Family == v.Family && len(c.Against) == 0 {
				t.Errorf("%s with the SETTINGS of %s: nothing speaks against %s", pair[0], pair[1], c.Family)
			}
		}
	}
}

func TestOverHTTP1OnlyTheHeaderAndTheNumberSpeak(t *testing.T) {
	hundred := 100
	e := facts.Endpoint{Protocol: facts.H1, Server: "Apache/2.4.71 (Debian)", Settings: []facts.Setting{},
		Budget: facts.Budget{Least: 100, Most: &hundred, AskedUpTo: 100, Counts: []int{100, 100}},
		Ending: &facts.Ending{How: facts.EndedByConnectionClose}}
	v := Judge(e)
	if v.Family != "apache" || v.Sure != Possible {
		t.Errorf("%s %s", v.Family, v.Sure)
	}
	if len(v.Changes) != 1 || v.Changes[0].Line != "MaxKeepAliveRequests 0" {
		t.Errorf("changes %+v", v.Changes)
	}
	var others []string
	for _, c := range v.Candidates[1:] {
		others = append(others, c.Family)
	}
	if !slices.Equal(others, []string{"nginx"}) {
		t.Errorf("others %v, want nginx, whose old default is 100 as well", others)
	}
}

// TestMeasuredCluesHoldInTheirRecordings: a clue that cites a recording must hold for its family in
// that recording.
func TestMeasuredCluesHoldInTheirRecordings(t *testing.T) {
	for _, s := range servers() {
		sources := map[string][]func(facts.Endpoint) bool{}
		for _, k := range s.clues {
			sources[k.source] = append(sources[k.source], func(e facts.Endpoint) bool {
				var c Candidate
				c.kinds = map[string]bool{}
				k.weigh(e, &c)
				return k.weight == 0 || c.behaviour == k.weight
			})
		}
		for _, sh := range s.settings {
			sources[sh.source] = append(sources[sh.source], func(e facts.Endpoint) bool {
				changed, ok := sh.fits(e.Settings)
				return ok && len(changed) == 0
			})
		}
		for source, holds := range sources {
			if source == "" {
				t.Errorf("%s has a clue without a source", s.id)
			}
			name, measured := strings.CutPrefix(source, "measured: ")
			if !measured {
				continue
			}
			e := recorded(t, name)
			for i, h := range holds {
				if !h(e) {
					t.Errorf("%s: clue %d that cites %s does not hold there", s.id, i, name)
				}
			}
		}
	}
}

func TestTheWordsOfEveryRecording(t *testing.T) {
	for _, name := range recordings(t) {
		v := Judge(recorded(t, name))
		got := strings.Join(lines(v), "\n") + "\nnext: " + v.Next + "\n"
		golden := filepath.Join("testdata", name+".txt")
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatalf("%v; make it with: go test ./internal/field/family -update", err)
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		for line := range strings.Lines(got) {
			if n := len([]rune(line)); n > 106 && !strings.HasPrefix(line, "next: ") {
				t.Errorf("%s: a line of %d columns: %s", name, n, line)
			}
		}
	}
}

func FuzzJudge(f *testing.F) {
	for _, name := range recordings(f) {
		b, err := os.ReadFile(filepath.Join("testdata", name+".json"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add([]byte(`{"protocol":"h2","server":"\u001b[2Jnginx","settings":[{"name":"\u001b]0;x"}],` +
		`"ending":{"how":"goaway-future-id"},"idle":{"seconds":1,"ending":{}}}`))
	f.Fuzz(func(t *testing.T, doc []byte) {
		var e facts.Endpoint
		if json.Unmarshal(doc, &e) != nil {
			return
		}
		v := Judge(e)
		if v.Sure == "" || v.Limit == "" || (v.Family == "") != (v.Sure == Unknown) {
			t.Errorf("%+v", v)
		}
		for _, line := range lines(v) {
			if strings.ContainsAny(line, "\x1b\r\x00") {
				t.Errorf("a control character in %q", line)
			}
		}
		if _, err := json.Marshal(v); err != nil {
			t.Error(err)
		}
	})
}
