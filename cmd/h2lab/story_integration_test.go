//go:build integration

package main

import (
	"strings"
	"syscall"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/base/proc"
	"h2lab/internal/facts"
	"h2lab/internal/lab/native"
	"h2lab/internal/lab/results"
)

// One real service in both places of the search: behind the reverse proxy, and at the gateway alone.
func TestAQuickStoryMeasuresARealService(t *testing.T) {
	p := start(t, "story", "QUICK=1", "TRIALS=", "DURATION=", "LIMIT=1000", "CLIENT=resttemplate-okhttp3",
		"TOPOLOGY=nginx-1000-envoy,envoy")
	p.end(statusDone)
	noServiceIsLeft(t)
	r, err := results.Read(p.run())
	labtest.Check(t, err)
	if len(r.Cells) != 2 || r.Run.Command != "story" || len(r.Renewals) != 1 {
		t.Fatalf("%d cells and %d renewals of %s", len(r.Cells), len(r.Renewals), r.Run.Command)
	}
	for _, c := range r.Cells {
		if len(c.Trials) != 1 || c.Program == nil || c.Users != facts.K6ConnectionPerVU {
			t.Fatalf("%s: %d trials, program %+v, users %s", c.ID(), len(c.Trials), c.Program, c.Users)
		}
		x := c.Trials[0]
		s := x.Service
		if s == nil || s.Calls == 0 || s.Failed+s.Succeeded != s.Calls || s.RowMS.P50 == nil || s.Threads == nil ||
			s.HeapMB == nil || len(s.Settings) == 0 {
			t.Errorf("%s: the service saw %+v", c.ID(), s)
		}
		if h := x.Backend.HandledMS; h == nil || h.P50 == nil || *h.P50 < 20 {
			t.Errorf("%s: the backend took %+v", c.ID(), h)
		}
		if x.CPU.Service == nil || *x.CPU.Service <= 0 {
			t.Errorf("%s: processor time %+v", c.ID(), x.CPU)
		}
	}
	for _, s := range r.Environment.Servers {
		if s.Name == "resttemplate-okhttp3" && !strings.HasPrefix(s.Version, "Java ") {
			t.Errorf("the service's runtime is %q", s.Version)
		}
	}
}

func TestARealServiceThatIsKilledEndsTheStory(t *testing.T) {
	f := labtest.NewFaults(t, labtest.Programs)
	f.Try("a JVM is killed in the middle of a story", func(t *testing.T) {
		p := start(t, "story", "TRIALS=9", "DURATION=2s", "LIMIT=1000", "CLIENT=resttemplate-okhttp3", "TOPOLOGY=envoy")
		p.until("2/9")
		for _, found := range native.Running("../..") {
			if found.Kind == facts.Service && proc.Name(found.PID) == "java" {
				if err := syscall.Kill(found.PID, syscall.SIGKILL); err != nil {
					t.Error(err)
				}
			}
		}
		p.end(statusCouldNot)
		p.says("resttemplate-okhttp3 (pid ", "was ended by signal 9 (killed)")
		noServiceIsLeft(t)
		r, err := results.Read(p.run())
		if err != nil || len(r.Cells[0].Trials) != 1 || !r.Run.Interrupted {
			t.Errorf("the result keeps %+v, %v", r, err)
		}
	})
}

func noServiceIsLeft(t *testing.T) {
	t.Helper()
	for _, f := range native.Running("../..") {
		t.Errorf("left behind: %+v", f)
	}
}
