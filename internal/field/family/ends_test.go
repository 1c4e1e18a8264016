package family

import (
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
	"h2lab/internal/field/cause"
)

func TestAShortIdleTimeOutIsNamed(t *testing.T) {
	f := labtest.NewFaults(t, labtest.Limits)
	f.Try("nginx has keepalive_timeout 50ms, shorter than the pauses of the probe", func(t *testing.T) {
		v := Judge(recorded(t, "nginx-idle-50ms"))
		if v.Cause.Kind != cause.Idle || len(v.Changes) != 1 || !strings.Contains(v.Changes[0].Line, "keepalive_timeout") ||
			!strings.HasPrefix(v.Limit, "No request limit was met: a connection ends when it is unused for 0.048 to 0.053 s (3 connections).") {
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
	if !strings.Contains(v.Limit, "with an error (ENHANCE_YOUR_CALM), after 200 and 200 requests, at ages of") ||
		strings.Contains(said(v), `""`) {
		t.Error(said(v))
	}
	f := labtest.NewFaults(t, labtest.Places)
	f.Try("the server breaks the protocol after many answers", func(t *testing.T) {
		v := Judge(recorded(t, "libwebsockets-4.1"))
		if !strings.HasPrefix(v.Limit, "One connection got 8182 requests, then the server broke the protocol") {
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
			if text := Judge(e).Limit; !strings.Contains(text, "all connections of a client share") {
				t.Error(text)
			}
		}
	})
	f.Try("each connection gets a GOAWAY before its first request", func(t *testing.T) {
		for _, n := range [][]int{{0}, {0, 0, 0}} {
			if text := Judge(ends(n...)).Limit; text != "The server ended "+connections(len(n))+" before a request: it may be shutting down." {
				t.Error(text)
			}
		}
	})
	if text := Judge(ends(2000, 1, 700, 1, 1)).Limit; strings.Contains(text, "share") {
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
	if text := Judge(e).Limit; !strings.HasSuffix(text, "One is not enough to tell a request limit from an age.") {
		t.Error(text)
	}
	e.Warnings = []facts.Note{facts.NewNote("error", "text", "h:443 can't be reached: connection refused")}
	if text := Judge(e).Limit; !strings.HasSuffix(text, "a server that is shutting down looks like this too.") {
		t.Error(text)
	}
}

// Two ends while nothing was in flight, and a pause that another connection outlived: an idle time-out may vary.
func TestEndsOfUnusedConnectionsMayBeOfAnIdleTimeOut(t *testing.T) {
	e, unused := ends(19942, 1, 7, 20000), 97.0
	e.Asked[0].UnusedMS, e.Asked[1].UnusedMS, e.Asked[3].PausedMS = &unused, &unused, 110
	e.Asked[3].How, e.Asked[3].AnnouncedMS, e.Asked[3].LeftMS, e.Asked[3].Goaways = "", nil, &[]float64{9000}[0], nil
	if text := Judge(e).Limit; !strings.Contains(text, "an idle time-out") {
		t.Error(text)
	}
	e.Asked[0].UnusedMS, e.Asked[1].UnusedMS = nil, nil
	if text := Judge(e).Limit; strings.Contains(text, "an idle time-out") {
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
