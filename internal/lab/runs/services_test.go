package runs

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"h2lab/internal/base/exitstatus"
	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
	"h2lab/internal/lab/plan"
)

func TestAStoryRunsNativelyOnly(t *testing.T) {
	f := labtest.NewFaults(t, labtest.Knobs)
	for _, c := range []struct {
		name, runtime, says string
	}{
		{"a story under Docker", Docker, "RUNTIME=docker: story has no images of its services yet; use RUNTIME=native"},
		{"a story in an unknown runtime", "podman", "RUNTIME=podman is unknown"},
	} {
		f.Try(c.name, func(t *testing.T) {
			l := &Lab{Root: labtest.Root(t), Results: filepath.Join(t.TempDir(), "none"), Messages: io.Discard}
			err := nativeOnly(&Request{Command: plan.Story, Runtime: c.runtime})
			if err == nil || !strings.HasPrefix(err.Error(), c.says) || exitstatus.Of(err) != exitstatus.Usage {
				t.Errorf("error %v", err)
			}
			if _, err := os.Stat(l.Results); err == nil {
				t.Error("it made the directory of results")
			}
		})
	}
	for _, runtime := range []string{Auto, Native} {
		q := Request{Command: plan.Story, Runtime: runtime}
		if err := nativeOnly(&q); err != nil || q.Runtime != Native {
			t.Errorf("RUNTIME=%s became %s, %v", runtime, q.Runtime, err)
		}
	}
}

func TestAMachineWithoutTheMemoryIsRefusedBeforeTheStart(t *testing.T) {
	mb := func(n int64) *int64 { return &n }
	f := labtest.NewFaults(t, labtest.Limits)
	f.Try("2000 MB of memory for 6 JVMs", func(t *testing.T) {
		err := ampleMemory(mb(2000), make([]facts.Server, 6))
		if exitstatus.Of(err) != exitstatus.Missing || !strings.Contains(err.Error(), "2000 MB of free memory, and 6 JVMs "+
			"require 2436 MB") || !strings.Contains(err.Error(), "CLIENT=NAME") {
			t.Errorf("error %v", err)
		}
	})
	server := []facts.Server{{Name: "server-sync"}}
	if ampleMemory(mb(661), server) == nil || ampleMemory(mb(662), server) != nil {
		t.Error("a server needs 662 MB")
	}
	for _, free := range []*int64{nil, mb(2436)} {
		if err := ampleMemory(free, make([]facts.Server, 6)); err != nil {
			t.Error(err)
		}
	}
}

// checkout is a directory with one service whose toolchain is that need.
func checkout(t *testing.T, need, build string) *Lab {
	t.Helper()
	root := t.TempDir()
	for name, text := range map[string]string{
		"clients.txt": "spring\n",
		"spring/client.json": `{"ecosystem": "spring", "title": "Spring", "needs": [` + need + `], "build": [` + build + `],
 "clients": [{"name": "caller", "library": "Spring", "says": "calls", "run": ["out/run", "caller"], "protocol": "h2"},
  {"name": "newer", "library": "Spring", "says": "calls", "run": ["out/run", "newer"], "protocol": "h2",
   "needs": [{"tool": "h2lab-no-such-java", "install": "apt-get install it"}]}]}`,
	} {
		path := filepath.Join(root, OwnServices, name)
		labtest.Write(t, path, text)
	}
	return &Lab{Root: root, Messages: io.Discard}
}

func TestAMissingToolchainIsOneLine(t *testing.T) {
	f := labtest.NewFaults(t, labtest.Programs)
	const mvn = `{"tool": "h2lab-no-such-mvn", "args": ["--version"], "least": "3.8", "install": "apt-get install maven"}`
	build := func(l *Lab, named ...string) (*services, error) {
		s, err := l.readServices()
		labtest.Check(t, err)
		return s, s.build(t.Context(), l, named)
	}
	f.Try("the toolchain of the services is missing", func(t *testing.T) {
		_, err := build(checkout(t, mvn, `"true"`))
		want := "services/spring: h2lab-no-such-mvn is missing; install it with: apt-get install maven"
		if err == nil || err.Error() != want || exitstatus.Of(err) != exitstatus.Missing {
			t.Errorf("error %v", err)
		}
	})
	f.Try("a build of the services fails", func(t *testing.T) {
		_, err := build(checkout(t, "", `"sh", "-c", "echo no network >&2; exit 7"`))
		if err == nil || exitstatus.Of(err) != exitstatus.Missing ||
			!strings.Contains(err.Error(), "building services/spring: ended with status 7") ||
			!strings.Contains(err.Error(), "no network") {
			t.Errorf("error %v", err)
		}
	})
	f.Try("a service that the user named needs a tool of its own", func(t *testing.T) {
		_, err := build(checkout(t, "", ""), "newer")
		if err == nil || !strings.HasPrefix(err.Error(), "services/spring: newer: h2lab-no-such-java is missing") {
			t.Errorf("error %v", err)
		}
	})
	s, err := build(checkout(t, "", ""))
	labtest.Check(t, err)
	cell := facts.Planned{Client: "newer", Service: &facts.Server{Name: "newer"}}
	if why := s.why(cell); !strings.HasPrefix(why, "h2lab-no-such-java is missing") {
		t.Errorf("the cell's reason is %q", why)
	}
	if able := s.able([]facts.Planned{cell, {Client: "caller", Service: &facts.Server{Name: "caller"}}}); len(able) != 1 ||
		able[0].Name != "caller" {
		t.Errorf("able are %+v", able)
	}
}

func TestAServiceThatAssumesALimitIsUnsupportedAtALowerOne(t *testing.T) {
	s := &services{}
	cell := facts.Planned{Client: "renew", Service: &facts.Server{Name: "renew"}, Program: &facts.Program{AssumesLimit: 1000}}
	for limit, supported := range map[int]bool{0: true, 100: false, 1000: true, 100000: true} {
		cell.Topology.Limit = limit
		if why := s.why(cell); (why == "") != supported {
			t.Errorf("at a limit of %d: %q", limit, why)
		}
	}
}
