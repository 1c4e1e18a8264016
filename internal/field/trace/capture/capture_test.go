//go:build linux

package capture

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"h2lab/internal/base/exitstatus"
	"h2lab/internal/base/texts"
)

// standIn puts a script on an otherwise empty PATH as a capture program.
func standIn(t *testing.T, name, script string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
}

// The messages and exit codes of the scripts are those of tcpdump 4.99 and dumpcap 4.0.
func TestACaptureProgramThatCantIsFoundOutBeforeAnythingIsSent(t *testing.T) {
	for name, c := range map[string]struct{ script, want string }{
		"not permitted": {
			"echo \"tcpdump: lo: You don't have permission to perform this capture on that device\" >&2; echo " +
				"'(socket: Operation not permitted)' >&2; exit 1",
			"tcpdump may not capture here (socket: Operation not permitted); next: sudo",
		},
		"no such device": {
			"echo 'tcpdump: lo: No such device exists' >&2; exit 1",
			"tcpdump does not capture: lo: No such device exists; next",
		},
		"ends after a header": {"printf head; echo 'tcpdump: gone' >&2; exit 1", "tcpdump does not capture: gone"},
	} {
		t.Run(name, func(t *testing.T) {
			standIn(t, "tcpdump", c.script)
			_, err := Find(t.Context())
			if err == nil || !strings.Contains(err.Error(), c.want) || exitstatus.Of(err) != exitstatus.Missing {
				t.Errorf("status %d, error %v, want %q", exitstatus.Of(err), err, c.want)
			}
		})
	}
}

func TestATcpdumpThatWasNotInstalledStaysRoot(t *testing.T) {
	standIn(t, "tcpdump", `[ "$1" = -Z ] || { printf head; echo "tcpdump: Couldn't find user 'tcpdump'" >&2; exit 1; }
printf head; exec /bin/sleep 60`)
	s, err := Find(t.Context())
	if err != nil || strings.Join(s.more, " ") != "-Z root" {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestDumpcapServesWhereThereIsNoTcpdump(t *testing.T) {
	standIn(t, "dumpcap", "printf head; exec /bin/sleep 60")
	s, err := Find(t.Context())
	if err != nil || filepath.Base(s.program) != "dumpcap" {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestACaptureHoldsWhatTheProgramWroteAndItsWarnings(t *testing.T) {
	standIn(t, "tcpdump",
		`trap 'printf tail; echo "12 packets dropped by kernel" >&2; exit 0' INT; printf head; while :; do `+
			`/bin/sleep 0.01; done`)
	var out bytes.Buffer
	run, err := untried().Start(t.Context(), loopback9(), &out)
	if err != nil {
		t.Fatal(err)
	}
	warnings, err := run.Stop(0)
	if err != nil || out.String() != "headtail" || len(warnings) != 1 || texts.English.Note(warnings[0]) != "the capture lacks 12 packets, which the kernel dropped" {
		t.Errorf("%q, %+v, %v", out.String(), warnings, err)
	}
}

// Ctrl-C cancels the context.
func TestACaptureProgramEndsWithItsContext(t *testing.T) {
	standIn(t, "tcpdump", "printf head; exec /bin/sleep 60")
	ctx, cancel := context.WithCancel(t.Context())
	run, err := untried().Start(ctx, loopback9(), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	pid := run.PID
	cancel()
	if _, err := run.Stop(0); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("process %d is there still: %v", pid, err)
	}
}

func TestACaptureIsBounded(t *testing.T) {
	standIn(t, "tcpdump", "printf head; exec /bin/cat /dev/zero")
	run, err := untried().Start(t.Context(), loopback9(), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	run.mu.Lock()
	run.n = mostCaptured
	run.mu.Unlock()
	<-run.Exited()
	if _, err := run.Stop(0); err == nil || !strings.Contains(err.Error(), "more than 256 MiB") {
		t.Errorf("error %v", err)
	}
}

// untried is the tcpdump on the PATH, without Find's trial run.
func untried() *Program {
	return &Program{program: Look("tcpdump"), args: func(device, filter string) []string {
		return []string{device,
			filter}
	}}
}

func loopback9() net.TCPAddr { return net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 9} }

func TestOnlyLoopbackIsWatchedAlone(t *testing.T) {
	if d := captureDevice(net.IPv4(192, 0, 2, 1)); d != "any" {
		t.Errorf("192.0.2.1 goes by %s", d)
	}
	if d := captureDevice(net.IPv4(127, 0, 0, 1)); !strings.HasPrefix(d, "lo") {
		t.Errorf("127.0.0.1 goes by %s", d)
	}
}
