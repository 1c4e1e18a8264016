//go:build integration

package native

import (
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"h2lab/internal/base/counters"
	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
	"h2lab/internal/lab/plan"
)

// chains are the servers of the story's topologies. A second backend listens in the place of Spring
// Cloud Gateway, so that the proxies before it are tested without Java.
func chains() []facts.Server {
	out := plan.Servers(plan.StoryTopologies(plan.DefaultLimit))
	for i, s := range out {
		if s.Kind == facts.Gateway {
			out[i] = facts.Server{Name: s.Name, Kind: facts.Backend, Front: s.Front, Counters: s.Counters}
		}
	}
	return out
}

// observed is a server's counters after they have settled.
func observed(t *testing.T, root string, s facts.Server) facts.Observation {
	t.Helper()
	src, err := counters.Open(root, s)
	labtest.Check(t, err)
	defer src.Close()
	o, err := counters.Settle(t.Context(), src)
	labtest.Check(t, err)
	return o
}

// ask sends n requests over one connection.
func ask(t *testing.T, root, front string, h2 bool, n int) {
	t.Helper()
	client, err := healthClient(root)
	labtest.Check(t, err)
	only := new(http.Protocols)
	only.SetHTTP1(!h2)
	only.SetHTTP2(h2)
	client.Transport = &http.Transport{Protocols: only, TLSClientConfig: &tls.Config{
		RootCAs: client.Transport.(*http.Transport).TLSClientConfig.RootCAs, MinVersion: tls.VersionTLS12}}
	defer client.CloseIdleConnections()
	for range n {
		resp, err := client.Get("https://" + front + "/check?ms=1")
		labtest.Check(t, err)
		body, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err != nil || resp.StatusCode != http.StatusOK || string(body) != "ok" || (resp.ProtoMajor == 2) != h2 {
			t.Fatalf("%s answers %s %q over %s, %v", front, resp.Status, body, resp.Proto, err)
		}
	}
}

func TestTheStorysProxiesCallTheirGatewaysOverH1(t *testing.T) {
	opts, servers := rootOf(t, chains())
	site := mustUp(t, opts, servers)
	byName := map[string]facts.Server{}
	for _, s := range servers {
		byName[s.Name] = s
	}
	for proxy, next := range map[string]string{"nginx-100000-envoy": "envoy", "envoy-envoy": "envoy",
		"nginx-1000-scg": "scg", "nginx-100000-scg": "scg", "envoy-scg": "scg"} {
		h1, h2 := "requests_h1", "requests_h2"
		if next == "envoy" {
			h1, h2 = "downstream_cx_http1_total", "downstream_cx_http2_total"
		}
		before := observed(t, opts.Root, byName[next])
		ask(t, opts.Root, byName[proxy].Front, true, 3)
		ask(t, opts.Root, byName[proxy].Front, false, 2)
		after := observed(t, opts.Root, byName[next])
		if got := *after.Requests - *before.Requests; got != 5 {
			t.Errorf("%s sent %d requests to %s, want 5", proxy, got, next)
		}
		if after.Raw[h1] <= before.Raw[h1] || after.Raw[h2] != before.Raw[h2] {
			t.Errorf("%s calls %s by %s %d → %d, %s %d → %d, want h1 alone", proxy, next, h1, before.Raw[h1], after.Raw[h1],
				h2, before.Raw[h2], after.Raw[h2])
		}
	}
	if err := site.Alive(); err != nil {
		t.Error(err)
	}
}

func TestTheBackendsTimesOfAWindowAreReadForReal(t *testing.T) {
	opts, servers := rootOf(t, chains()[:1])
	mustUp(t, opts, servers)
	ask(t, opts.Root, servers[0].Front, true, 2)
	read := func() counters.Histogram {
		observed(t, opts.Root, servers[0])
		h, err := counters.Handled(t.Context(), servers[0])
		labtest.Check(t, err)
		return h
	}
	before := read()
	if none, err := read().Since(before); err != nil || *none != (facts.Latency{}) {
		t.Errorf("without requests the times are %+v, %v", none, err)
	}
	ask(t, opts.Root, servers[0].Front, true, 20)
	got, err := read().Since(before)
	if err != nil || got.P50 == nil || *got.P50 < 1 || *got.P99 < *got.P50 || *got.Max < *got.P99 ||
		*got.Max > float64(time.Minute/time.Millisecond) {
		t.Errorf("twenty requests of 1 ms took %s, %v", said(got), err)
	}
}

// said prints the values of a latency.
func said(l *facts.Latency) string {
	if l == nil || l.P50 == nil {
		return fmt.Sprintf("%+v", l)
	}
	return fmt.Sprintf("p50 %v, p99 %v, max %v ms", *l.P50, *l.P99, *l.Max)
}
