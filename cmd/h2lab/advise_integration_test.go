//go:build integration

package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"h2lab/internal/base/labtest"
	"h2lab/internal/base/proc"
	"h2lab/internal/field/advise"
	"h2lab/internal/field/handshake"
)

// One process with one event loop, as an nginx worker is; the test chooses ports and files.
const sweepConf = `daemon off; master_process off; pid %[1]s/nginx.pid; error_log stderr error; worker_rlimit_nofile ` +
	`8192;
events { worker_connections 4096; }
http { access_log off; client_body_temp_path %[1]s/b; proxy_temp_path %[1]s/p; fastcgi_temp_path %[1]s/f; ` +
	`uwsgi_temp_path %[1]s/u; scgi_temp_path %[1]s/s;
  upstream backend { server %[4]s max_fails=0; keepalive 512; keepalive_requests 1000000000; }
  server { listen 127.0.0.1:%[2]d ssl http2 backlog=4096; ssl_certificate %[6]s.crt; ssl_certificate_key %[6]s.key;
    ssl_protocols TLSv1.2 TLSv1.3; ssl_ecdh_curve X25519:prime256v1; keepalive_requests %[5]d; ` +
	`http2_max_concurrent_streams 128;
    location / { proxy_pass https://backend; proxy_http_version 1.1; proxy_set_header Connection ""; ` +
	`proxy_next_upstream off; } }
  server { listen 127.0.0.1:%[3]d; keepalive_requests 1000000000; location = /stub_status { stub_status; } } }
`

// sweepNginx is an nginx for the sweep in a temporary directory.
type sweepNginx struct {
	front, counters string
	pid             int
}

func startSweepNginx(t *testing.T, backend, key string, limit int) sweepNginx {
	t.Helper()
	dir := t.TempDir()
	front, counters := labtest.FreePort(t), labtest.FreePort(t)
	labtest.Nginx(t, dir, front,
		fmt.Sprintf(sweepConf, dir, front, counters, backend, limit,
			filepath.Join(labtest.Root(t), "certs/out/server-"+key)))
	b, err := os.ReadFile(filepath.Join(dir, "nginx.pid"))
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil {
		t.Fatal(err)
	}
	return sweepNginx{fmt.Sprint("127.0.0.1:", front), fmt.Sprintf("http://127.0.0.1:%d/stub_status", counters), pid}
}

func (n sweepNginx) cpu(t *testing.T) float64 {
	t.Helper()
	s, err := proc.CPUSeconds(n.pid)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var stubNumbers = regexp.MustCompile(`(?m)^ (\d+) \d+ (\d+) $`)

// read returns accepted connections and requests, over a connection that stays open; this read is
// one of the requests.
func (n sweepNginx) read(t *testing.T) (accepted, requests float64) {
	t.Helper()
	answer, err := http.Get(n.counters)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	b, err := io.ReadAll(answer.Body)
	m := stubNumbers.FindSubmatch(b)
	if err != nil || m == nil {
		t.Fatalf("stub_status said %q, %v", b, err)
	}
	accepted, _ = strconv.ParseFloat(string(m[1]), 64)
	requests, _ = strconv.ParseFloat(string(m[2]), 64)
	return accepted, requests - 1
}

// sweepClient makes Go's net/http clients, each with its own pool. A body can be read once.
func sweepClient(t *testing.T, version string) *http.Client {
	t.Helper()
	pem, err := os.ReadFile(filepath.Join(labtest.Root(t), "certs/out/ca.crt"))
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(pem)
	conf := &tls.Config{
		RootCAs:          pool,
		ServerName:       "localhost",
		CurvePreferences: []tls.CurveID{tls.X25519, tls.CurveP256},
	}
	if version == advise.TLS12 {
		conf.MaxVersion = tls.VersionTLS12
	}
	tr := &http.Transport{TLSClientConfig: conf, ForceAttemptHTTP2: true}
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr, Timeout: 20 * time.Second}
}

// once hides a reader's type, so that http.NewRequest sets no GetBody.
type once struct{ io.Reader }

// closedLoop keeps inFlight requests in flight until stop is closed.
func closedLoop(pools []*http.Client, inFlight int, url string, stop <-chan struct{}, dropped *atomic.Int64) {
	var all sync.WaitGroup
	for i := range inFlight {
		all.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				answer, err := pools[i%len(pools)].Post(url, "text/plain", once{strings.NewReader("1")})
				if err != nil {
					if strings.Contains(err.Error(), "GetBody") {
						dropped.Add(1)
					}
					continue
				}
				_, _ = io.Copy(io.Discard, answer.Body)
				_ = answer.Body.Close()
			}
		})
	}
	all.Wait()
}

// measureSweepCell runs the load for a warm-up and a window of at least some renewals.
func measureSweepCell(t *testing.T, c sweepCell) sweepCell {
	t.Helper()
	backend := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(time.Duration(c.BackendMS) * time.Millisecond)
		_, _ = io.Copy(w, r.Body)
	}))
	defer backend.Close()
	n := startSweepNginx(t, backend.Listener.Addr().String(), c.Key, c.Limit)
	var pools []*http.Client
	for range c.Pools {
		pools = append(pools, sweepClient(t, c.TLS))
	}
	stop, over := make(chan struct{}), make(chan struct{})
	var dropped atomic.Int64
	go func() {
		defer close(over)
		closedLoop(pools, c.InFlight, "https://"+n.front+"/", stop, &dropped)
	}()
	time.Sleep(700 * time.Millisecond)
	accepted, requests := n.read(t)
	drops, began := dropped.Load(), time.Now()
	for {
		time.Sleep(500 * time.Millisecond)
		a, r := n.read(t)
		took := time.Since(began)
		if took > 2*time.Second && r-requests > 10*float64(c.Limit) || took > 8*time.Second {
			renewals := (r - requests) / float64(c.Limit)
			c.Renewals, c.RateRPS = renewals, (r-requests)/took.Seconds()
			c.Dials, c.Dropped = (a-accepted)/renewals, float64(dropped.Load()-drops)/renewals
			break
		}
	}
	close(stop)
	<-over
	return c
}

// TestSweepAgainstARealNginx compares the predicted number of connections a renewal opens with a
// real nginx, over requests in flight, limits, TLS versions, keys, pools and slow backends. A count
// that is off by more than a factor of three has another cause.
func TestSweepAgainstARealNginx(t *testing.T) {
	cells := sweepCells()
	if !*update {
		cells = []sweepCell{cells[0], cells[3], cells[len(cells)-1]}
	}
	var out []sweepCell
	for _, c := range cells {
		t.Run(c.name(), func(t *testing.T) {
			m := measureSweepCell(t, c)
			p := advise.Predict(m.question())
			t.Logf("dials %.1f, predicted %.1f; dropped %.1f, predicted %.1f; %.0f/s, %.1f renewals", m.Dials,
				p.WastedPerRenewal+1, m.Dropped, p.DroppedPerRenewal, m.RateRPS, m.Renewals)
			if x := factor(p.WastedPerRenewal+1, m.Dials); x > 3 && !*update {
				t.Errorf("%.1f dials a renewal, predicted %.1f", m.Dials, p.WastedPerRenewal+1)
			}
			out = append(out, m)
		})
	}
	if *update && !t.Failed() {
		b, err := json.MarshalIndent(out, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		labtest.Write(t, sweepFile, string(append(b, '\n')))
	}
}

// TestNginxHandshakesBesideGos shows the measurements for advise.OfGo and the shares of
// advise.Handshake: nginx's and Go's time for the same handshakes, measured alternately. It asserts
// only that they have the same order of magnitude.
func TestNginxHandshakesBesideGos(t *testing.T) {
	const count = 400
	for i := range 8 {
		key, version := []string{handshake.RSA, handshake.ECDSA}[i/4], []string{"1.2", "1.3"}[i/2%2]
		k := handshake.Kind{Key: key, TLS: version, Resumed: i%2 == 1}
		n := startSweepNginx(t, "127.0.0.1:1", key, 1000)
		sessions := tls.NewLRUClientSessionCache(1)
		var nginxMS, goMS float64
		for range 2 {
			before := n.cpu(t)
			bare(t, n.front, k, sessions, count)
			nginxMS += (n.cpu(t) - before) / count * 1000 / 2
			costs, err := handshake.Measure(context.Background(), time.Second, k)
			if err != nil {
				t.Fatal(err)
			}
			goMS += costs[0].Server.MedianMS / 2
		}
		usual := advise.Handshake(key, k.TLS, k.Resumed)
		t.Logf("%-22s nginx %.2f ms, Go %.2f ms: %.2f of it; usual %.2f", k, nginxMS, goMS, nginxMS/goMS, usual)
		if nginxMS <= 0 || nginxMS > 10*goMS || goMS > 10*nginxMS {
			t.Errorf("%s: nginx %.2f ms and Go %.2f ms are not of one order", k, nginxMS, goMS)
		}
	}
}

// bare makes handshakes and sends no requests.
func bare(t *testing.T, addr string, k handshake.Kind, sessions tls.ClientSessionCache, count int) {
	t.Helper()
	conf := sweepClient(t, k.TLS).Transport.(*http.Transport).TLSClientConfig
	conf.NextProtos = []string{"h2"}
	if k.Resumed {
		conf.ClientSessionCache = sessions
	}
	for i := range count {
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		c := tls.Client(conn, conf)
		if err := c.Handshake(); err != nil {
			t.Fatalf("%s: %v", k, err)
		}
		if k.Resumed && i < 2 { // TLS 1.3 tickets arrive after the handshake
			_ = c.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
			_, _ = c.Read(make([]byte, 1))
		} else if k.Resumed && !c.ConnectionState().DidResume {
			t.Fatalf("%s: not resumed", k)
		}
		_ = c.Close()
	}
}
