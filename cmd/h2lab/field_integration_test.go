//go:build integration

package main

import (
	"bytes"
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
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"h2lab/internal/base/labtest"
	"h2lab/internal/base/proc"
	"h2lab/internal/facts"
	"h2lab/internal/field/advise"
	"h2lab/internal/field/decode"
	"h2lab/internal/field/handshake"
)

const traceNginxConf = `daemon off; worker_processes 1; pid %[1]s/nginx.pid; error_log stderr info;
events { worker_connections 256; }
http { access_log off;
  client_body_temp_path %[1]s/b; proxy_temp_path %[1]s/p; fastcgi_temp_path %[1]s/f; uwsgi_temp_path %[1]s/u; ` +
	`scgi_temp_path %[1]s/s;
  server { listen 127.0.0.1:%[2]d ssl http2; ssl_certificate %[1]s/server.crt; ssl_certificate_key %[1]s/server.key;
    keepalive_requests %[3]d;
    location / { return 200 "ok\n"; } } }
`

// tracedNginx runs nginx with a limit and returns its URL and CA.
func tracedNginx(t *testing.T, limit int) (url, ca string) {
	dir := t.TempDir()
	ca = labtest.WriteCert(t, dir).File
	port := labtest.FreePort(t)
	labtest.Nginx(t, dir, port, fmt.Sprintf(traceNginxConf, dir, port, limit))
	return fmt.Sprintf("https://localhost:%d/", port), ca
}

// onlyOnPath keeps only these capture programs on the PATH.
func onlyOnPath(t *testing.T, names ...string) {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		// one of tools/bin is a launcher
		script := "#!/bin/sh\nPATH=/usr/bin:/bin exec '" + labtest.Program(t, name) + "' \"$@\"\n"
		labtest.WriteProgram(t, filepath.Join(dir, name), script)
	}
	t.Setenv("PATH", dir)
}

func traced(t *testing.T, args ...string) (status int, out, said string) {
	t.Helper()
	var o, e bytes.Buffer
	status = run(t.Context(), append([]string{"trace"}, args...), &o, &e)
	return status, o.String(), e.String()
}

// read runs tshark and returns its output.
func read(t *testing.T, tshark string, args ...string) string {
	t.Helper()
	var errs bytes.Buffer
	cmd := exec.CommandContext(t.Context(), tshark, args...)
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("tshark %v: %v\n%s", args, err, errs.String())
	}
	return strings.TrimSpace(string(out))
}

// Traces a real nginx with a real capture; a real tshark decrypts it and finds the last-stream-id
// that nginx sent.
func TestACaptureOfARenewalOpensDecrypted(t *testing.T) {
	tshark := labtest.Program(t, "tshark")
	url, ca := tracedNginx(t, 20)
	goaway := []string{"-Y", "http2.goaway.last_stream_id", "-T", "fields", "-e", "http2.goaway.last_stream_id"}
	for name, c := range map[string]struct {
		programs []string
		inside   bool // the secrets are in the capture itself
	}{
		"tcpdump alone":       {[]string{"tcpdump"}, false},
		"dumpcap alone":       {[]string{"dumpcap"}, false},
		"tcpdump and editcap": {[]string{"tcpdump", "editcap"}, true},
		"dumpcap and editcap": {[]string{"dumpcap", "editcap"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			pcap, keys := filepath.Join(dir, "renewal.pcap"), filepath.Join(dir, "keys.log")
			onlyOnPath(t, c.programs...)
			status, out, said := traced(t, "--cacert", ca, "--pcap", pcap, "--keylog", keys, url)
			if status != statusDone || !strings.Contains(out, "the peer names stream 39") ||
				!strings.Contains(said, "decrypts what was sent") {
				t.Fatalf("status %d\n%s\n%s", status, out, said)
			}
			for _, f := range []string{pcap, keys} {
				if info, err := os.Stat(f); err != nil || info.Mode().Perm() != 0o600 {
					t.Errorf("%s: %v, %v", f, info, err)
				}
			}
			t.Setenv("PATH", "/usr/bin:/bin")
			if got := read(t, tshark,
				append([]string{"-r", pcap, "-o", "tls.keylog_file:" + keys}, goaway...)...); got != "39" {
				t.Errorf("with the key log tshark reads last-stream-id %q, want 39", got)
			}
			want := map[bool]string{true: "39", false: ""}[c.inside]
			if got := read(t, tshark, append([]string{"-r", pcap}, goaway...)...); got != want {
				t.Errorf("without it tshark reads %q, want %q", got, want)
			}
			// The capture contains both connections from their SYN on, and no other packets.
			if got := read(t, tshark, "-r", pcap, "-Y", "tcp.flags.syn == 1 && tcp.flags.ack == 0"); strings.Count(got,
				"\n") != 1 {
				t.Errorf("SYNs:\n%s", got)
			}
			if strings.Contains(out, "the capture lacks") {
				t.Errorf("packets are missing:\n%s", out)
			}
		})
	}
}

func TestACaptureThatIsInterruptedLeavesNothing(t *testing.T) {
	url, ca := tracedNginx(t, 1_000_000)
	port := strings.Trim(url[strings.LastIndex(url, ":")+1:], "/")
	onlyOnPath(t, "tcpdump", "editcap")
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	over := make(chan int, 1)
	var out, said bytes.Buffer
	go func() {
		over <- run(ctx, []string{"trace", "--cacert", ca, "--limit", "1000000", "--rate", "100", "--pcap",
			filepath.Join(dir, "p"), "--keylog", filepath.Join(dir, "k"), "--out", filepath.Join(dir, "o"), url},
			&out, &said)
	}()
	for until := time.Now().Add(20 * time.Second); len(capturing(t, port)) == 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatal("tcpdump was not started")
		}
	}
	cancel()
	if status := <-over; status != statusCouldNot || !strings.Contains(said.String(), "interrupted") || out.Len() > 0 {
		t.Errorf("status %d, stdout %q, stderr %q", status, out.String(), said.String())
	}
	if left := capturing(t, port); len(left) > 0 {
		t.Errorf("captures still: %q", left)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// capturing returns the processes whose command line contains the capture filter of a port.
func capturing(t *testing.T, port string) []string {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil || len(all) == 0 {
		t.Fatalf("no processes: %v", err)
	}
	var out []string
	for _, name := range all {
		if b, err := os.ReadFile(name); err == nil && bytes.Contains(b, []byte("tcp port "+port+" and host")) {
			out = append(out, name)
		}
	}
	return out
}

func TestTheFormatsOfARealRenewal(t *testing.T) {
	url, ca := tracedNginx(t, 20)
	for _, format := range []string{"json", "har"} {
		file := filepath.Join(t.TempDir(), "out")
		status, out, said := traced(t, "--cacert", ca, "--limit", "20", "--format", format, "--out", file, url)
		b, err := os.ReadFile(file)
		if status != statusDone || err != nil || !json.Valid(b) || !strings.Contains(out, "next: h2lab probe") {
			t.Errorf("%s: status %d, %v\n%s\n%s", format, status, err, out, said)
		}
		if format != "json" {
			continue
		}
		var line facts.FrameTrace
		if err := json.Unmarshal(b, &line); err != nil || line.SchemaVersion != 1 || len(line.Renewal.Dropped) != 3 ||
			*line.Limit != 20 || !line.LimitGiven {
			t.Errorf("%+v, %v", line, err)
		}
	}
	status, out, said := traced(t, "--cacert", ca, "--http1", url)
	if status != statusDone || !strings.Contains(out, "The answer to request 20 said Connection: close") {
		t.Errorf("HTTP/1.1: status %d\n%s\n%s", status, out, said)
	}
	status, out, said = traced(t, "--cacert", ca, "--max-streams", "10", url)
	if status != statusDone || !strings.Contains(out, "limit: none met in 10 requests") ||
		!strings.Contains(out, "next: h2lab trace --max-streams 100 ") {
		t.Errorf("no limit: status %d\n%s\n%s", status, out, said)
	}
}

const decodeConf = `daemon off; worker_processes 1; pid %[1]s/nginx.pid; error_log %[1]s/error.log debug;
events { worker_connections 1024; }
http {
  client_body_temp_path %[1]s/b; proxy_temp_path %[1]s/p; fastcgi_temp_path %[1]s/f; uwsgi_temp_path %[1]s/u; ` +
	`scgi_temp_path %[1]s/s;
  access_log off;
  server { listen 127.0.0.1:%[2]d ssl http2; ssl_certificate %[1]s/server.crt; ssl_certificate_key %[1]s/server.key;
    keepalive_requests 20;
    location / { return 200 "ok\n"; } } }
`

// readOnce is a body that can't be read again.
type readOnce struct{ io.Reader }

// lostPosts sends POSTs whose body can't be sent again, as so many users, and returns what net/http says when they fail.
func lostPosts(t *testing.T, url string, cert labtest.Cert, users int, more func(sent int) bool) string {
	t.Helper()
	tr := &http.Transport{ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{RootCAs: cert.Pool}}
	defer tr.CloseIdleConnections()
	client := &http.Client{Transport: tr, Timeout: 20 * time.Second}
	var mu sync.Mutex
	var log strings.Builder
	var wg sync.WaitGroup
	for range users {
		wg.Go(func() {
			for sent := 0; more(sent); sent++ {
				resp, err := client.Post(url, "text/plain", readOnce{strings.NewReader("1")})
				if err != nil {
					mu.Lock()
					fmt.Fprintf(&log, "ERROR app: %v\n", err)
					mu.Unlock()
					continue
				}
				_, _ = io.Copy(io.Discard, resp.Body)
				_ = resp.Body.Close()
			}
		})
	}
	wg.Wait()
	if log.Len() == 0 {
		t.Fatal("no request failed: the limit was not met")
	}
	return log.String()
}

// decode reads the errors that a real client gets and a real nginx logs at the limit: Go's error
// says that the request wasn't executed, and nginx's last-stream-id gives the limit.
func TestDecodeWhatARealLimitLeavesInLogs(t *testing.T) {
	dir := t.TempDir()
	cert := labtest.WriteCert(t, dir)
	port := labtest.FreePort(t)
	labtest.Nginx(t, dir, port, fmt.Sprintf(decodeConf, dir, port))
	log := lostPosts(t, fmt.Sprintf("https://127.0.0.1:%d/", port), cert, 30, func(sent int) bool { return sent < 40 })
	app := filepath.Join(dir, "app.log")
	labtest.Write(t, app, log)
	said := decodedFile(t, app)
	if said.Unknown != 0 || said.Other != 0 {
		t.Errorf("of the client's own errors %d are unknown:\n%s", said.Unknown+said.Other, log)
	}
	if want := fmt.Sprintf("h2lab probe https://127.0.0.1:%d/", port); said.Next.String() != want {
		t.Errorf("next: %s, want %s", said.Next, want)
	}
	counts := map[string]int{}
	for _, f := range decodedFile(t, filepath.Join(dir, "error.log")).Findings {
		counts[f.ID] += f.Count
		if f.ID == "nginx-send-goaway" && (f.Facts.Requests == nil || *f.Facts.Requests != 20) {
			t.Errorf("nginx's GOAWAYs are read as %v of %v", f.Facts.Requests, f.LastStreamIDs)
		}
	}
	if counts["nginx-send-goaway"] == 0 || counts["nginx-skip-headers"] == 0 {
		t.Errorf("nginx's debug log: %v", counts)
	}
}

func decodedFile(t *testing.T, file string) decode.Report {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if got := run(t.Context(), []string{"decode", "--json", file}, &stdout, &stderr); got != statusDone {
		t.Fatalf("status %d: %s", got, stderr.String())
	}
	var r decode.Report
	if err := json.Unmarshal(stdout.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	return r
}

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

// What zsh and fish offer, where bash's test has the same lines. A script that a shell rejects, or
// a verb that it takes for a file, shows at once.
var completedLines = []struct {
	line string
	want []string // all that is offered
}{
	{"h2lab lint --ki", []string{"--kind"}},
	{"h2lab lint --kind ", []string{"envoy", "haproxy", "ingress-nginx", "nginx", "traefik"}},
	{"h2lab lint --kind=ha", []string{"--kind=haproxy"}},
	{"h2lab --root . repro --key ", []string{"ecdsa", "rsa"}},
	{"h2lab step --hint ", []string{"1", "2", "3"}},
	{"h2lab completion ", []string{"bash", "fish", "zsh"}},
	{"h2lab probe --cacert unlikely-n", []string{"unlikely-name.conf"}},
	{"h2lab decode unlikely-n", []string{"unlikely-name.conf"}},
	{"h2lab report unlikely", []string{"unlikely-dir"}},
	{"h2lab hol", nil},
}

// completed compares a shell's answers; ask returns the words that it offers.
func completed(t *testing.T, ask func(dir, line string) []string) {
	t.Helper()
	dir := filepath.Dir(saved(t, "unlikely-name.conf", ""))
	labtest.Check(t, os.Mkdir(filepath.Join(dir, "unlikely-dir"), 0o755))
	for _, c := range completedLines {
		if got := ask(dir, c.line); !slices.Equal(got, c.want) {
			t.Errorf("%q: it offers %q, want %q", c.line, got, c.want)
		}
	}
	got := ask(dir, "h2lab ")
	want := verbs(t)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the verbs are %q, it offers %q", want, got)
	}
}

func TestFishCompletes(t *testing.T) {
	file := script(t, "fish")
	completed(t, func(dir, line string) []string {
		cmd := exec.CommandContext(t.Context(), "fish", "--no-config", "-c", "source $argv[1]; complete -C $argv[2]", file, line)
		cmd.Dir = dir
		var errs bytes.Buffer
		cmd.Stderr = &errs
		out, err := cmd.Output()
		if err != nil || errs.Len() > 0 {
			t.Fatalf("fish: %v: %s", err, errs.String())
		}
		var words []string
		for offer := range strings.Lines(string(out)) {
			word, _, _ := strings.Cut(strings.TrimSpace(offer), "\t")
			words = append(words, strings.TrimSuffix(word, "/"))
		}
		slices.Sort(words)
		return words
	})
}

func TestZshCompletes(t *testing.T) {
	scripts := t.TempDir()
	labtest.Write(t, filepath.Join(scripts, "_h2lab"), labtest.Read(t, script(t, "zsh")))
	asker, err := filepath.Abs("testdata/zsh/ask.zsh")
	labtest.Check(t, err)
	completed(t, func(dir, line string) []string {
		cmd := exec.CommandContext(t.Context(), "zsh", "-f", asker, scripts, line)
		cmd.Dir = dir
		var errs bytes.Buffer
		cmd.Stderr = &errs
		out, err := cmd.Output()
		if err != nil || errs.Len() > 0 {
			t.Fatalf("zsh: %v: %s", err, errs.String())
		}
		words := strings.Fields(string(out))
		slices.Sort(words)
		return slices.Compact(words)
	})
}

func TestTheManualPageIsSound(t *testing.T) {
	var page, errs bytes.Buffer
	if status := run(context.Background(), []string{"man"}, &page, &errs); status != statusDone {
		t.Fatalf("status %d: %s", status, errs.String())
	}
	cmd := exec.CommandContext(t.Context(), "groff", "-man", "-ww", "-Tutf8", "-P-cbou")
	cmd.Stdin = &page
	var warnings bytes.Buffer
	cmd.Stderr = &warnings
	out, err := cmd.Output()
	if err != nil || warnings.Len() > 0 {
		t.Fatalf("groff: %v: %s", err, warnings.String())
	}
	text := string(out)
	parser, _ := parserOf(t)
	for _, node := range visible(parser) {
		if !strings.Contains(text, "\n       "+node.Name+" ") {
			t.Errorf("the page lacks %s", node.Name)
		}
		for _, f := range node.Flags {
			if !f.Hidden && !strings.Contains(text, "--"+f.Name) {
				t.Errorf("the page lacks --%s of %s", f.Name, node.Name)
			}
		}
	}
	for _, section := range []string{"NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "COMMANDS", "EXIT STATUS"} {
		if !strings.Contains(text, "\n"+section+"\n") {
			t.Errorf("the page has no section %s", section)
		}
	}
}
