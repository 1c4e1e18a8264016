//go:build integration

package main_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
	"h2lab/internal/field/cause"
	"h2lab/internal/field/family"
	"h2lab/internal/field/probe"
)

// -record writes what the probe saw of each server to internal/field/family/testdata, for its unit tests.
var record = flag.Bool("record", false, "write testdata/NAME.json from the real servers")

// realCase is a real server and what the probe must find out about it.
type realCase struct {
	name   string
	server real
	goes   int64  // Go's own server in this process, with that limit; -1 is without
	limit  int    // the configured limit; 0 is none
	how    string // how its connections end
	lossy  bool   // streams above the last-stream-id are dropped
	family string
	sure   []string
}

// asked is how many requests a server without a limit must answer on one connection.
const asked = 3000

func realCases() []realCase {
	sure, likely := []string{family.Certain}, []string{family.Certain, family.Likely}
	return []realCase{
		{
			name:   "nginx-1.22-1000",
			server: nginx("nginx", 1000),
			limit:  1000,
			how:    facts.EndedByGoaway,
			lossy:  true,
			family: "nginx",
			sure:   sure,
		},
		{name: "nginx-1.22-none-met", server: nginx("nginx", 100000), family: "nginx", sure: likely},
		{
			name:   "nginx-1.30-100",
			server: nginx("nginx-current", 100),
			limit:  100,
			how:    facts.EndedByGoaway,
			lossy:  true,
			family: "nginx",
			sure:   sure,
		},
		{name: "nginx-1.30-none-met", server: nginx("nginx-current", 100000), family: "nginx", sure: likely},
		{name: "envoy-none", server: envoy("idle_timeout: 2s"), family: "envoy", sure: sure},
		{
			name:   "envoy-500",
			server: envoy("idle_timeout: 2s, max_requests_per_connection: 500"),
			limit:  500,
			how:    facts.EndedByTwoStages,
			family: "envoy",
			sure:   sure,
		},
		{name: "haproxy-2.6-none", server: haproxy("haproxy", ""), family: "haproxy", sure: likely},
		{name: "haproxy-3.2-none", server: haproxy("haproxy-current", ""), family: "haproxy", sure: likely},
		{
			name:   "haproxy-3.2-300",
			server: haproxy("haproxy-current", "tune.h2.fe.max-total-streams 300"),
			limit:  300,
			how:    facts.EndedByFutureID,
			family: "haproxy",
			sure:   sure,
		},
		{name: "apache-2.4", server: apache(), family: "apache", sure: sure},
		{name: "caddy-2.6", server: caddy(), family: "go", sure: sure},
		{name: "go-1.26-none", goes: -1, family: "go", sure: sure},
		{name: "go-1.26-400", goes: 400, limit: 400, how: facts.EndedByGoaway, lossy: true, family: "go", sure: likely},
		{name: "h2o-2.2", server: h2o(), family: "h2o", sure: sure},
		{name: "nghttpx-1.52-none", server: nghttpx(), family: "nghttpx", sure: sure},
		{
			name:   "nghttpx-1.52-300",
			server: nghttpx("--frontend-max-requests=300"),
			limit:  300,
			how:    facts.EndedByTwoStages,
			family: "nghttpx",
			sure:   likely,
		},
		{name: "node-20", server: node(), family: "node", sure: []string{family.Possible}},
	}
}

func TestRealServersAreFoundOut(t *testing.T) {
	for _, c := range realCases() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			e := c.survey(t)
			v := family.Judge(e)
			c.limitIsTrue(t, e, v)
			c.endingIsTrue(t, e)
			if *record {
				keep(t, c.name, e)
			}
			if v.Family != c.family || !slices.Contains(c.sure, v.Sure) || len(v.Warnings) != 0 {
				t.Errorf("judged %s (%s), want %s (%v); warnings %q", v.Family, v.Sure, c.family, c.sure, v.Warnings)
			}
			if t.Failed() {
				b, _ := json.MarshalIndent(map[string]any{"endpoint": e, "verdict": v}, "", "  ")
				t.Logf("%s", b)
			}
		})
	}
}

// limitIsTrue compares what the probe found with the server's configuration.
func (c realCase) limitIsTrue(t *testing.T, e facts.Endpoint, v family.Verdict) {
	t.Helper()
	b := e.Budget
	if c.limit == 0 {
		if b.Most != nil || b.Least != asked || b.AskedUpTo != asked ||
			v.Cause.Kind != cause.None || v.Cause.MostRequests != asked {
			t.Errorf("no limit is set, and it was said: %q, %+v", v.Limit, b)
		}
		return
	}
	if v.Cause.Kind != cause.Count || *v.Cause.Requests != c.limit {
		t.Errorf("the limit is %d, and the probe says %q, %+v", c.limit, v.Limit, b)
	}
	if len(v.Changes) == 0 {
		t.Error("a limit was met, and nothing is said to be changed")
	}
}

func (c realCase) endingIsTrue(t *testing.T, e facts.Endpoint) {
	t.Helper()
	if c.limit == 0 {
		if e.Ending != nil {
			t.Errorf("nothing ends it, and it was said: %+v", e.Ending)
		}
		return
	}
	if e.Ending == nil || e.Ending.How != c.how || e.Crossing == nil {
		t.Errorf("it ends by %s, and it was said: %+v, %+v", c.how, e.Ending, e.Crossing)
		return
	}
	x := e.Crossing
	if dropped := x.InFlight.Dropped + x.After.Dropped; (dropped > 0) != c.lossy ||
		c.lossy && x.InFlight.Answered+x.After.Answered > 0 {
		t.Errorf("streams above the last id: %+v and, sent late, %+v; want them dropped: %v", x.InFlight, x.After,
			c.lossy)
	}
	if x.Covered.Answered != x.Covered.Sent {
		t.Errorf("streams that the GOAWAY covers: %+v, want them answered", x.Covered)
	}
}

func (c realCase) survey(t *testing.T) facts.Endpoint {
	t.Helper()
	var addr, ca string
	if c.goes != 0 {
		addr, ca = golang(t, c.goes)
	} else {
		addr, ca = c.server.start(t, origin(t))
	}
	e, err := probe.Survey(t.Context(), probe.Target{Addr: addr, CAFile: ca},
		probe.Ask{MaxStreams: asked, Idle: idleFor + 2*time.Second})
	if err != nil {
		t.Fatal(err)
	}
	if idle := e.Idle; idle == nil || (idle.Seconds == nil) != (c.family == "node") {
		t.Errorf("unused for %v: %+v", idleFor, idle)
	}
	return e
}

// keep writes what the probe saw, without values that differ from run to run and have no meaning.
func keep(t *testing.T, name string, e facts.Endpoint) {
	t.Helper()
	e.URL, e.Address = "https://127.0.0.1:8443/lab/health", "127.0.0.1:8443"
	b, err := json.MarshalIndent(e, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(labtest.Root(t), "internal", "field", "family", "testdata", name+".json"),
		append(b, '\n'), 0o644); err != nil {
		t.Fatal(err)
	}
}
