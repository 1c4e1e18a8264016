package family

import (
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
	"h2lab/internal/field/cause"
)

// said is everything that a verdict says.
func said(v Verdict) string {
	out := append([]string{v.Limit, v.MayHaveRun}, v.Meaning...)
	return strings.Join(append(out, v.Warnings...), "\n")
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
			if strings.Contains(ev.Says, "two GOAWAYs") || strings.Contains(ev.Says, "between the two") {
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
			e.Budget.Stopped = "h:443 resets streams (NO_ERROR, 3 in a row) after 299 answers; its log may say why"
		})
		if text := Judge(e).Limit; !strings.HasPrefix(text, "The server stopped answering after") || strings.Contains(text, "No limit") {
			t.Error(text)
		}
	})
}

// gRPC's "max_idle" on a connection that carried requests: they were no calls, so that neither an age nor a count ended it.
func TestAConnectionThatTheServerCallsUnused(t *testing.T) {
	f := labtest.NewFaults(t, labtest.Places)
	f.Try("the server counts none of the requests as use", func(t *testing.T) {
		v := Judge(recorded(t, "grpc-go-idle-2s"))
		if v.Cause.Kind != cause.Unclear || len(v.Cause.Fits) > 0 || len(v.Changes) > 0 || !strings.HasPrefix(v.Limit, "Unclear: the "+
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
