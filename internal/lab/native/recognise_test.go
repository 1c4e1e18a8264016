//go:build linux

package native

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"h2lab/internal/base/child"
	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
)

// copied is a copy of the test binary that can be removed.
func copied(t *testing.T, path string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(os.Args[0], path); err == nil {
		return path
	}
	text, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text, 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// upAndForgotten are detached servers of a checkout without a state file.
func upAndForgotten(t *testing.T, root, mode string) []facts.Server {
	t.Helper()
	servers, opts := topology(t, root, mode)
	opts.Detach, opts.Tools.Backend = true, copied(t, filepath.Join(root, "bin", "backend"))
	opts.ReadyWithin = time.Second
	site, err := Up(t.Context(), opts, servers)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = site.Down(t.Context()) })
	return servers
}

// stopped stops the recognised servers and checks that they have ended.
func stopped(t *testing.T, root string, servers []facts.Server) {
	t.Helper()
	found := Running(root)
	if len(found) != len(servers) {
		t.Errorf("found %+v, want %d servers", found, len(servers))
	}
	if err := StopRunning(t.Context(), found); err != nil {
		t.Error(err)
	}
	if err := Underive(root); err != nil {
		t.Error(err)
	}
	nothingLeft(t, root, servers)
}

func TestServersAreRecognisedWithoutAStateFile(t *testing.T) {
	f := labtest.NewFaults(t, labtest.Ports)
	f.Try("var/ is removed while servers are up", func(t *testing.T) {
		root := newRoot(t)
		servers := upAndForgotten(t, root, "")
		if err := os.RemoveAll(filepath.Join(root, "var")); err != nil {
			t.Fatal(err)
		}
		stopped(t, root, servers)
	})
	f.Try("bin/ is removed while servers are up", func(t *testing.T) {
		root := newRoot(t)
		servers := upAndForgotten(t, root, "")
		if err := os.RemoveAll(filepath.Join(root, "bin")); err != nil {
			t.Fatal(err)
		}
		stopped(t, root, servers)
	})
	f.Try("a forgotten server ignores polite signals", func(t *testing.T) {
		root := newRoot(t)
		servers := upAndForgotten(t, root, "stubborn")
		hurry := child.Cleanup(t.Context())
		found := Running(root)
		for _, x := range found {
			if err := child.Find(x.PID, x.Started, x.Name).Stop(hurry,
				child.Manner{Grace: 50 * time.Millisecond}); err != nil {
				t.Error(err)
			}
		}
		nothingLeft(t, root, servers)
	})
}

func TestServersOfAnotherCheckoutAreNamedAndLeftAlone(t *testing.T) {
	f := labtest.NewFaults(t, labtest.Ports)
	f.Try("the ports are held by servers of another checkout", func(t *testing.T) {
		other, own := filepath.Join(t.TempDir(), "an other"), newRoot(t)
		if err := os.Rename(newRoot(t), other); err != nil {
			t.Fatal(err)
		}
		servers := upAndForgotten(t, other, "")
		if found := Running(own); len(found) > 0 {
			t.Errorf("servers of another checkout are taken for ours: %+v", found)
		}
		_, opts := topology(t, own, "")
		err := portsFree(own, servers)
		var taken *PortError
		if !errors.As(err, &taken) || taken.Checkout != other || taken.Ours {
			t.Fatalf("error %v, want that of another checkout", err)
		}
		want := fmt.Sprintf("of another checkout, '%s'; stop it with: make -C '%[1]s' down", other)
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q, want %q", err, want)
		}
		write(t, own, servers[0].Config, "keepalive_requests 1000; # the limit\n")
		if _, err := Up(t.Context(), opts, servers); err == nil || strings.Count(err.Error(), "\n") > 0 {
			t.Errorf("one checkout is named in %v, want one line", err)
		}
	})
	f.Try("a measurement in another checkout holds the ports", func(t *testing.T) {
		other, own := newRoot(t), newRoot(t)
		servers := upAndForgotten(t, other, "")
		release, err := Lock(other)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = release() }()
		err = portsFree(own, servers)
		want := fmt.Sprintf("a measurement is running in %s (pid %d", other, os.Getpid())
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	})
}

func TestAStrangerIsNotRecognised(t *testing.T) {
	root := newRoot(t)
	for _, argv := range [][]string{
		{"sleep", "60"},
		{"sh", "-c", "sleep 60; :", "-c", "envoy/x.yaml"},
		{"sh", "-c", "sleep 60; :", "--counters", "--cert"},
		{"sh", "-c", "sleep 60; :", "-p", "/elsewhere/", "-c", "nginx/keepalive-1000.conf", "-e", "stderr"},
	} {
		c, err := child.Start(child.Spec{Argv: argv, Dir: root})
		if err != nil {
			t.Fatal(err)
		}
		if found := Running(root); len(found) > 0 {
			t.Errorf("%v is recognised: %+v", argv, found)
		}
		if err := c.Stop(t.Context(), child.Manner{
			Signals: []syscall.Signal{syscall.SIGKILL},
			Group:   true,
		}); err != nil {
			t.Error(err)
		}
	}
}

func TestStateIsThereBeforeTheServers(t *testing.T) {
	root := newRoot(t)
	servers, opts := topology(t, root, "mute") // it never listens: killed meanwhile, up has saved what it started
	opts.Detach, opts.State, opts.ReadyWithin = true, filepath.Join(root, StateFile), 2*time.Second
	seen := make(chan []string, 1)
	go func() {
		var names []string
		child.Await(t.Context(), 10*time.Second, func() bool {
			site, err := Load(opts.State)
			if err != nil || len(site.processes) < len(servers) {
				return false
			}
			for _, p := range site.processes {
				if p.Alive() {
					names = append(names, p.server.Name)
				}
			}
			return true
		})
		seen <- names
	}()
	if _, err := Up(t.Context(), opts, servers); err == nil {
		t.Fatal("a server that never listens is ready")
	}
	if names := <-seen; !slices.Equal(names, []string{"backend", "nginx-1000"}) {
		t.Errorf("while servers are waited for the state names %v", names)
	}
	nothingLeft(t, root, servers)
}
