//go:build integration && linux

package main

import (
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"h2lab/internal/base/child"
	"h2lab/internal/base/labtest"
)

// delayed is `h2lab delay` with these arguments.
func delayed(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	binary, err := filepath.Abs("../../bin/h2lab")
	labtest.Check(t, err)
	cmd := exec.Command(binary, append([]string{"delay"}, args...)...)
	t.Cleanup(func() {
		if cmd.Process != nil && cmd.ProcessState == nil {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
	})
	return cmd
}

// devices are the names of this namespace's devices.
func devices(t *testing.T) (names string) {
	t.Helper()
	all, err := net.Interfaces()
	labtest.Check(t, err)
	for _, i := range all {
		names += i.Name + " "
	}
	return names
}

// curl reaches a server of this machine over the distance, h2lab has the program's status and output, and
// no device is left.
func TestACommandAtADistance(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer server.Close()
	before := devices(t)
	for _, c := range []struct {
		name   string
		args   []string
		status int
		says   string
	}{
		{"a status", []string{"--rtt", "1ms", "--", "sh", "-c", "echo out; exit 7"}, 7, "out\n"},
		{"no --", []string{"--rtt", "1ms", "sh", "-c", "echo out"}, 0, "out\n"},
		{"ended by a signal", []string{"--rtt", "1ms", "--", "sh", "-c", "kill -9 $$"}, 1, ""},
		{"its input", []string{"--rtt", "1ms", "--", "cat"}, 0, "in\n"},
	} {
		cmd := delayed(t, c.args...)
		cmd.Stdin = strings.NewReader("in\n")
		out, _ := cmd.Output()
		if got := cmd.ProcessState.ExitCode(); got != c.status || string(out) != c.says {
			t.Errorf("%s: status %d, %q; want %d, %q", c.name, got, out, c.status, c.says)
		}
	}
	for _, rtt := range []float64{0.02, 0.08} {
		least := 1.0
		for range 3 {
			out, err := delayed(t, "--rtt", time.Duration(rtt*float64(time.Second)).String(), "--",
				"curl", "-so", os.DevNull, "-w", "%{time_connect}", server.URL).Output()
			took, bad := strconv.ParseFloat(string(out), 64)
			if err != nil || bad != nil {
				t.Fatal(err, string(out))
			}
			least = min(least, took)
		}
		if least < rtt || least > 1.75*rtt {
			t.Errorf("curl connected in %g s, the round trip takes %g s", least, rtt)
		}
	}
	if after := devices(t); after != before {
		t.Errorf("devices before %s, after %s", before, after)
	}
}

// shellOf waits until the shell that `h2lab delay` runs has written its pid.
func shellOf(t *testing.T, file string) (pid int) {
	t.Helper()
	if !child.Await(t.Context(), 10*time.Second, func() bool {
		text, _ := os.ReadFile(file)
		pid, _ = strconv.Atoi(strings.TrimSpace(string(text)))
		return pid > 0
	}) {
		t.Fatal("the command doesn't run")
	}
	return pid
}

// goesOn reports whether a process has not ended: one that has ended has no command line.
func goesOn(pid int) bool {
	text, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
	return len(text) > 0
}

func TestALineThatEndsLeavesNothing(t *testing.T) {
	faults := labtest.NewFaults(t, labtest.Signals)
	before := devices(t)
	for _, c := range []struct {
		name   string
		signal syscall.Signal
	}{{"h2lab delay gets Ctrl-C", syscall.SIGINT}, {"h2lab delay gets SIGTERM", syscall.SIGTERM},
		{"h2lab delay is killed", syscall.SIGKILL}} {
		faults.Try(c.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "pid")
			cmd := delayed(t, "--rtt", "1ms", "--", "sh", "-c", "echo $$ >"+file+"; exec sleep 60")
			labtest.Check(t, cmd.Start())
			pid := shellOf(t, file)
			if during := devices(t); during == before {
				t.Errorf("devices: %s", during)
			}
			labtest.Check(t, cmd.Process.Signal(c.signal))
			_ = cmd.Wait()
			if !child.Await(t.Context(), 10*time.Second, func() bool { return !goesOn(pid) && devices(t) == before }) {
				t.Errorf("the command runs: %t; devices: %s, before %s", goesOn(pid), devices(t), before)
			}
		})
	}
	faults.Try("a command at a distance leaves a process in a session of its own", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "pid")
		left := "setsid sh -c 'echo $$ >" + file + "; exec sleep 60' & until test -s " + file + "; do sleep 0.01; done"
		cmd := delayed(t, "--rtt", "1ms", "--", "sh", "-c", left)
		if err := cmd.Run(); err != nil {
			t.Error(err)
		}
		if pid := shellOf(t, file); goesOn(pid) {
			t.Errorf("%d runs on", pid)
		}
	})
}

// After `up` with a distance, h2lab delay has it until `down`.
func TestUpAtADistance(t *testing.T) {
	root := labtest.Root(t)
	lab := func(args ...string) string {
		t.Helper()
		cmd := exec.Command(filepath.Join(root, "bin/h2lab"), args...)
		cmd.Dir = root
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("h2lab %q: %v: %s", args, err, out)
		}
		return string(out)
	}
	defer lab("down")
	if said := lab("up", "--limit", "100", "--rtt", "20ms"); !strings.Contains(said, "bin/h2lab delay -- curl") {
		t.Errorf("up says nothing about the distance: %s", said)
	}
	lab("delay", "--", "sh", "-c", "curl -so /dev/null --cacert certs/out/ca.crt -w '%{time_connect}' "+
		"https://127.0.0.1:18101/lab/health | awk '{ exit !($1 >= 0.020) }'")
	lab("down")
	if err := delayed(t, "--", "true").Run(); err == nil || !strings.Contains(err.Error(), "status 2") {
		t.Errorf("after down: %v", err)
	}
}
