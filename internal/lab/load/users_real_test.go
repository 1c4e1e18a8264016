//go:build integration

package load

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync/atomic"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
)

// usersJob is a job of ten users who call a service on this machine over plain HTTP.
func usersJob(t *testing.T, service http.HandlerFunc) Job {
	t.Helper()
	s := httptest.NewServer(service)
	t.Cleanup(s.Close)
	return Job{Client: facts.K6ConnectionPerVU, Topology: "direct", Protocol: facts.H1, Base: s.URL + "/through/direct",
		CA: filepath.Join("..", "..", "..", "certs", "out", "ca.crt"), Nonce: "it", Dir: t.TempDir(), K6: findK6(t),
		K6Scripts: "../../../k6", Workload: facts.Workload{Method: "POST", BodyBytes: 1, Concurrency: 10, Pools: 1,
			WarmupS: 0.3, DurationS: 1, MaxTLS: "1.2"}}
}

func TestUsersOfAServiceThink(t *testing.T) {
	var path atomic.Value
	job := usersJob(t, func(_ http.ResponseWriter, r *http.Request) { path.Store(r.URL.String()) })
	job.Workload.ThinkMS, job.Workload.DelayMS = 200, 50
	a, err := Run(t.Context(), job, Hooks{})
	labtest.Check(t, err)
	// In one second a user who thinks for 200 ms sends six requests at most.
	if a.Failed != 0 || a.Attempts < 10 || a.Attempts > 60 {
		t.Errorf("%d attempts of ten users, %d failed", a.Attempts, a.Failed)
	}
	if path.Load() != "/through/direct/echo?ms=50" {
		t.Errorf("they called %v", path.Load())
	}
}

func TestAServiceThatAnswersNobodyIsMeasured(t *testing.T) {
	a, err := Run(t.Context(), usersJob(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusServiceUnavailable)
	}), Hooks{})
	labtest.Check(t, err)
	if a.Succeeded != 0 || a.Failed != a.Attempts || a.Attempts < 10 || len(a.Errors) != 1 ||
		a.Errors[0].Class != facts.ErrHTTPStatus || a.Latency.P50 != nil {
		t.Errorf("%+v", a)
	}
}
