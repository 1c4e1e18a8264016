package family

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"h2lab/internal/base/labtest"
	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
	"h2lab/internal/field/cause"
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

// TestRecordedServersAreKnown compares the verdict on every recording, with its Server header and without: behaviour alone must be
// enough. HTTP/1.1 shows a number and a header.
func TestRecordedServersAreKnown(t *testing.T) {
	var got strings.Builder
	for _, name := range recordings(t) {
		e := recorded(t, name)
		v := Judge(e)
		e.Server = ""
		bare := Judge(e)
		fmt.Fprintf(&got, "%s: %s, %s; without its header %s\n", name, strings.Join(slices.Sorted(slices.Values(v.Among)), " "), v.Sure, bare.Sure)
		if len(v.Warnings) != 0 || bare.Sure != Unknown && !sameFamilies(bare, strings.Join(v.Among, " ")) {
			t.Errorf("%s: %s, %v; without a header %s", name, v.Among, v.Warnings, bare.Among)
		}
	}
	if *update {
		labtest.Write(t, "testdata/families.txt", got.String())
	}
	if diff := cmp.Diff(labtest.Read(t, "testdata/families.txt"), got.String()); diff != "" {
		t.Errorf("testdata/families.txt (-want +got; -update accepts it):\n%s", diff)
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
			said := len(v.Warnings) == 1 && strings.Contains(v.Warnings[0].String(), header)
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
		if said := lines(v.Warnings); !strings.Contains(said, c.warns) || (said != "") != (c.warns != "") {
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
	if len(v.Changes) != 1 || v.Changes[0].Line.String() != "MaxKeepAliveRequests 0" {
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
		for _, k := range s.Clue {
			sources[k.Source] = append(sources[k.Source], func(e facts.Endpoint) bool {
				var c Candidate
				c.kinds = map[string]bool{}
				k.weigh(e, &c)
				return k.Weight == 0 || c.behaviour == k.Weight
			})
		}
		for _, sh := range s.Settings {
			sources[sh.Source] = append(sources[sh.Source], func(e facts.Endpoint) bool {
				changed, ok := sh.fits(e.Settings)
				return ok && len(changed) == 0
			})
		}
		for source, holds := range sources {
			if source == "" {
				t.Errorf("%s has a clue without a source", s.ID)
			}
			name, measured := strings.CutPrefix(source, "measured: ")
			if !measured {
				continue
			}
			e := recorded(t, name)
			for i, h := range holds {
				if !h(e) {
					t.Errorf("%s: clue %d that cites %s does not hold there", s.ID, i, name)
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
		if v.Sure == "" || v.Limit.String() == "" || (v.Family == "") != (v.Sure == Unknown) {
			t.Errorf("%+v", v)
		}
		if text := said(v); strings.ContainsAny(text, "\x1b\r\x00") {
			t.Errorf("a control character in %q", text)
		}
		if _, err := json.Marshal(v); err != nil {
			t.Error(err)
		}
	})
}

// Some facts rule a family out, whatever else speaks for it.
func TestContradictingEvidenceRulesAFamilyOut(t *testing.T) {
	for name, x := range map[string]struct {
		recording, family string
		change            func(*facts.Endpoint)
	}{
		"an empty frame is not nginx's": {"nginx-1.22-1000", "nginx", func(e *facts.Endpoint) { e.Settings = []facts.Setting{} }},
		"Go's frame is not nginx's": {"nginx-1.22-1000", "nginx", func(e *facts.Endpoint) {
			e.Settings = recorded(t, "go-1.26-none").Settings
		}},
		"an unheard frame is not Go's": {"go-1.26-400", "go", func(e *facts.Endpoint) { e.Settings = e.Settings[:2] }},
		"max_age is gRPC's": {"envoy-500", "envoy", func(e *facts.Endpoint) {
			e.Asked[1].Goaways[0].Debug = "max_age"
		}},
		"too_many_pings is gRPC's": {"nginx-1.22-1000", "nginx", func(e *facts.Endpoint) {
			e.Asked[1].Goaways[0].Debug = "too_many_pings"
		}},
	} {
		e := changed(t, x.recording, func(*facts.Endpoint) {})
		if v := Judge(e); v.Family != x.family {
			t.Fatalf("%s: %s is judged %s", name, x.recording, v.Family)
		}
		x.change(&e)
		for _, c := range Judge(e).Candidates {
			if c.Family == x.family {
				t.Errorf("%s, and it is a candidate still: %+v", name, c)
			}
		}
	}
}

// said is everything that a verdict says.
func said(v Verdict) string {
	return lines(slices.Concat([]texts.Sentence{v.Limit, v.MayHaveRun}, v.Meaning, v.Warnings))
}

func lines(all []texts.Sentence) string {
	var out []string
	for _, s := range all {
		out = append(out, s.String())
	}
	return strings.Join(out, "\n")
}

func TestAProductsNameIsItsWholeWord(t *testing.T) {
	for header, want := range map[string]string{"Apache-HttpCore/5.3.4 (Java/17.0.15)": "httpcore", "Apache-Coyote/1.1": "tomcat",
		"Apache": "apache", "Apache/2.4.71 (Debian)": "apache", "hypercorn-h2": "hypercorn", "Jetty(12.0.1)": "jetty",
		"nginx-clone/1": "", "nghttpd nghttp2/1.52.0": "nghttpd", "Pekko-HTTP/1.1.0": "pekko", "ATS/9.2.9": "trafficserver"} {
		if got := named(header); got != want {
			t.Errorf("%q is named %q, want %q", header, got, want)
		}
	}
	unheard := facts.Endpoint{Protocol: facts.H2, Server: "Apache-HttpCore/5.3.4", Settings: []facts.Setting{{Name: "SETTINGS_MAX_HEADER_LIST_SIZE", Value: 7}}}
	if text := said(Judge(unheard)); strings.Contains(text, "Apache httpd") {
		t.Error(text)
	}
}

// A balancer that closes unused connections hides how the server would end them, and has a setting of its own.
func TestAnIdleTimeOutInFrontOfTheServer(t *testing.T) {
	f := labtest.NewFaults(t, labtest.Places)
	const ofItsOwn = "may have an idle time-out of its own"
	f.Try("a balancer closes unused connections of a server that would announce it", func(t *testing.T) {
		for _, name := range []string{"go-1.26-none", "nginx-1.30-none-met", "apache-2.4", "h2o-2.2", "haproxy-3.2-none"} {
			e := changed(t, name, func(e *facts.Endpoint) {
				e.Idle.Ending = &facts.Ending{How: facts.EndedByClose, Closed: "fin"}
			})
			if v := Judge(e); len(v.Changes) > 0 || !strings.Contains(said(v), ofItsOwn) {
				t.Errorf("%s: changes %+v\n%s", name, v.Changes, said(v))
			}
		}
	})
	for _, name := range []string{"go-1.26-none", "nghttpx-1.52-none"} { // nghttpx does not announce it
		want := map[string]int{"go-1.26-none": 3, "nghttpx-1.52-none": 1}[name] // Traefik, Caddy and others are built on Go
		if v := Judge(recorded(t, name)); len(v.Changes) != want || strings.Contains(said(v), ofItsOwn) {
			t.Errorf("%s: changes %+v\n%s", name, v.Changes, said(v))
		}
	}
}

// What no frame showed is not said to have come.
func TestAnEndThatWasOnlyAnnounced(t *testing.T) {
	e := recorded(t, "nghttpx-1.52-300")
	v := Judge(e)
	if text := said(v); !strings.Contains(text, "none with the last-stream-id came. All 9") || strings.Contains(text, "wo stages") {
		t.Error(text)
	}
	for _, c := range v.Candidates {
		for _, ev := range c.For {
			if strings.Contains(ev.Says.String(), "two GOAWAYs") || strings.Contains(ev.Says.String(), "between the two") {
				t.Errorf("%s: %s", c.Family, ev.Says)
			}
		}
	}
	e.Crossing.Covered.Answered -= 5
	if text := said(Judge(e)); !strings.Contains(text, "5 were not answered. A client can't know") || strings.Contains(text, "may send those above") {
		t.Error(text)
	}
	one := changed(t, "envoy-500", func(e *facts.Endpoint) {
		e.Crossing.Covered, e.Crossing.InFlight = facts.Fates{Sent: 1, Answered: 1}, facts.Fates{}
	})
	if text := said(Judge(one)); !strings.Contains(text, "The stream in flight was answered") {
		t.Error(text)
	}
}

func TestHTTP1HasNoGoaway(t *testing.T) {
	for _, how := range []string{facts.EndedByClose, facts.EndedByReset} {
		e := changed(t, "tomcat-http1-100", func(e *facts.Endpoint) { e.Ending.How = how })
		if text := said(Judge(e)); strings.Contains(text, "GOAWAY") || !strings.Contains(text, "without Connection: close") {
			t.Error(text)
		}
	}
}

// A stream that the server reset is no answer, whether the connection ended or not.
func TestResetsAreSaid(t *testing.T) {
	f := labtest.NewFaults(t, labtest.Limits)
	f.Try("the server resets some requests of connections that it does not end", func(t *testing.T) {
		e := changed(t, "nginx-1.30-none-met", func(e *facts.Endpoint) {
			e.Asked[1].Reset, e.Asked[1].MayHaveRun, e.Asked[2].Refused = 1, 1, 4
		})
		text := said(Judge(e))
		if !strings.Contains(text, "the server reset 5 requests instead of answering") ||
			!strings.Contains(text, "1 request on 1 connection got no answer and may have run") {
			t.Error(text)
		}
	})
	f.Try("the server resets all streams from one on", func(t *testing.T) {
		e := changed(t, "nginx-1.30-none-met", func(e *facts.Endpoint) {
			e.Asked[1].Reset, e.Asked[1].MayHaveRun = 3, 3
			e.Budget.Stopped = facts.NewNote("stop.resets", "h:443", "NO_ERROR", 3, 299)
		})
		if text := Judge(e).Limit.String(); !strings.HasPrefix(text, "The server stopped answering after") || strings.Contains(text, "No limit") {
			t.Error(text)
		}
	})
}

// gRPC's "max_idle" on a connection that carried requests: they were no calls, so that neither an age nor a count ended it.
func TestAConnectionThatTheServerCallsUnused(t *testing.T) {
	f := labtest.NewFaults(t, labtest.Places)
	f.Try("the server counts none of the requests as use", func(t *testing.T) {
		v := Judge(recorded(t, "grpc-go-idle-2s"))
		if v.Cause.Kind != cause.Unclear || len(v.Cause.Fits) > 0 || len(v.Changes) > 0 || !strings.HasPrefix(v.Limit.String(), "Unclear: the "+
			"server ended 4 connections as unused") {
			t.Errorf("%+v\n%s", v.Cause, said(v))
		}
	})
}

func TestEnvoyEndsEachConnectionAtTheFirstRequestForOtherReasonsToo(t *testing.T) {
	v := Judge(recorded(t, "envoy-overload"))
	if *v.Cause.Requests != 1 || len(v.Changes) > 0 || !strings.Contains(said(v), "disable_http_keepalive") {
		t.Errorf("%+v\n%s", v.Changes, said(v))
	}
	if v := Judge(recorded(t, "envoy-500")); len(v.Changes) == 0 || strings.Contains(said(v), "disable_http_keepalive") {
		t.Errorf("%+v\n%s", v.Changes, said(v))
	}
}
