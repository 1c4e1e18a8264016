//go:build linux

package native

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"h2lab/internal/base/exitstatus"
	"h2lab/internal/base/kinds"
	"h2lab/internal/base/labtest"
	"h2lab/internal/base/proc"
	"h2lab/internal/facts"
)

// serviceAt is a service of the test binary; a fake's name is its behaviour.
func serviceAt(name, front string) facts.Server {
	return facts.Server{Name: name, Kind: facts.Service, Front: front, Argv: []string{os.Args[0], "-Dh2lab.service=" + name},
		Upstreams: []facts.Upstream{{Name: "nginx-1000-envoy", Front: "127.0.0.1:18141"},
			{Name: "envoy", Front: "127.0.0.1:18121"}}}
}

func TestAServiceIsStartedWithItsUpstreamsAndWithoutABudget(t *testing.T) {
	root := newRoot(t)
	a := freeAddrs(t, 3)
	gateway := facts.Server{Name: "scg", Kind: facts.Gateway, Front: a[1], Counters: a[2],
		Argv:      []string{os.Args[0], "-Dh2lab.service=" + "scg"},
		Upstreams: []facts.Upstream{{Name: "backend", Front: "127.0.0.1:18443"}}}
	servers := []facts.Server{serviceAt("caller", a[0]), gateway}
	half := 0.5
	site := mustUp(t, Options{Root: root, CPUs: &half, Limit: 100}, servers)
	if got := site.Servers(); got[0].Name != "scg" || got[1].Name != "caller" {
		t.Errorf("started in the order %v, want the gateway before its caller", got)
	}
	for name, want := range map[string][]string{
		"caller": {"--port", portIn(a[0]), "--ca", kinds.CAFile, "--upstream", "nginx-1000-envoy=127.0.0.1:18141", "--upstream",
			"envoy=127.0.0.1:18121"},
		"scg": {"--port", portIn(a[1]), "--ca", kinds.CAFile, "--counters", portIn(a[2]), "--cert", kinds.CertFile, "--key", kinds.KeyFile,
			"--upstream", "backend=127.0.0.1:18443"},
	} {
		pids := site.Pids(name)
		if len(pids) != 1 {
			t.Fatalf("%s has pids %v", name, pids)
		}
		if got := proc.Args(pids[0]); !slices.Equal(got[2:], want) {
			t.Errorf("%s was started with %q, want %q", name, got[2:], want)
		}
		if cpus := site.process(name).CPUs; cpus != nil {
			t.Errorf("%s has a budget of %v", name, *cpus)
		}
		if dir, _ := proc.Cwd(pids[0]); dir != root {
			t.Errorf("%s runs in %s, want %s", name, dir, root)
		}
	}
	if err := site.Alive(); err != nil {
		t.Error(err)
	}
	records, err := site.Records(t.Context(), t.TempDir())
	if err != nil || len(records) != 2 || records[0].CPUs != nil {
		t.Errorf("records %+v, %v", records, err)
	}
}

func portIn(addr string) string {
	_, port, _ := net.SplitHostPort(addr)
	return port
}

func TestAServiceThatFailsIsOneLineAndNothingIsLeft(t *testing.T) {
	f := labtest.NewFaults(t, labtest.Programs)
	for _, c := range []struct{ name, service, want string }{
		{"a service's class is missing", "no-class",
			"ended with status 1; its last line: Error: Could not find or load main class h2lab.service.Main"},
		{"a service's heap is full", "no-heap",
			"ended with status 3; its last line: Terminating due to java.lang.OutOfMemoryError: Java heap space"},
		{"a service never listens", "mute", "mute is not ready after 500ms"},
	} {
		f.Try(c.name, func(t *testing.T) {
			root := newRoot(t)
			a := freeAddrs(t, 2)
			servers := []facts.Server{serviceAt("caller", a[0]), serviceAt(c.service, a[1])}
			_, err := Up(t.Context(), Options{Root: root, ReadyWithin: 500 * time.Millisecond}, servers)
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %v, want %q", err, c.want)
			}
			nothingLeft(t, root, servers)
		})
	}
	f.Try("a service ends while another one is waited for", func(t *testing.T) {
		root := newRoot(t)
		a := freeAddrs(t, 2)
		servers := []facts.Server{serviceAt("mute", a[0]), serviceAt("no-class", a[1])}
		_, err := Up(t.Context(), Options{Root: root, ReadyWithin: 10 * time.Minute}, servers)
		var died *DiedError
		if !errors.As(err, &died) || died.Server != "no-class" {
			t.Errorf("error %v, want that of the service that ended", err)
		}
		nothingLeft(t, root, servers)
	})
	f.Try("a service hangs when it is stopped", func(t *testing.T) {
		root := newRoot(t)
		servers := []facts.Server{serviceAt("stubborn", freeAddrs(t, 1)[0])}
		site, err := Up(t.Context(), Options{Root: root, Grace: 50 * time.Millisecond}, servers)
		labtest.Check(t, err)
		if err := site.Down(t.Context()); err != nil {
			t.Error(err)
		}
		nothingLeft(t, root, servers)
	})
	f.Try("a service isn't built", func(t *testing.T) {
		root := newRoot(t)
		s := serviceAt("caller", freeAddrs(t, 1)[0])
		s.Argv[0] = "services/spring/out/run"
		_, err := Up(t.Context(), Options{Root: root}, []facts.Server{s})
		if err == nil || exitstatus.Of(err) != exitstatus.Missing || !strings.Contains(err.Error(), "build it with: make") {
			t.Errorf("error %v, status %d", err, exitstatus.Of(err))
		}
	})
}

func TestAServiceThatWasLeftIsFoundAndStopped(t *testing.T) {
	f := labtest.NewFaults(t, labtest.Ports)
	f.Try("a service that a killed h2lab left is running", func(t *testing.T) {
		root, a := newRoot(t), freeAddrs(t, 1)[0]
		servers := []facts.Server{serviceAt("caller", a)}
		site, err := Up(t.Context(), Options{Root: root, Detach: true}, servers)
		labtest.Check(t, err)
		t.Cleanup(func() { _ = site.Down(t.Context()) })
		_, err = Up(t.Context(), Options{Root: root}, servers)
		if err == nil || !strings.Contains(err.Error(), "make down") {
			t.Errorf("error %v, want one that says make down", err)
		}
		found := Running(root)
		if len(found) != 1 || found[0].Kind != facts.Service {
			t.Errorf("found %+v, want the service", found)
		}
		if err := StopRunning(t.Context(), found); err != nil {
			t.Error(err)
		}
		nothingLeft(t, root, servers)
	})
}

func TestTheVersionOfAJavaIsItsReleases(t *testing.T) {
	jdk := t.TempDir()
	labtest.Check(t, os.Mkdir(filepath.Join(jdk, "bin"), 0o755))
	write(t, jdk, "release", "IMPLEMENTOR=\"Debian\"\nJAVA_VERSION=\"17.0.15\"\nOS_NAME=\"Linux\"\n")
	if got := releaseOf(filepath.Join(jdk, "bin", "java")); got != "Java 17.0.15" {
		t.Errorf("version %q", got)
	}
	if got := releaseOf("/nowhere/bin/java") + javaVersion(os.Getpid()); got != "" {
		t.Errorf("what is no Java has the version %q", got)
	}
}
