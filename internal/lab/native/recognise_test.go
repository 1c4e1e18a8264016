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

// upAndForgotten are detached servers of a checkout without a state file.
func upAndForgotten(t *testing.T, root, mode string) []facts.Server {
	t.Helper()
	servers, opts := topology(t, root, mode)
	opts.Detach, opts.Tools.Backend = true, filepath.Join(root, "bin", "backend") // can be removed
	labtest.Check(t, labtest.CopySelf(opts.Tools.Backend))
	opts.ReadyWithin = time.Second
	site, err := Up(t.Context(), opts, servers)
	labtest.Check(t, err)
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
		labtest.Check(t, os.RemoveAll(filepath.Join(root, "var")))
		stopped(t, root, servers)
	})
	f.Try("bin/ is removed while servers are up", func(t *testing.T) {
		root := newRoot(t)
		servers := upAndForgotten(t, root, "")
		labtest.Check(t, os.RemoveAll(filepath.Join(root, "bin")))
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
		labtest.Check(t, os.Rename(newRoot(t), other))
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
		labtest.Check(t, err)
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
		labtest.Check(t, err)
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
