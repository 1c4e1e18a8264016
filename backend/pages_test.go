package main

import (
	"net"
	"net/http"
	"testing"
	"time"

	"h2lab/internal/base/labtest"
)

func TestWebPagesReachNoCounter(t *testing.T) {
	r := startBackend(t, time.Second)
	port := r.cntrLn.Addr().(*net.TCPAddr).Port
	at := "http://" + r.cntrLn.Addr().String()
	faults := labtest.NewFaults(t, labtest.HostilePages)
	for _, f := range labtest.PageFaults(port) {
		faults.Try("the backend's counters: "+f.Name, func(t *testing.T) {
			for _, path := range []string{"/ledger.json", "/timings.json", "/metrics", "/healthz", "/ids/forget"} {
				if status, body := labtest.AskAs(t, at+path, f); status != http.StatusForbidden {
					t.Errorf("%s: status %d: %s", path, status, body)
				}
			}
		})
	}
	faults.Try("the backend's counters: a page on the Internet sends POST /ids/forget", func(t *testing.T) {
		r.ledger.execute("an-id")
		page := labtest.PageFault{Method: http.MethodPost, Header: http.Header{"Origin": {"https://attacker.example"}}}
		if status, _ := labtest.AskAs(t, at+"/ids/forget", page); status != http.StatusForbidden {
			t.Errorf("status %d", status)
		}
		r.ledger.execute("an-id")
		if got := r.ledger.read(); got.Duplicates != 1 {
			t.Errorf("%d duplicates, want 1: the ids were forgotten", got.Duplicates)
		}
	})
	faults.Try("the backend's counters: GET /ids/forget, as an image in a page sends it", func(t *testing.T) {
		if status, _ := labtest.AskAs(t, at+"/ids/forget", labtest.PageFault{}); status != http.StatusMethodNotAllowed {
			t.Errorf("status %d", status)
		}
	})
	for _, a := range labtest.AllowedRequests(port) {
		if status, body := labtest.AskAs(t, at+"/ledger.json", a); status != http.StatusOK {
			t.Errorf("%s: status %d: %s", a.Name, status, body)
		}
	}
}

func TestWithoutFlagsTheBackendListensOnLoopbackAlone(t *testing.T) {
	cfg, err := parse(nil)
	labtest.Check(t, err)
	for _, addr := range []string{cfg.listen, cfg.counters} {
		if host, _, err := net.SplitHostPort(addr); err != nil || host != "127.0.0.1" {
			t.Errorf("it listens on %q (%v)", addr, err)
		}
	}
}
