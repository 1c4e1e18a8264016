package family

import (
	"slices"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
	"h2lab/internal/field/cause"
)

// changed is a recording with one change.
func changed(t *testing.T, name string, change func(*facts.Endpoint)) facts.Endpoint {
	t.Helper()
	e := recorded(t, name)
	change(&e)
	return e
}

// What recordings mean stands in the goldens of internal/field/probe/document; these are changed.
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
		"refused ones are as safe": {"nginx-1.22-1000",
			func(e *facts.Endpoint) { e.Crossing.InFlight = facts.Fates{Sent: 3, Refused: 2, Answered: 1} },
			"2 were refused (REFUSED_STREAM), 1 was answered nevertheless. The server did not process them"},
		"nothing was in flight": {"nginx-1.22-1000", func(e *facts.Endpoint) { e.Crossing = nil },
			"may send streams above it again on another connection, whatever their method"},
		"two stages, and some lost": {"envoy-500", func(e *facts.Endpoint) { e.Crossing.Covered.Answered = 90 },
			"Of 97 streams in flight 7 were not answered"},
		"closed without a GOAWAY": {"node-20", noGoaway(facts.EndedByClose), "closes the connection without a GOAWAY. A client can't know"},
		"reset":                   {"node-20", noGoaway(facts.EndedByReset), "resets the connection without a GOAWAY"},
		"HTTP/1.1": {"node-20", noGoaway(facts.EndedByConnectionClose),
			"The last answer has Connection: close"},
		"an error without a text": {"envoy-none", failing("INTERNAL_ERROR", ""), "is an error, not a request limit. The server's log may say why."},
		"a flood guard": {"envoy-none", failing("ENHANCE_YOUR_CALM", "too_many_pings"), `GOAWAY ENHANCE_YOUR_CALM "` +
			`too_many_pings" after 4430 requests is an error, not a request limit. The server takes this for a flood`},
		"an error of another kind": {"envoy-none", failing("INTERNAL_ERROR", "ParseError"), "The server's log may say why."},
		"Apache's idle default":    {"apache-2.4", idle(5.02), "5.0 s (5 s is Apache's default (KeepAliveTimeout))"},
		"an idle time that is long": {"nginx-1.30-none-met", idle(75.3),
			"An unused connection ends after 75.3 s (75 s is nginx's default (keepalive_timeout))."},
		"aged": {"nginx-1.30-none-met", func(e *facts.Endpoint) {
			hour := 3600.2
			e.Age = &facts.Lifetime{Seconds: &hour}
		}, "A connection in light use ends at an age of 3600.2 s"},
	} {
		e := recorded(t, c.recording)
		c.change(&e)
		if v := Judge(e); !strings.Contains(lines(v.Meaning), c.want) {
			t.Errorf("%s: %q is missing in:\n%s", name, c.want, lines(v.Meaning))
		}
	}
}

// The goldens of internal/field/probe/document have the sentences of the recordings.
func TestTheLimitInASentence(t *testing.T) {
	silent := facts.Endpoint{Budget: facts.Budget{Least: 50, AskedUpTo: 60, Stopped: facts.Note(facts.Verbatim("it left 10 unanswered"))},
		Asked: []facts.AskedConnection{{For: facts.ForLimit, Requests: 60, Answered: 50, MayHaveRun: 10}}}
	if got := Judge(silent).Limit.String(); got != "The server left requests without an answer after 50 requests: it left 10 unanswered." {
		t.Error(got)
	}
	busy := facts.Endpoint{Budget: facts.Budget{Least: 50, AskedUpTo: 60, Stopped: facts.Note(facts.Verbatim("it answers 429"))}}
	if got := Judge(busy).Limit.String(); got != "No limit was met: one connection got 50 requests, then the probe stopped: it answers 429." {
		t.Error(got)
	}
}

// A change is offered only for the cause that was seen.
func TestNoRequestLimitIsOfferedForAnotherCause(t *testing.T) {
	for _, name := range []string{"nginx-time-5s", "envoy-duration-4s", "envoy-tcp-3s", "go-age-3s", "go-bytes",
		"go-chance-200", "go-reset", "nginx-reloads", "grpc-go-age-2s", "grpc-java-age-2s", "node-destroy-300",
		"node-calm-200"} {
		for _, c := range Judge(recorded(t, name)).Changes {
			if line := c.Line.String(); strings.Contains(strings.ToLower(line), "requests") || strings.Contains(line, "goaway-chance") {
				t.Errorf("%s: %s", name, c.Line)
			}
		}
	}
	for name, want := range map[string]string{"nginx-time-5s": "keepalive_time 1h;", "grpc-java-age-2s": "maxConnectionAge(1",
		"envoy-duration-4s": "max_connection_duration", "envoy-tcp-3s": "", "grpc-go-age-2s": "MaxConnectionAge"} {
		var all []string
		for _, c := range Judge(recorded(t, name)).Changes {
			all = append(all, c.Line.String())
		}
		if got := strings.Join(all, "\n"); !strings.Contains(got, want) || (got == "") != (want == "") {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestWithoutWatchingAnUnusedConnection(t *testing.T) {
	for name, want := range map[string]string{"nginx-1.30-none-met": Likely, "envoy-none": Likely,
		"haproxy-3.2-none": Likely, "caddy-2.6": Likely,
		"nghttpx-1.52-none": Likely, "node-20": Possible, "apache-2.4": Possible, "h2o-2.2": Possible} {
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

func TestConfiguredValuesAreSaid(t *testing.T) {
	e := changed(t, "nginx-1.22-1000", func(e *facts.Endpoint) { e.Settings[0].Value = 100 })
	v := Judge(e)
	if v.Family != "nginx" ||
		!strings.Contains(v.Candidates[0].For[0].Says.String(), "MAX_CONCURRENT_STREAMS is 100, not the default 128") {
		t.Errorf("%s\n%+v", v.Family, v.Candidates)
	}
	e.Settings[2].Value = 16384 // nginx has no option for it
	if v := Judge(e); slices.ContainsFunc(v.Candidates, func(c Candidate) bool { return c.Family == "nginx" }) {
		t.Errorf("a frame that nginx can't send: %s", v.Among)
	}
}

func TestAnApplicationsHeaderIsNoContradictionButSaid(t *testing.T) {
	for name, said := range map[string]bool{"nginx-1.22-1000": true, "envoy-500": true, "haproxy-3.2-none": false,
		"go-1.26-none": false, "node-20": false} {
		e := changed(t, name, func(e *facts.Endpoint) { e.Server = "gunicorn/20.1" })
		v := Judge(e)
		if got := len(v.Warnings) == 1 && strings.Contains(v.Warnings[0].String(), "names no server known here"); got != said {
			t.Errorf("%s: warnings %q", name, v.Warnings)
		}
	}
}

func TestAShortIdleTimeOutIsNamed(t *testing.T) {
	f := labtest.NewFaults(t, labtest.Limits)
	f.Try("nginx has keepalive_timeout 50ms, shorter than the pauses of the probe", func(t *testing.T) {
		v := Judge(recorded(t, "nginx-idle-50ms"))
		if v.Cause.Kind != cause.Idle || len(v.Changes) != 1 || !strings.Contains(v.Changes[0].Line.String(), "keepalive_timeout") ||
			!strings.HasPrefix(v.Limit.String(), "No request limit was met: a connection ends when it is unused for 0.048 to 0.053 s (3 connections).") {
			t.Errorf("%+v\n%s", v.Changes, said(v))
		}
	})
	e := recorded(t, "nginx-idle-50ms")
	if e.Idle = nil; len(Judge(e).Changes) != 1 {
		t.Errorf("%+v", Judge(e).Changes)
	}
	if e.Ending.How = facts.EndedByClose; len(Judge(e).Changes) > 0 { // a balancer's time-out rather
		t.Errorf("%+v", Judge(e).Changes)
	}
}

// Streams above the last-stream-id that are answered show that the server processes them.
func TestALastStreamIDThatProvesNothing(t *testing.T) {
	f := labtest.NewFaults(t, labtest.Places)
	f.Try("Bun answers some of the streams above its GOAWAY's id, and others not", func(t *testing.T) {
		e := recorded(t, "bun-1.4")
		if text := said(Judge(e)); !strings.Contains(text, "this id proves nothing") || strings.Contains(text, "did not process them: a client may") {
			t.Error(text)
		}
		e.Crossing.After, e.Crossing.InFlight = facts.Fates{Sent: 3, Answered: 3}, facts.Fates{}
		if text := said(Judge(e)); !strings.Contains(text, "this id proves nothing") || strings.Contains(text, "they are not processed") {
			t.Error(text)
		}
	})
	f.Try("the server names stream 0 as its last one after it answered a hundred", func(t *testing.T) {
		if text := said(Judge(recorded(t, "goaway-0"))); !strings.Contains(text, "this id proves nothing") || strings.Contains(text, "did not process them: a client may") {
			t.Error(text)
		}
	})
	if text := said(Judge(recorded(t, "nginx-1.22-1000"))); strings.Contains(text, "proves nothing") {
		t.Error(text)
	}
}

func TestTheFirstLineOfAnError(t *testing.T) {
	v := Judge(recorded(t, "node-calm-200"))
	if !strings.Contains(v.Limit.String(), "with an error (ENHANCE_YOUR_CALM), after 200 and 200 requests, at ages of") ||
		strings.Contains(said(v), `""`) {
		t.Error(said(v))
	}
	f := labtest.NewFaults(t, labtest.Places)
	f.Try("the server breaks the protocol after many answers", func(t *testing.T) {
		v := Judge(recorded(t, "libwebsockets-4.1"))
		if !strings.HasPrefix(v.Limit.String(), "One connection got 8182 requests, then the server broke the protocol") {
			t.Error(v.Limit)
		}
	})
}

// ends makes a survey's connections of the requests that each got, one after the other.
func ends(requests ...int) facts.Endpoint {
	e := facts.Endpoint{Protocol: facts.H2}
	for i, n := range requests {
		at := float64(1000*i + 5)
		g := facts.GoawayFrame{Code: "NO_ERROR", LastStreamID: uint32(max(0, 2*n-1)), Sent: max(1, n), Answered: max(0, n-1)}
		e.Asked = append(e.Asked, facts.AskedConnection{For: facts.ForLimit, OpenedMS: float64(1000 * i), AnnouncedMS: &at,
			How: facts.EndedByGoaway, Requests: max(1, n), Answered: n, Goaways: []facts.GoawayFrame{g}})
	}
	return e
}

func TestWhatLaterConnectionsGet(t *testing.T) {
	f := labtest.NewFaults(t, labtest.Places)
	f.Try("a budget of all connections of a client is used up by the first one", func(t *testing.T) {
		early, late := ends(2000, 1, 1, 1, 1), ends(2000, 1, 1, 1, 1)
		*late.Asked[0].AnnouncedMS = 900 // so that no age fits
		for _, e := range []facts.Endpoint{early, late} {
			if text := Judge(e).Limit.String(); !strings.Contains(text, "all connections of a client share") {
				t.Error(text)
			}
		}
	})
	f.Try("each connection gets a GOAWAY before its first request", func(t *testing.T) {
		for _, n := range [][]int{{0}, {0, 0, 0}} {
			if text := Judge(ends(n...)).Limit.String(); text != "The server ended "+texts.English.In(connections(len(n)))+" before a request: it may be shutting down." {
				t.Error(text)
			}
		}
	})
	if text := Judge(ends(2000, 1, 700, 1, 1)).Limit.String(); strings.Contains(text, "share") {
		t.Error(text)
	}
}

// A server that ends its connections as HAProxy does and sends other SETTINGS is hardly HAProxy.
func TestNoChangeOfAProductWhoseSettingsDiffer(t *testing.T) {
	if v := Judge(recorded(t, "goaway-ahead")); len(v.Changes) > 0 {
		t.Errorf("%v: %+v", v.Among, v.Changes)
	}
	if v := Judge(recorded(t, "haproxy-3.2-300")); len(v.Changes) == 0 {
		t.Error("no change for HAProxy")
	}
}

func TestAnEndAfterWhichNoConnectionIsAccepted(t *testing.T) {
	e := ends(300)
	if text := Judge(e).Limit.String(); !strings.HasSuffix(text, "One is not enough to tell a request limit from an age.") {
		t.Error(text)
	}
	e.Warnings = []facts.Note{facts.NewNote("note.error", "h:443 can't be reached: connection refused")}
	if text := Judge(e).Limit.String(); !strings.HasSuffix(text, "a server that is shutting down looks like this too.") {
		t.Error(text)
	}
}

// Two ends while nothing was in flight, and a pause that another connection outlived: an idle time-out may vary.
func TestEndsOfUnusedConnectionsMayBeOfAnIdleTimeOut(t *testing.T) {
	e, unused := ends(19942, 1, 7, 20000), 97.0
	e.Asked[0].UnusedMS, e.Asked[1].UnusedMS, e.Asked[3].PausedMS = &unused, &unused, 110
	e.Asked[3].How, e.Asked[3].AnnouncedMS, e.Asked[3].LeftMS, e.Asked[3].Goaways = "", nil, &[]float64{9000}[0], nil
	if text := Judge(e).Limit.String(); !strings.Contains(text, "an idle time-out") {
		t.Error(text)
	}
	e.Asked[0].UnusedMS, e.Asked[1].UnusedMS = nil, nil
	if text := Judge(e).Limit.String(); strings.Contains(text, "an idle time-out") {
		t.Error(text)
	}
}

// A name in the Server header tells more than a number that is another server's default.
func TestANameComesBeforeANumber(t *testing.T) {
	e := countedH1(100)
	e.Server = "envoy"
	if v := Judge(e); v.Family != "envoy" || strings.Contains(said(v), "default of nginx") || strings.Contains(said(v), "nginx's default") {
		t.Errorf("%v\n%s", v.Among, said(v))
	}
}

// Helidon writes its SETTINGS from a map, whose order differs from start to start.
func TestSettingsInAnyOrder(t *testing.T) {
	e := recorded(t, "helidon-4.2")
	for range 4 {
		e.Settings = append(e.Settings[1:], e.Settings[0])
		if v := Judge(e); v.Family != "helidon" {
			t.Errorf("%v: %s", e.Settings, v.Family)
		}
	}
	e.Settings[2].Name = "SETTINGS_MAX_FRAME_SIZE"
	if v := Judge(e); v.Family == "helidon" {
		t.Errorf("%v: %s", e.Settings, v.Family)
	}
}
