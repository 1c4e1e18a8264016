//go:build integration

package main

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
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

// watched runs h2lab and returns every address that accepted connections during the run.
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

// onLoopback fails for every address that is not a loopback address.
func onLoopback(t *testing.T, seen map[netip.AddrPort]bool) {
	t.Helper()
	for addr := range seen {
		if !addr.Addr().Unmap().IsLoopback() {
			t.Errorf("%s accepts connections from other machines", addr)
		}
	}
}

// refusedOutside connects to a port on every address of the machine.
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
	labtest.Check(t, err)
	return at.Port()
}

// serversUp starts all servers of the lab; `make integration` installs the newer nginx that one of
// them requires.
func serversUp() []facts.Server { return plan.Servers(plan.Topologies(plan.DefaultLimit)) }

// live serves the live page until the test ends.
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

// bothMysteries calls do with each family of the server of exercise 10; each start chooses one at
// random.
func (b *bench) bothMysteries(t *testing.T, do func(t *testing.T, family facts.Kind, front, counters uint16)) {
	t.Helper()
	seen := map[facts.Kind]bool{}
	for range 20 {
		front, counters := b.mystery()
		family := facts.Nginx
		ready := fmt.Sprintf("http://127.0.0.1:%d/ready", counters)
		if status, _ := labtest.AskAs(t, ready, labtest.PageFault{}); status == http.StatusOK {
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
