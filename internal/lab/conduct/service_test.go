package conduct

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
	"h2lab/internal/lab/load"
)

// through is a cell of a service at that address.
func through(front string) facts.Planned {
	return facts.Planned{
		Topology: facts.Topology{Name: "nginx-1000-envoy", Limit: 1000, Servers: []facts.Server{
			{Name: "nginx-1000-envoy", Kind: facts.Nginx, Front: "127.0.0.1:18141"},
			{Name: "backend", Kind: facts.Backend, Front: "127.0.0.1:18443", Counters: "127.0.0.1:18090"}}},
		Protocol: facts.H2, Client: "caller", Users: facts.K6ConnectionPerVU, Program: &facts.Program{IDs: true},
		Workload: facts.Workload{Method: "POST", DelayMS: 20, Concurrency: 800, Pools: 1},
		Service:  &facts.Server{Name: "caller", Kind: facts.Service, Front: front},
	}
}

func TestTheUsersOfAServiceCallItOverPlainHTTP(t *testing.T) {
	b := &Bench{RunID: "run", Programs: map[facts.Client][]string{"caller": {"wrong"}, facts.GoBurst: {"go-client"}}}
	cell := through("127.0.0.1:18301")
	job := b.job(&window{bench: b, cell: cell, index: 2})
	if job.Base != "http://127.0.0.1:18301/through/nginx-1000-envoy" || job.Protocol != facts.H1 ||
		job.Client != facts.K6ConnectionPerVU || job.Argv != nil {
		t.Errorf("%+v", job)
	}
	if job.Topology != "nginx-1000-envoy" || job.Limit != 1000 {
		t.Errorf("k6's tags are %s and %d", job.Topology, job.Limit)
	}
	cell.Users, cell.Workload.NoCall, cell.Point = facts.GoBurst, true, "50ms"
	other := b.job(&window{bench: b, cell: cell, index: 2})
	if got := other.Base + other.Workload.Path(); got != "http://127.0.0.1:18301/wait?ms=20" || len(other.Argv) != 1 {
		t.Errorf("without a call: %s, %q", got, other.Argv)
	}
	if other.Nonce == job.Nonce {
		t.Error("two points of a sweep have the same request ids")
	}
}

func TestAServicesViewIsClassifiedAndItsMachinesLackIsAWarning(t *testing.T) {
	const view = `{"requests":5,"rejected":0,"calls":5,"succeeded":2,"failed":3,"errors":[` +
		`{"class":"","count":2,"message":"java.net.SocketException: Too many open files"},` +
		`{"class":"","count":1,"message":"okhttp3.internal.http2.StreamResetException: stream was reset: REFUSED_STREAM"}],` +
		`"call_ms":{"p50":1,"p90":1,"p95":1,"p99":1,"p999":1,"max":1},` +
		`"failed_ms":{"p50":1,"p90":1,"p95":1,"p99":1,"p999":1,"max":1},` +
		`"row_ms":{"p50":null,"p90":null,"p95":null,"p99":null,"p999":null,"max":null},` +
		`"threads":null,"heap_mb":null,"heap_max_mb":null,"cpu_s":null,"gc_s":null,"settings":{}}`
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, view) }))
	defer s.Close()
	w := &window{cell: through(s.Listener.Addr().String())}
	labtest.Check(t, w.endService(t.Context()))
	got := w.service.view.Errors
	if len(got) != 2 || got[0].Class != facts.ErrRefusedStream || got[1].Class != facts.ErrClientResources {
		t.Errorf("errors %+v", got)
	}
	if len(w.warnings) != 1 || !strings.HasPrefix(texts.English.In(w.warnings[0]), "2 of the 5 calls of caller failed because its machine") {
		t.Errorf("warnings %q", w.warnings)
	}
}

func TestRequestsWithoutIdsLeaveTheBackendsCountsUnknown(t *testing.T) {
	for _, c := range []struct {
		users facts.Client
		known bool
	}{{facts.K6ConnectionPerVU, true}, {facts.Ab, false}} {
		w := &window{cell: through("127.0.0.1:18301"),
			backBefore: facts.Observation{Raw: map[string]int64{"executed": 1, "distinct": 1, "duplicates": 0}},
			backAfter:  facts.Observation{Raw: map[string]int64{"executed": 8, "distinct": 6, "duplicates": 2}}}
		w.cell.Users = c.users
		d := w.backendDelta()
		if known := d.Executed != nil && *d.Executed == 7 && *d.Duplicates == 2; known != c.known {
			t.Errorf("%s: %+v", c.users, d)
		}
	}
}

func TestWhatTheServiceWaitsItselfNeedsNoConnections(t *testing.T) {
	w := &window{cell: through("127.0.0.1:18301")}
	if w.connections(load.Answer{Attempts: 100}).Expected == nil {
		t.Error("a service that calls needs connections")
	}
	w.cell.Workload.NoCall = true
	if c := w.connections(load.Answer{Attempts: 100}); c.Expected != nil {
		t.Errorf("a service that calls nothing needs %d connections", *c.Expected)
	}
}

func TestALaterPassDoesNotProbeTheSameLimitAgain(t *testing.T) {
	f := &fake{limit: func(top facts.Topology, p facts.Protocol) (facts.Limit, error) {
		l, err := asNamed(top, p)
		l.ProbedRequests = 1000
		return l, err
	}}
	s, _ := score(f, 1, planned("nginx-1000")...)
	labtest.Check(t, Run(context.Background(), s))
	again, _ := score(f, 1, planned("nginx-1000", "direct")...)
	again.Result = s.Result
	labtest.Check(t, Run(context.Background(), again))
	probes := 0
	for _, line := range f.log {
		if strings.HasPrefix(line, "limit nginx-1000 ") {
			probes++
		}
	}
	if cells := s.Result.Cells; probes != 1 || len(cells) != 3 || cells[1].Limit.ProbedRequests != 1000 {
		t.Errorf("%d probes of nginx-1000, cells %+v", probes, cells)
	}
}
