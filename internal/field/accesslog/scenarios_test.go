package accesslog

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

const (
	sec  = time.Second
	mins = time.Minute
	hour = time.Hour
)

// scenario is a simulated log with the verdicts that are right for it. A limit is offered only
// where the scenario has one.
type scenario struct {
	name   string
	worlds []world
	as     func(request) string
	opts   Options
	want   []string
	limit  uint32 // the limit that ended connections; 0 means that none did
}

const (
	goClient = "Go-http-client/2.0"
	browser  = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/126.0"
)

var direct = Options{NoUpstreams: true}

// scenarios were used while the judging was written; heldOut in heldout_test.go were written before it
// and not looked at.
var scenarios = []scenario{
	{"nginx's default limit, a pool that dials for every waiting request", []world{{length: 5 * mins, limit: 1000,
		crowds: []crowd{{n: 1, agent: goClient, every: 5 * time.Millisecond, dials: 50}}}},
		asOffered, Options{}, []string{Stampede}, 1000},
	{"nginx's default limit, four pools that dial once", []world{{length: 10 * mins, limit: 1000,
		crowds: []crowd{{n: 4, agent: goClient, every: 20 * time.Millisecond}}}},
		asOffered, direct, []string{AtLimit}, 1000},
	{"programs that close after 37 requests, the limit is 1000", []world{{length: hour, limit: 1000, idle: 75 * sec,
		crowds: []crowd{{n: 20, agent: "python-httpx/0.27", every: 50 * time.Millisecond, visit: 37, pause: mins}}}},
		asOffered, direct, []string{ClientsStop, SameCount}, 0},
	{"programs that close after 8 requests, behind one address", []world{{length: 30 * mins, limit: 1000, idle: 75 * sec,
		crowds: []crowd{{n: 30, addr: "192.0.2.1", agent: "curl/8.5", every: 100 * time.Millisecond, visit: 8,
			pause: 10 * sec}}}},
		asCombined, Options{}, []string{ClientsStop, SameCount}, 0},
	{"keepalive_time 60s, pools of different rates", []world{{length: 12 * mins, age: mins, limit: 100_000,
		crowds: []crowd{{n: 10, agent: goClient, every: 60 * time.Millisecond, spread: 8}}}},
		asOffered, direct, []string{Aged}, 0},
	{"a balancer cuts at 30 s", []world{{length: 20 * mins, cut: 30 * sec, limit: 100_000,
		crowds: []crowd{{n: 6, agent: goClient, every: 50 * time.Millisecond, spread: 6}}}},
		asJSON, direct, []string{Aged}, 0},
	{"keepalive_timeout 10s, clients in bursts", []world{{length: 2 * hour, idle: 10 * sec, limit: 1000,
		crowds: []crowd{{n: 12, agent: "okhttp/4.12", every: 300 * time.Millisecond, on: 8 * sec, off: 25 * sec},
			{n: 5, agent: "okhttp/4.12", every: 6 * sec}}}},
		asOffered, direct, []string{Idled}, 0},
	{"two reloads", []world{{length: hour, limit: 1_000_000, idle: 75 * sec, reloads: []time.Duration{17 * mins, 41 * mins},
		crowds: []crowd{{n: 20, agent: goClient, every: 200 * time.Millisecond, spread: 4}}}},
		asOffered, direct, []string{Reloaded}, 0},
	{"health checks and a little traffic", []world{{length: hour, limit: 1000, idle: 75 * sec,
		crowds: []crowd{{n: 3, agent: "kube-probe/1.29", path: "/healthz", every: 10 * sec, regular: true, visit: 1, h1: true},
			{n: 2, agent: goClient, every: 5 * sec}}}},
		asOffered, direct, []string{Calm, HealthChecks}, 0},
	{"empty connections without a limit", []world{{length: hour, limit: 100_000, idle: 75 * sec,
		crowds: []crowd{{n: 10, agent: goClient, every: 200 * time.Millisecond, visit: 300, around: true, pause: sec,
			dials: 50}}}},
		asOffered, direct, []string{Empties}, 0},
	{"a public site", []world{{length: hour, limit: 1000, idle: 75 * sec,
		crowds: []crowd{{n: 400, agent: browser, every: 300 * time.Millisecond, visit: 12, around: true, pause: 20 * mins}}}},
		asOffered, direct, []string{Churn}, 0},
	{"pools that are used for long", []world{{length: hour, limit: 1_000_000, idle: 75 * sec,
		crowds: []crowd{{n: 10, agent: goClient, every: 200 * time.Millisecond}}}},
		asOffered, direct, []string{Calm}, 0},
	{"two instances in one log, without their names", []world{
		{length: 10 * mins, limit: 1000, crowds: []crowd{{n: 2, agent: goClient, every: 20 * time.Millisecond}}},
		{length: 10 * mins, limit: 1000, serial: 300_000, seed: 3,
			crowds: []crowd{{n: 2, agent: goClient, every: 20 * time.Millisecond}}}},
		asOffered, direct, []string{AtLimit}, 1000},
	{"a regular poller and keepalive_time 5m", []world{{length: 3 * hour, age: 5 * mins, limit: 100_000,
		crowds: []crowd{{n: 4, agent: "poller/1", every: sec, regular: true}}}},
		asOffered, direct, []string{Aged, CountOrAge}, 0},
	{"a regular client and the limit 1000", []world{{length: hour, limit: 1000, idle: 75 * sec,
		crowds: []crowd{{n: 3, agent: "poller/1", every: 100 * time.Millisecond, regular: true}}}},
		asOffered, direct, []string{AtLimit}, 1000},
	{"a limit that is met every 80 minutes", []world{{length: 10 * hour, limit: 1000,
		crowds: []crowd{{n: 6, agent: goClient, every: 5 * sec}}}},
		asOffered, direct, []string{SlowLimit}, 1000},
	{"Envoy with max_requests_per_connection 500", []world{{length: 20 * mins, limit: 500, slack: 12,
		crowds: []crowd{{n: 8, agent: goClient, every: 40 * time.Millisecond, spread: 5}}}},
		asEnvoy, Options{}, []string{AtLimit}, 500},
	{"Envoy with max_connection_duration 30s", []world{{length: 20 * mins, age: 30 * sec,
		crowds: []crowd{{n: 8, agent: goClient, every: 40 * time.Millisecond, spread: 5}}}},
		asEnvoy, Options{}, []string{Aged}, 0},
	{"a limit, and another server of this nginx that logs elsewhere", []world{{length: 20 * mins, limit: 1000, idle: 75 * sec,
		crowds: []crowd{{n: 3, agent: goClient, every: 15 * time.Millisecond, spread: 3},
			{n: 1, every: 100 * time.Millisecond, visit: 1, elsewhere: true}}}},
		asOffered, direct, []string{AtLimit}, 1000},
	{"a limit, and a balancer that opens connections to check the port", []world{{length: hour, limit: 1000, idle: 75 * sec,
		crowds: []crowd{{n: 3, agent: goClient, every: 40 * time.Millisecond, spread: 3},
			{n: 2, every: sec, regular: true, visit: 1, elsewhere: true}}}},
		asJSON, direct, []string{AtLimit}, 1000},
	{"connections that carry 40 requests for no reason that shows", []world{{length: hour, limit: 100_000,
		crowds: []crowd{{n: 10, agent: goClient, every: 200 * time.Millisecond, visit: 40, around: true, pause: 5 * sec}}}},
		asOffered, direct, []string{Calm, Churn}, 0},
}

// A quarter of them; the integration tests read all.
func TestScenarios(t *testing.T) {
	for i := 0; i < len(scenarios); i += 4 {
		judged(t, scenarios[i:i+1])
	}
}

// judged reads each simulated log and compares the verdict.
func judged(t *testing.T, all []scenario) {
	t.Helper()
	for _, s := range all {
		t.Run(s.name, func(t *testing.T) {
			got := read(t, strings.NewReader(textOf(interleaved(s.worlds...), s.as)), s.opts)
			v := got.Verdict
			if !slices.Contains(s.want, v.ID) {
				t.Errorf("%s, not %v: %s", v.ID, s.want, fmt.Sprint(v.Says))
			}
			offered := ""
			for _, c := range v.Changes {
				offered += c.Line.String() + "\n"
			}
			limits := strings.Contains(offered, "requests") || v.KeepaliveRequests != nil
			switch {
			case s.limit == 0 && limits:
				t.Errorf("offers a limit: %s", offered)
			case s.limit > 0 && (got.Limit == nil || got.Limit.Requests != s.limit):
				t.Errorf("the limit is %d, not %+v", s.limit, got.Limit)
			case s.limit > 0 && v.ID != SlowLimit && !limits:
				t.Errorf("offers no limit: %s", offered)
			}
		})
	}
}
