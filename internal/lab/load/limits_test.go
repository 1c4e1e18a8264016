//go:build linux

package load

import (
	"errors"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/base/proc"
)

func TestAMachineThatAllowsTooLittleIsRefused(t *testing.T) {
	ample := proc.Limits{Files: new(int64(1 << 20)), Threads: new(int64(30000)),
		Ports: &proc.PortRange{From: 32768, To: 60999}, TimeWait: new(int64(0))}
	f := labtest.NewFaults(t, labtest.Limits)
	for _, c := range []struct {
		name        string
		change      func(*proc.Limits)
		concurrency int
		want        string // in the error, or in the warning where it begins with "warning"
	}{
		{"256 open files for 1000 requests in flight", func(l *proc.Limits) { l.Files = new(int64(256)) }, 1000,
			"this machine allows 256 open files and CONCURRENCY=1000 requires 3100; raise the limit with: sudo prlimit --pid " +
				"$$ --nofile=3100:3100"},
		{"one file less than 100 requests in flight need", func(l *proc.Limits) {
			l.Files = new(int64(399))
		}, 100, "CONCURRENCY=100 requires 400"},
		{"200 processes and threads are left to the user", func(l *proc.Limits) { l.Threads = new(int64(200)) }, 100,
			"this machine allows 200 more processes and threads"},
		{"more threads run than the user may have", func(l *proc.Limits) { l.Threads = new(int64(-5)) }, 100,
			"0 more processes and threads"},
		{"1000 ports for 1000 requests in flight",
			func(l *proc.Limits) { l.Ports = &proc.PortRange{From: 50000, To: 50999} }, 1000,
			"this machine allows 1000 ports for outgoing connections and CONCURRENCY=1000 requires 4100"},
		{"almost every port is in TIME_WAIT", func(l *proc.Limits) { l.TimeWait = new(int64(28000)) }, 100,
			"warning: 28000 of 28232 ports"},
		{"the lab's ports are given to outgoing connections",
			func(l *proc.Limits) { l.Ports = &proc.PortRange{From: 1024, To: 65535} }, 100,
			"warning: the ports for outgoing connections, 1024 to 65535, hold the lab's 18101"},
	} {
		f.Try(c.name, func(t *testing.T) {
			l := ample
			c.change(&l)
			_, warnings, err := CheckLimits(l, Needs{InFlight: c.concurrency, Ports: []int{18101, 18102}})
			want, warned := strings.CutPrefix(c.want, "warning: ")
			if warned {
				if err != nil || len(warnings) != 1 || !strings.Contains(warnings[0], want) {
					t.Errorf("%q, %v, want a warning with %q", warnings, err, want)
				}
				return
			}
			var limit *LimitError
			if !errors.As(err, &limit) || !strings.Contains(err.Error(), want) {
				t.Errorf("error %v, want %q", err, want)
			}
		})
	}
	if raise, warnings, err := CheckLimits(ample, Needs{InFlight: 1000, Ports: []int{18101}}); raise != 3100 || len(warnings) > 0 ||
		err != nil {
		t.Errorf("an ample machine: %d, %q, %v", raise, warnings, err)
	}
	if _, warnings, err := CheckLimits(proc.Limits{}, Needs{InFlight: 1000}); len(warnings) > 0 || err != nil {
		t.Errorf("limits that aren't known: %q, %v", warnings, err)
	}
}

func TestServicesAndUsersHaveLimitsToo(t *testing.T) {
	f := labtest.NewFaults(t, labtest.Limits)
	for _, c := range []struct {
		name string
		need Needs
		left int64 // threads
		want string
	}{
		{"6 JVMs and 1000 threads left", Needs{InFlight: 100, Services: 6}, 1000,
			"1000 more processes and threads and CONCURRENCY=100 with 6 services requires 1860"},
		{"more users than k6's scripts allow", Needs{InFlight: 10001}, 30000, "CONCURRENCY=10001 is more than k6 has " +
			"users for: give 10000 at most"},
	} {
		f.Try(c.name, func(t *testing.T) {
			l := proc.Limits{Threads: new(c.left)}
			if _, _, err := CheckLimits(l, c.need); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}
