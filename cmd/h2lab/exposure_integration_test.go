//go:build integration

package main

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
	"h2lab/internal/lab/plan"
)

// These tests start everything of the lab that listens, in a network namespace
// that has addresses beside loopback's and holds nothing else.

// watched runs h2lab and returns every address that accepted connections meanwhile.
func watched(b *bench, env []string, args ...string) map[netip.AddrPort]bool {
	b.t.Helper()
	cmd := b.command(args...)
	cmd.Env = append(cmd.Env, env...)
	log, err := os.Create(filepath.Join(b.tmp, "watched.log"))
	if err != nil {
		b.t.Fatal(err)
	}
	defer func() { _ = log.Close() }()
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		b.t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	seen := map[netip.AddrPort]bool{}
	for {
		for _, addr := range labtest.Listening(b.t) {
			seen[addr] = true
		}
		select {
		case <-ended:
			if status := cmd.ProcessState.ExitCode(); status != statusDone && status != statusContradicted {
				said, _ := os.ReadFile(log.Name())
				b.t.Fatalf("h2lab %q ended with status %d:\n%s", args, status, said)
			}
			return seen
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// onLoopback fails for every address that is not loopback's own.
func onLoopback(t *testing.T, seen map[netip.AddrPort]bool) {
	t.Helper()
	for addr := range seen {
		if !addr.Addr().Unmap().IsLoopback() {
			t.Errorf("%s accepts connections from other machines", addr)
		}
	}
}

// refusedOutside tries a port on every address of the machine.
func refusedOutside(t *testing.T, port uint16) {
	t.Helper()
	for _, host := range labtest.OutsideAddresses {
		if addr := net.JoinHostPort(host, fmt.Sprint(port)); labtest.Accepts(addr) {
			t.Errorf("%s accepts connections", addr)
		}
	}
	if addr := fmt.Sprint("127.0.0.1:", port); !labtest.Accepts(addr) {
		t.Errorf("%s does not accept connections", addr)
	}
}

func port(t *testing.T, addr string) uint16 {
	t.Helper()
	at, err := netip.ParseAddrPort(addr)
	if err != nil {
		t.Fatal(err)
	}
	return at.Port()
}

// serversUp are all servers of the lab; `make integration` gets the newer nginx
// that one of them needs.
func serversUp() []facts.Server { return plan.Servers(plan.Topologies(plan.DefaultLimit)) }

// live starts the live page until the test is over.
func (b *bench) live() (port uint16) {
	b.t.Helper()
	cmd := b.command("live")
	if err := cmd.Start(); err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	})
	for deadline := time.Now().Add(20 * time.Second); !labtest.Accepts("127.0.0.1:18190"); {
		if time.Now().After(deadline) {
			b.t.Fatal("the live page doesn't listen on 18190")
		}
	}
	return 18190
}

// mystery starts the server of exercise 10 and returns its two ports.
func (b *bench) mystery() (front, counters uint16) {
	b.t.Helper()
	before := labtest.Listening(b.t)
	said, status := b.run("mystery")
	if status != 0 {
		b.t.Fatalf("h2lab mystery: status %d\n%s", status, said)
	}
	front = port(b.t, strings.TrimSuffix(strings.TrimPrefix(mysteryURL.FindString(said), "https://"), "/"))
	for _, addr := range labtest.Listening(b.t) {
		if !slices.Contains(before, addr) && addr.Port() != front {
			counters = addr.Port()
		}
	}
	if counters == 0 {
		b.t.Fatal("the mystery server has no second port")
	}
	return front, counters
}

// bothMysteries calls do with each family of the server of exercise 10, one of
// which each start draws.
func (b *bench) bothMysteries(t *testing.T, do func(t *testing.T, family facts.Kind, front, counters uint16)) {
	t.Helper()
	seen := map[facts.Kind]bool{}
	for range 20 {
		front, counters := b.mystery()
		family := facts.Nginx
		if status, _ := labtest.AskAs(t, fmt.Sprintf("http://127.0.0.1:%d/ready", counters), labtest.PageFault{}); status == http.StatusOK {
			family = facts.Envoy
		}
		if !seen[family] {
			seen[family] = true
			do(t, family, front, counters)
		}
		if said, status := b.run("mystery", "--stop"); status != 0 {
			t.Fatalf("h2lab mystery --stop: status %d\n%s", status, said)
		}
		if len(seen) == 2 {
			return
		}
	}
	t.Fatalf("of twenty mystery servers all were %v", seen)
}

func TestOnlyThisMachineAndNoWebPageReachesTheLab(t *testing.T) {
	if !labtest.InOwnNetwork(t) {
		return
	}
	b := newBench(t)
	t.Run("from outside", func(t *testing.T) {
		faults := labtest.NewFaults(t, labtest.Ports)
		faults.Try("another machine connects to a server of a measurement or to k6's gate", func(t *testing.T) {
			seen := watched(b, small, "repro", "--quick")
			onLoopback(t, seen)
			if len(seen) < 5 { // the backend's two, nginx's two, and the gate
				t.Errorf("only %v listened: nothing was measured", seen)
			}
		})
	})
	b.up()
	page := b.live()
	t.Run("what is up, from outside", func(t *testing.T) { outside(t, b, page) })
	t.Run("from a web page", func(t *testing.T) { fromPages(t, b, page) })
}

// outside tries every port from another address of the machine.
func outside(t *testing.T, b *bench, page uint16) {
	faults := labtest.NewFaults(t, labtest.Ports)
	for _, s := range serversUp() {
		faults.Try("another machine connects to the front of "+s.Name, func(t *testing.T) { refusedOutside(t, port(t, s.Front)) })
		faults.Try("another machine connects to the counters of "+s.Name, func(t *testing.T) { refusedOutside(t, port(t, s.Counters)) })
	}
	faults.Try("another machine connects to the live page", func(t *testing.T) { refusedOutside(t, page) })
	faults.Try("another machine connects to the server of the workshop's exercise 10", func(t *testing.T) {
		b.bothMysteries(t, func(t *testing.T, _ facts.Kind, front, counters uint16) {
			refusedOutside(t, front)
			refusedOutside(t, counters)
		})
	})
	faults.Try("another machine connects to a server that checks a learner's work", func(t *testing.T) {
		for _, n := range []int{5, 6, 9} {
			onLoopback(t, watched(b, nil, "step", fmt.Sprint(n)))
		}
	})
	seen := map[netip.AddrPort]bool{}
	for _, addr := range labtest.Listening(t) {
		seen[addr] = true
	}
	onLoopback(t, seen)
}

// readable are the pages of each kind's counters.
var readable = map[facts.Kind][]string{
	facts.Nginx:   {"/stub_status"},
	facts.Envoy:   {"/stats", "/stats?filter=cx_total", "/stats/prometheus?type=Counters", "/ready", "/server_info", "/config_dump"},
	facts.Backend: {"/ledger.json", "/metrics", "/healthz"},
}

// fromPages sends what a web page can send to every plain-HTTP port.
func fromPages(t *testing.T, b *bench, page uint16) {
	faults := labtest.NewFaults(t, labtest.HostilePages)
	for _, s := range serversUp() {
		at := port(t, s.Counters)
		for _, f := range labtest.PageFaults(int(at)) {
			faults.Try("the counters of "+s.Name+": "+f.Name, func(t *testing.T) { refusesPage(t, s.Kind, at, f) })
		}
		answersPrograms(t, s.Kind, at)
	}
	for _, f := range labtest.PageFaults(int(page)) {
		faults.Try("the live page: "+f.Name, func(t *testing.T) {
			for _, path := range []string{"/", "/events", "/report.html"} {
				if status, body := labtest.AskAs(t, fmt.Sprintf("http://127.0.0.1:%d%s", page, path), f); status != http.StatusForbidden {
					t.Errorf("%s: status %d: %s", path, status, body)
				}
			}
		})
	}
	faults.Try("the counters of the workshop's exercise 10: all of these", func(t *testing.T) {
		b.bothMysteries(t, func(t *testing.T, family facts.Kind, _, counters uint16) {
			for _, f := range labtest.PageFaults(int(counters)) {
				t.Run(f.Name, func(t *testing.T) { refusesPage(t, family, counters, f) })
			}
			answersPrograms(t, family, counters)
		})
	})
	for _, s := range serversUp() {
		if s.Kind == facts.Envoy {
			faults.Try("somebody asks Envoy's administration interface to change or end it: "+s.Name, func(t *testing.T) { refusesToChange(t, s) })
		}
	}
	faults.Try("a real browser's page sends no-cors requests, images and forms to every port", func(t *testing.T) { attackedByABrowser(t, b) })
}

func refusesPage(t *testing.T, kind facts.Kind, at uint16, f labtest.PageFault) {
	t.Helper()
	for _, path := range append([]string{"/", "/quitquitquit", "/ids/forget"}, readable[kind]...) {
		status, body := labtest.AskAs(t, fmt.Sprintf("http://127.0.0.1:%d%s", at, path), f)
		if status != http.StatusForbidden || len(body) > 300 {
			t.Errorf("%s: status %d: %.300s", path, status, body)
		}
	}
}

// answersPrograms: what must be read can be read.
func answersPrograms(t *testing.T, kind facts.Kind, at uint16) {
	t.Helper()
	for _, path := range readable[kind] {
		for _, r := range labtest.AllowedRequests(int(at)) {
			if status, body := labtest.AskAs(t, fmt.Sprintf("http://127.0.0.1:%d%s", at, path), r); status != http.StatusOK || body == "" {
				t.Errorf("%d%s, %s: status %d: %.300s", at, path, r.Name, status, body)
			}
		}
	}
}

// changing are Envoy's administration paths that change or end it, or tell more
// than the lab reads (https://www.envoyproxy.io/docs/envoy/latest/operations/admin).
var changing = []string{"/quitquitquit", "/logging?level=trace", "/runtime_modify?a=b", "/healthcheck/fail", "/healthcheck/ok", "/drain_listeners",
	"/drain_listeners?graceful", "/reset_counters", "/reopen_logs", "/cpuprofiler?enable=y", "/heapprofiler?enable=y", "/allocprofiler?enable=y",
	"/stats/recentlookups/enable", "/stats/recentlookups/clear", "/tap", "/memory/tcmalloc", "/certs", "/init_dump", "/help", "/",
	"/stats/../quitquitquit", "/stats/%2e%2e/quitquitquit", "//quitquitquit", "/ready/../quitquitquit", "/quitquitquit?/stats", "/quitquitquit#/stats",
	"/QUITQUITQUIT", "/quitquitquit;/stats"}

// refusesToChange asks on the port, and on the abstract socket behind it.
func refusesToChange(t *testing.T, s facts.Server) {
	socket := "h2lab-envoy-" + fmt.Sprint(port(t, s.Counters))
	for _, path := range changing {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			for way, args := range map[string][]string{"the port": {"http://" + s.Counters + path},
				"the socket": {"--abstract-unix-socket", socket, "http://envoy" + path}} {
				said, err := exec.CommandContext(t.Context(), "curl", append([]string{"--silent", "--path-as-is", "--globoff", "--request", method,
					"--output", os.DevNull, "--max-time", "10", "--write-out", "%{http_code}"}, args...)...).Output()
				if code := string(said); err != nil || !slices.Contains([]string{"403", "404", "405"}, code) {
					t.Errorf("%s %s on %s: %s, %v", method, path, way, code, err)
				}
			}
		}
	}
	answersPrograms(t, facts.Envoy, port(t, s.Counters))
}
