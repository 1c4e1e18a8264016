package family

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

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
	for _, name := range recordings(t) {
		row, ok := known[name]
		if !ok {
			t.Errorf("%s has no row in this table", name)
			continue
		}
		e := recorded(t, name)
		if v := Judge(e); !sameFamilies(v, row[0]) || v.Sure != row[1] || len(v.Warnings) != 0 {
			t.Errorf("%s: %s %s, want %s %s; %v\n%+v", name, v.Among, v.Sure, row[0], row[1], v.Warnings, v.Candidates)
		}
		e.Server = ""
		if v := Judge(e); v.Sure != row[2] || v.Sure != Unknown && !sameFamilies(v, row[0]) {
			t.Errorf("%s without a header: %s %s, want %s %s", name, v.Among, v.Sure, row[0], row[2])
		}
	}
	if len(known) != len(recordings(t)) {
		t.Errorf("%d rows for %d recordings", len(known), len(recordings(t)))
	}
}

// sameFamilies compares the families that a verdict names together, in any order.
func sameFamilies(v Verdict, want string) bool {
	return slices.Equal(slices.Sorted(slices.Values(v.Among)), slices.Sorted(slices.Values(strings.Fields(want))))
}

// TestBehaviourAtTheLimitIsKnownWithoutTheSettings: some proxies and libraries change the SETTINGS
// frame.
func TestBehaviourAtTheLimitIsKnownWithoutTheSettings(t *testing.T) {
	for name, want := range map[string]string{"nginx-1.22-1000": "nginx", "haproxy-3.2-300": "haproxy",
		"go-1.26-400": "go", "envoy-500": "envoy", "nghttpx-1.52-300": "nghttpx"} {
		e := recorded(t, name)
		e.Settings, e.Server = nil, ""
		if v := Judge(e); v.Family != want || v.Sure == Unknown {
			t.Errorf("%s: %s %s, want %s\n%+v", name, v.Family, v.Sure, want, v.Candidates)
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
			e.Server = ""
			if bare := Judge(e); bare.Sure != Unknown && !sameFamilies(v, strings.Join(bare.Among, " ")) && isH2(e) {
				t.Errorf("%s with the header %q is judged %s, not %s", name, header, v.Among, bare.Among)
			}
			said := len(v.Warnings) == 1 && strings.Contains(v.Warnings[0], header)
			if said != !slices.Contains(honest.Among, family) && isH2(e) {
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
		if v.Family != "" || v.Sure != Unknown || len(v.Candidates) != 0 || len(v.Changes) != 0 {
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
	e := countedH1(101)
	e.Server = "Apache/2.4.71 (Debian)"
	v := Judge(e)
	if v.Family != "apache" || v.Sure != Possible {
		t.Errorf("%s %s", v.Family, v.Sure)
	}
	if len(v.Changes) != 1 || v.Changes[0].Line != "MaxKeepAliveRequests 0" {
		t.Errorf("changes %+v", v.Changes)
	}
	if v := Judge(countedH1(100)); !sameFamilies(v, "nginx tomcat") || v.Sure != Possible {
		t.Errorf("100, which is a default of two servers: %v, %s", v.Among, v.Sure)
	}
}

// countedH1 is an endpoint whose connections end after n requests over HTTP/1.1, at any pace.
func countedH1(n int) facts.Endpoint {
	e := facts.Endpoint{Protocol: facts.H1, Settings: []facts.Setting{},
		Ending: &facts.Ending{How: facts.EndedByConnectionClose}}
	for _, ms := range []float64{10, 1200, 20} {
		e.Asked = append(e.Asked, facts.AskedConnection{For: facts.ForLimit, AnnouncedMS: &ms, Requests: n, Answered: n,
			How: facts.EndedByConnectionClose})
	}
	left := 1500.0
	e.Asked = append(e.Asked, facts.AskedConnection{For: facts.ForPace, LeftMS: &left, Requests: 20, Answered: 20})
	return e
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
		for _, line := range append(append([]string{v.Limit, v.MayHaveRun}, v.Meaning...), v.Warnings...) {
			if strings.ContainsAny(line, "\x1b\r\x00") {
				t.Errorf("a control character in %q", line)
			}
		}
		if _, err := json.Marshal(v); err != nil {
			t.Error(err)
		}
	})
}
