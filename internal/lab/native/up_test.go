//go:build linux

package native

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"h2lab/internal/base/child"
	"h2lab/internal/base/labtest"
	"h2lab/internal/base/proc"
	"h2lab/internal/facts"
)

func TestATopologyComesUpTheBackendFirstAndGoesDownWithoutATrace(t *testing.T) {
	root := newRoot(t)
	servers, opts := topology(t, root, "")
	write(t, root, servers[0].UsedLog, "a line of yesterday\n")
	site := mustUp(t, opts, servers)

	if got := site.Servers(); got[0].Name != "backend" || got[1].Name != "nginx-1000" {
		t.Errorf("started in the order %v, want the backend first", got)
	}
	if err := site.Alive(); err != nil {
		t.Errorf("everything is up and yet: %v", err)
	}
	for _, s := range servers {
		if len(site.Pids(s.Name)) != 1 {
			t.Errorf("%s has pids %v, want one", s.Name, site.Pids(s.Name))
		}
	}
	if text, err := os.ReadFile(filepath.Join(root, servers[0].UsedLog)); err != nil || len(text) > 0 {
		t.Errorf("the stale log holds %q (%v), want it empty", text, err)
	}
	if pids := site.Pids("nobody"); pids != nil {
		t.Errorf("an unknown server has pids %v", pids)
	}
}

func TestATakenPortNamesItsOwnerAndStartsNothing(t *testing.T) {
	root := newRoot(t)
	servers, opts := topology(t, root, "")
	l, err := net.Listen("tcp", servers[1].Counters)
	labtest.Check(t, err)
	_, err = Up(t.Context(), opts, servers)
	var taken *PortError
	if !errors.As(err, &taken) {
		t.Fatalf("error %v, want a PortError", err)
	}
	if taken.Addr != servers[1].Counters || taken.PID != os.Getpid() || taken.Program != proc.Name(os.Getpid()) ||
		taken.Ours {
		t.Errorf("the error says %+v, want %s by this test (pid %d)", taken, servers[1].Counters, os.Getpid())
	}
	for _, part := range []string{taken.Addr, "backend", fmt.Sprintf("kill %d", os.Getpid())} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q doesn't say %q", err, part)
		}
	}
	labtest.Check(t, l.Close())
	nothingLeft(t, root, servers)
}

func TestAPortTakenByWhatUpLeftIsKnownAsOurs(t *testing.T) {
	root := newRoot(t)
	servers, opts := topology(t, root, "")
	opts.Detach = true
	site := mustUp(t, opts, servers)
	labtest.Check(t, site.Save(filepath.Join(root, StateFile)))
	_, err := Up(t.Context(), opts, servers)
	var taken *PortError
	if !errors.As(err, &taken) || !taken.Ours || !strings.Contains(err.Error(), "make down") {
		t.Errorf("error %v, want one that knows it is ours and says make down", err)
	}
}

func TestAServerThatDiesBeforeItIsReadyIsNamedWithItsLastWords(t *testing.T) {
	root := newRoot(t)
	servers, opts := topology(t, root, "dies")
	began := time.Now()
	_, err := Up(t.Context(), opts, servers)
	var died *DiedError
	if !errors.As(err, &died) {
		t.Fatalf("error %v, want a DiedError", err)
	}
	if died.Server != "nginx-1000" || died.Status != "ended with status 3" ||
		!strings.Contains(err.Error(), "[emerg] the disk is on fire") {
		t.Errorf("error %q doesn't say who, how and the last words", err)
	}
	if waited := time.Since(began); waited > defaultReadyWithin/2 {
		t.Errorf("it took %v to notice that a process had died", waited)
	}
	nothingLeft(t, root, servers)
}

func TestAServerThatNeverAnswersIsGivenUp(t *testing.T) {
	root := newRoot(t)
	servers, opts := topology(t, root, "mute")
	opts.ReadyWithin = 300 * time.Millisecond
	_, err := Up(t.Context(), opts, servers)
	if err == nil || !strings.Contains(err.Error(), "nginx-1000 is not ready after 300ms") {
		t.Errorf("error %v, want that nginx-1000 is not ready", err)
	}
	nothingLeft(t, root, servers)
}

func TestACancelledStartLeavesNothing(t *testing.T) {
	root := newRoot(t)
	servers, opts := topology(t, root, "mute")
	opts.Limit = 100
	ctx, cancel := context.WithCancel(t.Context())
	go func() { // once the backend is up and Up waits for nginx
		port, _ := portOf(servers[1].Front)
		child.Await(t.Context(), 10*time.Second, func() bool { _, _, ok := proc.PortOwner(port); return ok })
		cancel()
	}()
	_, err := Up(ctx, opts, servers)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
	nothingLeft(t, root, servers)
}

func TestAStartThatIsCancelledBeforeItBeginsStartsNothing(t *testing.T) {
	root := newRoot(t)
	servers, opts := topology(t, root, "")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Up(ctx, opts, servers); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
	if _, err := os.Stat(filepath.Join(root, "var")); err == nil {
		t.Error("var/ was made for nothing")
	}
}

func TestAServerThatIgnoresPoliteSignalsIsKilled(t *testing.T) {
	root := newRoot(t)
	servers, opts := topology(t, root, "stubborn")
	opts.Grace = 100 * time.Millisecond
	site, err := Up(t.Context(), opts, servers)
	labtest.Check(t, err)
	p := site.process("nginx-1000")
	labtest.Check(t, site.Down(t.Context()))
	if <-p.Exited(); p.Ending() != "was ended by signal 9 (killed)" {
		t.Errorf("it ended with %q, want to be killed", p.Ending())
	}
	nothingLeft(t, root, servers)
}

func TestAPoliteServerIsNotKilled(t *testing.T) {
	root := newRoot(t)
	servers, opts := topology(t, root, "")
	site := mustUp(t, opts, servers)
	labtest.Check(t, site.Down(t.Context()))
	for _, p := range site.processes {
		if <-p.Exited(); p.Ending() != "ended with status 0" {
			t.Errorf("%s ended with %q, want status 0", p.server.Name, p.Ending())
		}
	}
}

func TestAServerThatDiesLaterIsNamedByAlive(t *testing.T) {
	root := newRoot(t)
	servers, opts := topology(t, root, "")
	site := mustUp(t, opts, servers)
	die(t, servers[0].Counters)
	eventually(t, "a dead server is noticed", func() bool { return site.Alive() != nil })
	var died *DiedError
	if err := site.Alive(); !errors.As(err, &died) {
		t.Fatalf("error %v, want a DiedError", err)
	}
	if died.Server != "nginx-1000" || died.Status != "ended with status 139" ||
		died.Last != "worker process 7 exited on signal 11" {
		t.Errorf("the error says %+v", died)
	}
	if pids := site.Pids("nginx-1000"); pids != nil {
		t.Errorf("a dead server has pids %v", pids)
	}
}

// withWorker starts an nginx that has a worker.
func withWorker(t *testing.T) *Site {
	t.Helper()
	root := newRoot(t)
	servers, opts := topology(t, root, "with-worker")
	opts.Tools.Nginx = filepath.Join(root, "nginx-fake")
	labtest.Check(t, os.Symlink(os.Args[0], opts.Tools.Nginx))
	write(t, root, "worker.conf", "mode mute\n")
	return mustUp(t, opts, servers)
}

func TestWorkersWhoseMasterWasKilledAreSweptUp(t *testing.T) {
	site := withWorker(t)
	master := site.process("nginx-1000")
	if len(site.Pids("nginx-1000")) != 2 {
		t.Fatalf("pids %v, want a master and a worker", site.Pids("nginx-1000"))
	}
	labtest.Check(t, syscall.Kill(master.PID, syscall.SIGKILL))
	<-master.Exited()
	labtest.Check(t, site.Down(t.Context()))
	if left := proc.Group(master.PID); len(left) != 0 {
		t.Errorf("%v is left of the master's group", left)
	}
}

func TestAWorkerThatDiesIsNoticedThoughItsMasterLives(t *testing.T) {
	site := withWorker(t)
	worker := site.Pids("nginx-1000")[1]
	labtest.Check(t, syscall.Kill(worker, syscall.SIGKILL))
	eventually(t, "a dead worker is noticed", func() bool { return site.Alive() != nil })
	if err := site.Alive(); !strings.Contains(err.Error(), fmt.Sprint(worker)) ||
		!strings.Contains(err.Error(), "nginx-1000") {
		t.Errorf("error %q doesn't name nginx-1000 and its worker %d", err, worker)
	}
}

func TestWhatIsWrongIsSaidBeforeAnythingIsStarted(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(t *testing.T, root string, servers []facts.Server, opts *Options)
		want  string
	}{
		{"an expired certificate", func(t *testing.T, root string, _ []facts.Server, _ *Options) {
			writeCertificates(t, root, time.Now().Add(-time.Hour))
		}, "make certs"},
		{"no certificate", func(t *testing.T, root string, _ []facts.Server, _ *Options) {
			labtest.Check(t, os.Remove(filepath.Join(root, certFile)))
		}, "make certs"},
		{"no nginx", func(_ *testing.T, _ string, _ []facts.Server, o *Options) { o.Tools.Nginx = "" }, "make tools"},
		{"an nginx that is too old for the file", func(_ *testing.T, _ string, s []facts.Server, _ *Options) {
			s[0].MinVersion = "1.29.4"
		}, "needs nginx 1.29.4 or newer, found 1.22.1"},
		{"a budget of nothing", func(_ *testing.T, _ string, _ []facts.Server, o *Options) {
			o.CPUs = new(float64)
		}, "CPUS=0.5"},
		{"a configuration without the limit's mark", func(t *testing.T, root string, s []facts.Server, o *Options) {
			write(t, root, s[0].Config, "keepalive_requests 1000;\n")
			o.Limit = 100
		}, "exactly one must"},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := newRoot(t)
			servers, opts := topology(t, root, "")
			c.spoil(t, root, servers, &opts)
			_, err := Up(t.Context(), opts, servers)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
			nothingLeft(t, root, servers)
		})
	}
}
