//go:build linux

package native

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"h2lab/internal/base/child"
	"h2lab/internal/base/labtest"
	"h2lab/internal/base/proc"
)

// fakes are the living processes of the fakes, in any process group.
func fakes() []int {
	var out []int
	for pid := range proc.Living() {
		if pid != os.Getpid() && slices.Contains(proc.Args(pid), "worker.conf") {
			out = append(out, pid)
		}
	}
	slices.Sort(out)
	return out
}

func TestAWrongProgramInAServersPlaceIsOneLineAndNothingIsLeft(t *testing.T) {
	f := labtest.NewFaults(t, labtest.Programs)
	for _, c := range []struct{ mode, name, want string }{
		{"exits", "a server ends at once with status 0", "nginx-1000 (pid %) ended with status 0 and printed nothing"},
		{"dies", "a server ends at once with a message",
			"nginx-1000 (pid %) ended with status 3; its last line: [emerg] the disk is on fire"},
		{"garbage", "a server prints 150 kB of garbage and ends",
			"nginx-1000 (pid %) ended with status 1; its last line: ?[31mred?"},
		{"mute", "a server never listens", "nginx-1000 is not ready after 300ms"},
		{"elsewhere", "a server listens on other ports", "nginx-1000 is not ready after 300ms"},
		{"forks", "a server leaves a daemon and ends", "nginx-1000 (pid %) ended with status 0 and printed nothing"},
	} {
		f.Try(c.name, func(t *testing.T) {
			root := newRoot(t)
			servers, opts := topology(t, root, c.mode)
			opts.Tools.Nginx = filepath.Join(root, "nginx-fake")
			labtest.Check(t, os.Symlink(os.Args[0], opts.Tools.Nginx))
			write(t, root, "worker.conf", "mode mute\n")
			opts.ReadyWithin = 300 * time.Millisecond
			_, err := Up(t.Context(), opts, servers)
			if err == nil || strings.Contains(err.Error(), "\n") {
				t.Fatalf("error %v, want one line", err)
			}
			before, after, _ := strings.Cut(c.want, "%")
			if !strings.HasPrefix(err.Error(), before) || !strings.Contains(err.Error(), after) {
				t.Errorf("error %q, want %q", err, c.want)
			}
			nothingLeft(t, root, servers)
			if left := fakes(); len(left) > 0 {
				t.Errorf("processes %v are left", left)
			}
		})
	}
}

func TestServersAreStoppedInAHurry(t *testing.T) {
	f := labtest.NewFaults(t, labtest.Signals)
	f.Try("a second Ctrl-C while servers that ignore polite signals are stopped", func(t *testing.T) {
		root := newRoot(t)
		servers, opts := topology(t, root, "stubborn")
		opts.Grace = 10 * time.Minute // the test would end before it
		site, err := Up(t.Context(), opts, servers)
		labtest.Check(t, err)
		hurry, second := context.WithCancel(t.Context())
		ctx, first := context.WithCancel(child.WithHurry(t.Context(), hurry))
		first()
		time.AfterFunc(50*time.Millisecond, second)
		if err := site.Down(ctx); err != nil {
			t.Error(err)
		}
		nothingLeft(t, root, servers)
	})
	f.Try("Ctrl-C before a server is ready, and another while it is stopped", func(t *testing.T) {
		root := newRoot(t)
		servers, opts := topology(t, root, "stubborn")
		opts.Grace = 10 * time.Minute
		hurry, second := context.WithCancel(t.Context())
		ctx, first := context.WithCancel(child.WithHurry(t.Context(), hurry))
		first()
		second()
		if _, err := Up(ctx, opts, servers); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
		nothingLeft(t, root, servers)
	})
}
