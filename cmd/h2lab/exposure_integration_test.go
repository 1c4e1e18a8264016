//go:build integration

package main

import (
	"fmt"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"slices"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
)

// These tests start everything in the lab that listens, in a network namespace that has addresses
// besides loopback and no other processes.

func TestOnlyThisMachineAndNoWebPageReachesTheLab(t *testing.T) {
	if !labtest.InOwnNetwork(t) {
		return
	}
	b := newBench(t)
	t.Run("a run", func(t *testing.T) {
		faults := labtest.NewFaults(t, labtest.Ports)
		faults.Try("another machine connects to a server of a measurement or to k6's gate", func(t *testing.T) {
			seen := watched(b, small, "repro")
			onLoopback(t, seen)
			if len(seen) < 5 { // the backend's two, nginx's two, and the gate
				t.Errorf("only %v listened: nothing was measured", seen)
			}
		})
	})
	b.up()
	page := b.live()
	t.Run("servers that are up", func(t *testing.T) { outside(t, b, page) })
	t.Run("web pages", func(t *testing.T) { fromPages(t, b, page) })
}

// outside connects to every port from another address of the machine.
func outside(t *testing.T, b *bench, page uint16) {
	faults := labtest.NewFaults(t, labtest.Ports)
	for _, s := range serversUp() {
		faults.Try("another machine connects to the front of "+s.Name,
			func(t *testing.T) { refusedOutside(t, port(t, s.Front)) })
		faults.Try("another machine connects to the counters of "+s.Name,
			func(t *testing.T) { refusedOutside(t, port(t, s.Counters)) })
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

// readable are the counters' pages of each kind of server.
var readable = map[facts.Kind][]string{
	facts.Nginx: {"/stub_status"},
	facts.Envoy: {"/stats", "/stats?filter=cx_total", "/stats/prometheus?type=Counters", "/ready", "/server_info",
		"/config_dump"},
	facts.Backend: {"/ledger.json", "/timings.json", "/metrics", "/healthz"},
}

// fromPages sends the requests that a web page can send to every plain-HTTP port.
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
				status, body := labtest.AskAs(t, fmt.Sprintf("http://127.0.0.1:%d%s", page, path), f)
				if status != http.StatusForbidden {
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
			answersPaths(t, mysteryPages[family], counters)
			if status, body := labtest.AskAs(t, fmt.Sprintf("http://127.0.0.1:%d/config_dump", counters),
				labtest.PageFault{}); status == http.StatusOK {
				t.Errorf("the configuration can be read: %.300s", body)
			}
		})
	})
	for _, s := range serversUp() {
		if s.Kind == facts.Envoy {
			faults.Try("somebody asks Envoy's administration interface to change or end it: "+s.Name,
				func(t *testing.T) { refusesToChange(t, s) })
		}
	}
	faults.Try("a real browser's page sends no-cors requests, images and forms to every port",
		func(t *testing.T) { attackedByABrowser(t, b) })
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

// answersPrograms checks that programs can read the pages that they need.
func answersPrograms(t *testing.T, kind facts.Kind, at uint16) {
	t.Helper()
	answersPaths(t, readable[kind], at)
}

// mysteryPages are those of the server of exercise 10, which must not show its limit.
var mysteryPages = map[facts.Kind][]string{facts.Nginx: {"/stub_status"}, facts.Envoy: {"/ready"}}

func answersPaths(t *testing.T, paths []string, at uint16) {
	t.Helper()
	for _, path := range paths {
		for _, r := range labtest.AllowedRequests(int(at)) {
			status, body := labtest.AskAs(t, fmt.Sprintf("http://127.0.0.1:%d%s", at, path), r)
			if status != http.StatusOK || body == "" {
				t.Errorf("%d%s, %s: status %d: %.300s", at, path, r.Name, status, body)
			}
		}
	}
}

// changing are Envoy's administration paths that change or stop it, or show more than the lab reads
// (https://www.envoyproxy.io/docs/envoy/latest/operations/admin).
var changing = []string{
	"/quitquitquit", "/logging?level=trace", "/runtime_modify?a=b", "/healthcheck/fail", "/healthcheck/ok",
	"/drain_listeners", "/drain_listeners?graceful", "/reset_counters", "/reopen_logs",
	"/cpuprofiler?enable=y", "/heapprofiler?enable=y", "/allocprofiler?enable=y",
	"/stats/recentlookups/enable", "/stats/recentlookups/clear", "/tap", "/memory/tcmalloc", "/certs", "/init_dump",
	"/help", "/", "/stats/../quitquitquit", "/stats/%2e%2e/quitquitquit", "//quitquitquit", "/ready/../quitquitquit",
	"/quitquitquit?/stats", "/QUITQUITQUIT", "/quitquitquit;/stats",
}

// refusesToChange sends them to the port, and to the abstract socket behind it.
func refusesToChange(t *testing.T, s facts.Server) {
	socket := "h2lab-envoy-" + fmt.Sprint(port(t, s.Counters))
	for _, path := range changing {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			for way, args := range map[string][]string{"the port": {"http://" + s.Counters + path},
				"the socket": {"--abstract-unix-socket", socket, "http://envoy" + path}} {
				args = append([]string{"--silent", "--path-as-is", "--globoff", "--request", method, "--max-time", "10",
					"--output", os.DevNull, "--write-out", "%{http_code}"}, args...)
				said, err := exec.CommandContext(t.Context(), "curl", args...).Output()
				if code := string(said); err != nil || !slices.Contains([]string{"403", "404", "405"}, code) {
					t.Errorf("%s %s on %s: %s, %v", method, path, way, code, err)
				}
			}
		}
	}
	answersPrograms(t, facts.Envoy, port(t, s.Counters))
}
