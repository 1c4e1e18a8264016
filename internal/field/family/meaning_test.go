package family

import (
	"slices"
	"strings"
	"testing"

	"h2lab/internal/facts"
)

// changed is a recording with one change.
func changed(t *testing.T, name string, change func(*facts.Endpoint)) facts.Endpoint {
	t.Helper()
	e := recorded(t, name)
	change(&e)
	return e
}

func TestWhatItMeans(t *testing.T) {
	noGoaway := func(how string) func(*facts.Endpoint) {
		return func(e *facts.Endpoint) { e.Ending = &facts.Ending{How: how, Closed: "fin"} }
	}
	failing := func(code, debug string) func(*facts.Endpoint) {
		return func(e *facts.Endpoint) {
			e.Ending = &facts.Ending{How: facts.EndedByError,
				Goaways: []facts.GoawayFrame{{Code: code, Debug: debug, Answered: 4430}}}
		}
	}
	idle := func(seconds float64) func(*facts.Endpoint) {
		return func(e *facts.Endpoint) { e.Idle.Seconds = &seconds }
	}
	for name, c := range map[string]struct {
		recording string
		change    func(*facts.Endpoint)
		want      string
	}{
		"streams dropped": {"nginx-1.22-1000", nil,
			"Of 99 streams in flight above it 99 were dropped without a word. Those were not processed"},
		"refused ones are as safe": {"nginx-1.22-1000",
			func(e *facts.Endpoint) { e.Crossing.InFlight = facts.Fates{Sent: 3, Refused: 2, Answered: 1} },
			"2 were refused (REFUSED_STREAM), 1 was answered all the same. Those were not processed"},
		"nothing was in flight": {"nginx-1.22-1000", func(e *facts.Endpoint) { e.Crossing = nil },
			"may send them again on another connection, whatever their method"},
		"a default nobody chose": {"nginx-1.22-1000", nil, "1000 is nginx's default since 1.19.10"},
		"two stages":             {"envoy-500", nil, "All 100 streams in flight were answered: nothing is lost"},
		"two stages, and some lost": {"envoy-500", func(e *facts.Endpoint) { e.Crossing.Covered.Answered = 90 },
			"Of 100 streams in flight 10 were not answered"},
		"an id that lies ahead": {"haproxy-3.2-300", nil, "names a stream that lies ahead: 799, when the newest sent was 599"},
		"closed without a word": {"node-20", noGoaway(facts.EndedByClose), "closes without a GOAWAY: nobody can tell"},
		"reset":                 {"node-20", noGoaway(facts.EndedByReset), "resets the connection without a GOAWAY"},
		"HTTP/1.1": {"node-20", noGoaway(facts.EndedByConnectionClose),
			"Connection: close comes with the last answer"},
		"nghttp2's guard": {"envoy-none", failing("INTERNAL_ERROR", ""), "resets more than 1000 streams"},
		"a flood guard": {"envoy-none", failing("ENHANCE_YOUR_CALM", "too_many_pings"), `GOAWAY ENHANCE_YOUR_CALM "` +
			`too_many_pings" after 4430 requests is an error, not a request limit: a guard against floods`},
		"an error of another kind": {"envoy-none", failing("INTERNAL_ERROR", "ParseError"), "The server's log may say why."},
		"no end seen": {"nginx-1.30-none-met", nil,
			"How it would end a connection at a limit was not seen. nginx is known for: one GOAWAY"},
		"Apache's idle default": {"apache-2.4", idle(5.02), "5.0 s (5 s is Apache's default (KeepAliveTimeout))"},
		"an idle time that is long": {"nginx-1.30-none-met", idle(75.3),
			"An unused connection is ended after 75.3 s (75 s is nginx's default (keepalive_timeout))."},
		"closed unused, unheard": {"nghttpx-1.52-none", nil,
			"without a GOAWAY: a request that crosses the close can't be known"},
		"still open": {"node-20", nil, "An unused connection was still open after 4 s."},
		"aged": {"nginx-1.30-none-met", func(e *facts.Endpoint) {
			hour := 3600.2
			e.Age = &facts.Lifetime{Seconds: &hour}
		}, "A connection in light use is ended after 3600.2 s"},
	} {
		e := recorded(t, c.recording)
		if c.change != nil {
			c.change(&e)
		}
		if v := Judge(e); !strings.Contains(strings.Join(v.Meaning, "\n"), c.want) {
			t.Errorf("%s: %q is missing in:\n%s", name, c.want, strings.Join(v.Meaning, "\n"))
		}
	}
}

func TestTheLimitInASentence(t *testing.T) {
	seven, nine, one := 7, 9, 1
	for want, b := range map[string]facts.Budget{
		"How many requests a connection gets was not asked.": {},
		"No limit was met: one connection got 3000 requests, and was asked for no more.": {Least: 3000,
			AskedUpTo: 3000},
		"No limit was met: one connection got 50 requests, then the asking ended: it answers 429.": {Least: 50,
			AskedUpTo: 60, Stopped: "it answers \x1b429."},
		"A connection gets exactly 7 requests (2 connections were counted).": {Least: 7, Most: &seven, AskedUpTo: 12,
			Counts: []int{7, 7}},
		"One connection got 7 requests, and was ended; one is not enough to call that the limit.": {Least: 7,
			Most: &seven, AskedUpTo: 12, Counts: []int{7}},
		"A connection gets exactly 1 request (3 connections were counted).": {Least: 1, Most: &one, AskedUpTo: 2,
			Counts: []int{1, 1, 1}},
		"A connection gets 7 to 9 requests: its end is announced at the first, and what is on its way then may be " +
			"served still.": {Least: 7, Most: &nine, AskedUpTo: 12, Counts: []int{9, 7}},
	} {
		if got := Judge(facts.Endpoint{Budget: b}).Limit; got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func TestTheChangeIsTheLineOfTheFamily(t *testing.T) {
	for name, want := range map[string][]string{
		"nginx-1.22-1000": {"keepalive_requests 100000;", "keep-alive-requests: \"100000\"",
			"http2_max_requests 100000;", "keepalive_timeout 75s;"},
		"nginx-1.30-none-met": {"keepalive_timeout 75s;"},
		"haproxy-3.2-300":     {"tune.h2.fe.max-total-streams 0", "timeout http-keep-alive 60s\ntimeout client 60s"},
		"nghttpx-1.52-300":    {"frontend-max-requests=100000", "frontend-http2-read-timeout=3m"},
		"apache-2.4":          {"KeepAliveTimeout 60"},
		"h2o-2.2":             {"http2-idle-timeout: 60"},
		"node-20":             nil,
	} {
		var got []string
		for _, c := range Judge(recorded(t, name)).Changes {
			if c.For == "" || c.Where == "" || c.Why == "" {
				t.Errorf("%s: half a change: %+v", name, c)
			}
			got = append(got, c.Line)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestWithoutWatchingAnUnusedConnection(t *testing.T) {
	for name, want := range map[string]string{"nginx-1.30-none-met": Likely, "envoy-none": Likely,
		"haproxy-3.2-none": Likely, "caddy-2.6": Likely,
		"nghttpx-1.52-none": Likely, "node-20": Likely, "apache-2.4": Likely, "h2o-2.2": Likely} {
		e := changed(t, name, func(e *facts.Endpoint) { e.Idle = nil })
		if v := Judge(e); v.Sure != want {
			t.Errorf("%s: %s, want %s", name, v.Sure, want)
		}
	}
	for _, name := range []string{"apache-2.4", "h2o-2.2"} { // other servers send the same SETTINGS
		e := changed(t, name, func(e *facts.Endpoint) { e.Idle, e.Server = nil, "" })
		if v := Judge(e); v.Sure != Possible {
			t.Errorf("%s without a header: %s, want possible", name, v.Sure)
		}
	}
}

func TestOneConnectionIsNotHeldAgainstNginx(t *testing.T) {
	e := changed(t, "nginx-1.22-1000", func(e *facts.Endpoint) { e.Budget.Counts = []int{1000} })
	v := Judge(e)
	if v.Family != "nginx" || v.Sure == Unknown || len(v.Candidates[0].Against) != 0 {
		t.Errorf("%s %s, against %+v", v.Family, v.Sure, v.Candidates[0].Against)
	}
}

func TestConfiguredValuesAreSaid(t *testing.T) {
	e := changed(t, "nginx-1.22-1000", func(e *facts.Endpoint) { e.Settings[0].Value = 100 })
	v := Judge(e)
	if v.Family != "nginx" ||
		!strings.Contains(strings.Join(lines(v), " "), "MAX_CONCURRENT_STREAMS is 100, not the default 128") {
		t.Errorf("%s\n%s", v.Family, strings.Join(lines(v), "\n"))
	}
	e.Settings[2].Value = 16384 // nginx has no option for it
	if v := Judge(e); v.Sure == Certain || len(v.Candidates[0].Against) == 0 {
		t.Errorf("a frame that nginx can't send: %s", v.Sure)
	}
}

func TestAnApplicationsHeaderIsNoContradictionButSaid(t *testing.T) {
	for name, said := range map[string]bool{"nginx-1.22-1000": true, "envoy-500": true, "haproxy-3.2-none": false,
		"go-1.26-none": false, "node-20": false} {
		e := changed(t, name, func(e *facts.Endpoint) { e.Server = "gunicorn/20.1" })
		v := Judge(e)
		if got := len(v.Warnings) == 1 && strings.Contains(v.Warnings[0], "names no server known here"); got != said {
			t.Errorf("%s: warnings %q", name, v.Warnings)
		}
	}
}

func TestNextCanBePasted(t *testing.T) {
	e := changed(t, "node-20", func(e *facts.Endpoint) { e.URL = "https://h/it's?a=1&b" })
	if got, want := Judge(e).Next, `h2lab probe --max-streams 30000 'https://h/it'\''s?a=1&b'`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	e.Budget.AskedUpTo = 100000
	if got := Judge(e).Next; !strings.HasPrefix(got, "grep -rnE ") {
		t.Errorf("asked far enough, and next is %s", got)
	}
	if got := Judge(facts.Endpoint{URL: "https://h/"}).Next; got != "curl -sv -o /dev/null 'https://h/'" {
		t.Errorf("nothing known, and next is %s", got)
	}
}
