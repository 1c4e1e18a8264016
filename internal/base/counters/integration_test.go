//go:build integration

package counters

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
)

const nginxConf = `daemon off; worker_processes 1; pid %[1]s/nginx.pid; error_log stderr info;
events { worker_connections 256; }
http { access_log off;
  client_body_temp_path %[1]s/b; proxy_temp_path %[1]s/p; fastcgi_temp_path %[1]s/f; uwsgi_temp_path %[1]s/u; ` +
	`scgi_temp_path %[1]s/s;
  map $connection_requests $first { 1 1; default 0; }
  server { listen 127.0.0.1:%[2]d ssl http2; ssl_certificate %[1]s/server.crt; ssl_certificate_key %[1]s/server.key;
    access_log %[1]s/used.log combined if=$first;
    location = /lab/health { return 200 "ok\n"; } }
  server { listen 127.0.0.1:%[3]d; keepalive_requests 5; location = /stub_status { stub_status; } } }
`

// realNginx runs an nginx whose stub_status closes a connection after five reads.
func realNginx(t *testing.T) (string, facts.Server, *x509.CertPool) {
	dir := t.TempDir()
	pool := labtest.WriteCert(t, dir).Pool
	port, counters := labtest.FreePort(t), labtest.FreePort(t)
	labtest.Nginx(t, dir, counters, fmt.Sprintf(nginxConf, dir, port, counters))
	return dir, facts.Server{Name: "nginx", Kind: facts.Nginx, Front: fmt.Sprint("127.0.0.1:", port),
		Counters: fmt.Sprint("127.0.0.1:", counters), UsedLog: "used.log"}, pool
}

func realEnvoy(t *testing.T) (string, facts.Server, *x509.CertPool) {
	dir := t.TempDir()
	pool := labtest.WriteCert(t, dir).Pool
	port, counters := labtest.FreePort(t), labtest.FreePort(t)
	labtest.Envoy(t, dir, counters, labtest.EnvoyYAML(port, counters, ""))
	return dir, facts.Server{
		Name:     "envoy",
		Kind:     facts.Envoy,
		Front:    fmt.Sprint("127.0.0.1:", port),
		Counters: fmt.Sprint("127.0.0.1:", counters),
	}, pool
}

// knock opens connections; that many of them carry a request, the rest finish the TLS handshake and
// close, as the unused connections of a stampede do.
func knock(t *testing.T, front string, pool *x509.CertPool, p facts.Protocol, opened, used int) {
	t.Helper()
	cfg := &tls.Config{
		RootCAs:    pool,
		NextProtos: []string{map[facts.Protocol]string{facts.H1: "http/1.1", facts.H2: "h2"}[p]},
	}
	for i := range opened {
		if i >= used {
			c, err := tls.Dial("tcp", front, cfg)
			labtest.Check(t, err)
			_ = c.Close()
			continue
		}
		only := new(http.Protocols)
		only.SetHTTP1(p == facts.H1)
		only.SetHTTP2(p == facts.H2)
		tr := &http.Transport{TLSClientConfig: cfg.Clone(), Protocols: only}
		resp, err := (&http.Client{Transport: tr}).Get("https://" + front + "/lab/health")
		labtest.Check(t, err)
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
		tr.CloseIdleConnections()
		if want := map[facts.Protocol]int{facts.H1: 1, facts.H2: 2}[p]; resp.ProtoMajor != want {
			t.Fatalf("spoke %s, want HTTP/%d", resp.Proto, want)
		}
	}
}

func TestOfTenConnectionsSevenAreUsed(t *testing.T) {
	for name, run := range map[string]func(*testing.T) (string, facts.Server, *x509.CertPool){"nginx": realNginx,
		"envoy": realEnvoy} {
		t.Run(name, func(t *testing.T) {
			root, server, pool := run(t)
			src := open(t, root, server)
			for _, p := range []facts.Protocol{facts.H1, facts.H2} {
				before, err := Settle(t.Context(), src)
				labtest.Check(t, err)
				stop := Sample(t.Context(), src, 20*time.Millisecond, nil)
				knock(t, server.Front, pool, p, 10, 7)
				after, err := Settle(t.Context(), src)
				labtest.Check(t, err)
				got := [3]int64{*after.Accepted - *before.Accepted, *after.Used - *before.Used,
					*after.Requests - *before.Requests}
				if want := [3]int64{10, 7, 7}; got != want {
					t.Errorf("%s: accepted, used, requests are %v, want %v (raw %v)", p, got, want, after.Raw)
				}
				series, err := stop().Series(time.Now())
				last := len(series.TMS) - 1
				if err != nil || last < 1 || series.Accepted[0] > *after.Accepted ||
					series.Accepted[last] != *after.Accepted || series.Requests[last] != *after.Requests {
					t.Errorf("%s: the timeline ends at %v accepted and %v requests, want %d and %d (%v)", p,
						series.Accepted, series.Requests, *after.Accepted, *after.Requests, err)
				}
			}
			stands(t, src)
		})
	}
}

// stands reads an idle server many times: no number may change.
func stands(t *testing.T, src Source) {
	t.Helper()
	first := numbers(read(t, src))
	const times = 200
	began := time.Now()
	for i := range times {
		if got := numbers(read(t, src)); got != first {
			t.Fatalf("reading %d moved the numbers from %v to %v", i+2, first, got)
		}
	}
	t.Logf("a reading takes %v", time.Since(began)/times)
}
