//go:build integration

package native

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"h2lab/internal/base/counters"
	"h2lab/internal/base/labtest"
	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
	"h2lab/internal/lab/plan"
)

// realServers are the lab's servers, without nginx-1000-h2-upstream, which needs a newer nginx than
// most machines have.
var realServers = []facts.Server{
	{Name: "nginx-1000", Kind: facts.Nginx, Config: "nginx/keepalive-1000.conf",
		Front: "127.0.0.1:18101", Counters: "127.0.0.1:18102", UsedLog: "var/nginx-1000.used.log"},
	{Name: "nginx-1000-envoy", Kind: facts.Nginx, Config: "nginx/keepalive-1000-envoy.conf",
		Front: "127.0.0.1:18141", Counters: "127.0.0.1:18142", UsedLog: "var/nginx-1000-envoy.used.log"},
	{Name: "envoy-1000", Kind: facts.Envoy, Config: "envoy/max-requests-1000.yaml",
		Front: "127.0.0.1:18131", Counters: "127.0.0.1:18132"},
	{Name: "envoy", Kind: facts.Envoy, Config: "envoy/unlimited.yaml",
		Front: "127.0.0.1:18121", Counters: "127.0.0.1:18122"},
	{Name: "backend", Kind: facts.Backend, Front: "127.0.0.1:18443", Counters: "127.0.0.1:18090"},
}

// realRoot is a copy of the project's configurations with new certificates and free ports, so that
// the test neither changes the checkout nor depends on the servers that run there. A missing tool
// fails the test.
func realRoot(t *testing.T) (Options, []facts.Server) {
	t.Helper()
	return rootOf(t, realServers)
}

// rootOf is realRoot for other servers.
func rootOf(t *testing.T, planned []facts.Server) (Options, []facts.Server) {
	t.Helper()
	const project = "../../.."
	tools, err := FindTools(t.Context(), project, "nginx", "envoy", "backend")
	labtest.Check(t, err)
	root := t.TempDir()
	var swap []string
	servers, addrs := make([]facts.Server, len(planned)), freeAddrs(t, 2*len(planned))
	for i, s := range planned {
		a := addrs[2*i : 2*i+2]
		for _, x := range [][2]string{{s.Front, a[0]}, {s.Counters, a[1]}} {
			_, fixed, _ := net.SplitHostPort(x[0])
			_, free, _ := net.SplitHostPort(x[1])
			swap = append(swap, fixed, free)
		}
		s.Front, s.Counters = a[0], a[1]
		servers[i] = s
	}
	for _, dir := range []string{"nginx", "envoy"} {
		copyFiles(t, project, root, dir, strings.NewReplacer(swap...))
	}
	copyFiles(t, project, root, "certs", strings.NewReplacer())
	if out, err := exec.Command(filepath.Join(root, "certs", "make.sh")).CombinedOutput(); err != nil {
		t.Fatalf("certs/make.sh: %v: %s", err, out)
	}
	return Options{Root: root, Tools: tools}, servers
}

func copyFiles(t *testing.T, from, to, dir string, change *strings.Replacer) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(from, dir))
	labtest.Check(t, err)
	for _, e := range entries {
		if e.IsDir() {
			continue
		}
		text := labtest.Read(t, filepath.Join(from, dir, e.Name()))
		write(t, to, filepath.Join(dir, e.Name()), change.Replace(text))
	}
	if dir == "certs" {
		labtest.Check(t, os.Chmod(filepath.Join(to, dir, "make.sh"), 0o755))
	}
}

func TestEveryTopologyComesUpAndGoesDownPolitely(t *testing.T) {
	opts, servers := realRoot(t)
	site := mustUp(t, opts, servers)
	labtest.Check(t, site.Alive())
	for _, s := range servers {
		want := 1
		if s.Kind == facts.Nginx {
			want = 2 // the master and its one worker
		}
		pids := site.Pids(s.Name)
		if len(pids) != want {
			t.Fatalf("%s has pids %v, want %d", s.Name, pids, want)
		}
		// Libraries mapped from there stay after the process has ended.
		if maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", pids[0])); err != nil ||
			bytes.Contains(maps, []byte("/dev/shm/")) {
			t.Errorf("%s keeps shared memory in /dev/shm (%v)", s.Name, err)
		}
	}
	processes := site.processes
	labtest.Check(t, site.Down(t.Context()))
	for _, p := range processes {
		if <-p.Exited(); p.Ending() != "ended with status 0" {
			t.Errorf("%s ended with %q, want a polite exit", p.Server.Name, p.Ending())
		}
		said, err := os.ReadFile(p.Log)
		labtest.Check(t, err)
		for _, bad := range []string{"[alert]", "[emerg]", "[crit]", "[error]", "[critical]", "panic:"} {
			if bytes.Contains(said, []byte(bad)) {
				t.Errorf("%s said: %s", p.Server.Name, said)
			}
		}
	}
	if left, _ := filepath.Glob(filepath.Join(opts.Root, "var", "*.pid")); left != nil {
		t.Errorf("pid files are left: %v", left)
	}
}

func TestAnotherLimitIsInTheServersOwnAccount(t *testing.T) {
	opts, servers := realRoot(t)
	opts.Limit = 100
	site := mustUp(t, opts, servers)
	dir := t.TempDir()
	records, err := site.Records(t.Context(), dir)
	labtest.Check(t, err)
	again, err := site.Records(t.Context(), t.TempDir())
	labtest.Check(t, err)
	limit := map[string]string{"nginx-1000": "keepalive_requests 100; # the limit",
		"nginx-1000-envoy": "keepalive_requests 100; # the limit",
		"envoy-1000":       `"max_requests_per_connection": 100`, "envoy": "static_listeners"}
	for i, r := range records {
		if r != again[i] {
			t.Errorf("two records of %s differ:\n%+v\n%+v", r.Name, r, again[i])
		}
		if r.Version == "" {
			t.Errorf("%s has no version", r.Name)
		}
		if r.Name == "backend" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, r.Effective))
		labtest.Check(t, err)
		if !bytes.Contains(text, []byte(limit[r.Name])) {
			t.Errorf("%s's account doesn't say %s", r.Name, limit[r.Name])
		}
		for _, never := range []string{opts.Root, "PRIVATE KEY"} {
			if bytes.Contains(text, []byte(never)) {
				t.Errorf("%s's account has %q in it", r.Name, never)
			}
		}
	}
}

// handshakes makes a server use processor time until the condition holds.
func handshakes(t *testing.T, root, addr, what string, condition func() bool) {
	t.Helper()
	client, err := healthClient(root)
	labtest.Check(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	dialer := tls.Dialer{Config: client.Transport.(*http.Transport).TLSClientConfig}
	for !condition() {
		conn, err := dialer.DialContext(ctx, "tcp", addr)
		if err != nil {
			t.Fatalf("until %s: %v", what, err)
		}
		_ = conn.Close()
	}
}

func TestABudgetHoldsTheServerFromItsFirstInstruction(t *testing.T) {
	opts, servers := realRoot(t)
	cpus := 0.1 // too little for handshakes one after another
	opts.CPUs = &cpus
	site := mustUp(t, opts, []facts.Server{servers[0], servers[4]})
	if len(site.Warnings()) > 0 {
		if got := site.process("nginx-1000").CPUs; got != nil || !strings.Contains(texts.English.In(site.Warnings()[0]), "unlimited") {
			t.Errorf("no budget may be set here, and yet %v; the warning: %s", got, site.Warnings()[0])
		}
		return
	}
	if got := site.process("nginx-1000").CPUs; got == nil || *got != cpus {
		t.Fatalf("the budget reads back as %v, want %v", got, cpus)
	}
	in, err := members(site.process("nginx-1000").Cgroup)
	labtest.Check(t, err)
	for _, pid := range site.Pids("nginx-1000") {
		if !in[pid] {
			t.Errorf("process %d of nginx is not in its cgroup", pid)
		}
	}
	if in[os.Getpid()] {
		t.Error("we are in the cgroup ourselves")
	}
	handshakes(t, opts.Root, servers[0].Front, "nginx is throttled", func() bool {
		stat, _ := os.ReadFile(filepath.Join(site.process("nginx-1000").Cgroup, "cpu.stat"))
		_, throttled, found := strings.Cut(string(stat), "nr_throttled ")
		return found && !strings.HasPrefix(throttled, "0")
	})
	groups := site.groups
	labtest.Check(t, site.Down(t.Context()))
	for _, dir := range groups {
		if _, err := os.Stat(dir); err == nil {
			t.Errorf("the cgroup %s is left", dir)
		}
	}
}

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
