//go:build linux

package native

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"h2lab/internal/base/labtest"
)

// cgroupFS writes plain files in the layout of the kernel's.
func cgroupFS(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for rel, text := range files {
		write(t, root, rel, text)
	}
	return root
}

// rmdirAsKernel removes a cgroup of plain files: it fails while the group has members or children.
func rmdirAsKernel(dir string) error {
	if text, _ := os.ReadFile(filepath.Join(dir, "cgroup.procs")); len(strings.TrimSpace(string(text))) > 0 {
		return &os.PathError{Op: "rmdir", Path: dir, Err: syscall.EBUSY}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.IsDir() {
			return &os.PathError{Op: "rmdir", Path: dir, Err: syscall.ENOTEMPTY}
		}
	}
	return os.RemoveAll(dir)
}

var v1Files = map[string]string{"cpu/tasks": "", "cpu/cgroup.procs": "", "self": "3:cpu,cpuacct:/\n0::/\n"}

var v2Files = map[string]string{"cgroup.controllers": "cpuset cpu io\n", "cgroup.subtree_control": "cpu\n",
	"cgroup.procs": "",
	"self":         "0::/user.slice/term.scope\n"}

func TestABudgetIsSetAndReadBack(t *testing.T) {
	for _, c := range []struct {
		name  string
		files map[string]string
		dir   string // of the server, below the mount
		sets  map[string]string
	}{
		{"version 1", v1Files, "cpu/h2lab-42/nginx-1000",
			map[string]string{"cpu.cfs_quota_us": "50000", "cpu.cfs_period_us": "100000"}},
		{"version 2", v2Files, "h2lab-42/nginx-1000",
			map[string]string{"cpu.max": "50000 100000", "../cgroup.subtree_control": "+cpu"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			mount := cgroupFS(t, c.files)
			b, err := openBudget(mount, filepath.Join(mount, "self"), 42)
			labtest.Check(t, err)
			b.rmdir = rmdirAsKernel
			dir, err := b.group("nginx-1000", 0.5)
			labtest.Check(t, err)
			if want := filepath.Join(mount, c.dir); dir != want {
				t.Errorf("the cgroup is %s, want %s", dir, want)
			}
			for file, want := range c.sets {
				if got, err := os.ReadFile(filepath.Join(dir, file)); err != nil || string(got) != want {
					t.Errorf("%s holds %q (%v), want %q", file, got, err, want)
				}
			}
			if cpus, err := b.cpus(dir); err != nil || cpus == nil || *cpus != 0.5 {
				t.Errorf("read back %v, %v; want 0.5", cpus, err)
			}
			labtest.Check(t, b.remove([]string{dir, b.dir}))
			if _, err := os.Stat(b.dir); err == nil {
				t.Errorf("%s is left", b.dir)
			}
		})
	}
}

func TestNoLimitIsReadBackAsNone(t *testing.T) {
	for _, q := range []string{"max", "-1"} {
		if cpus, err := ratio([]string{q, "100000"}); cpus != nil || err != nil {
			t.Errorf("quota %s is %v, %v; want none", q, cpus, err)
		}
	}
	if _, err := ratio([]string{"50000", "0"}); err == nil {
		t.Error("a period of 0 is accepted")
	}
}

func TestWithoutACpuControllerThereIsAReasonAndNothingIsMade(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"nothing mounted": {map[string]string{"self": ""}, "no cgroup hierarchy with the cpu controller"},
		"version 2 without cpu": {map[string]string{"self": "0::/\n", "unified/cgroup.controllers": "pids\n"},
			"no cgroup hierarchy with the cpu controller"},
		"version 2 not to be used": {map[string]string{"self": "0::/\n", "cgroup.controllers": "cpu\n"},
			"cgroup.procs"},
		"no cgroups": {nil, "no cgroups on this machine"},
	} {
		mount := cgroupFS(t, c.files)
		_, err := openBudget(mount, filepath.Join(mount, "self"), 42)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", name, err, c.want)
		}
		if made, _ := filepath.Glob(filepath.Join(mount, "h2lab-*")); made != nil {
			t.Errorf("%s: %v was made", name, made)
		}
	}
}

func TestVersion1IsUsedBelowOurOwnCgroupWhereThatIsVisible(t *testing.T) {
	mount := cgroupFS(t, map[string]string{"cpu,cpuacct/tasks": "", "cpu,cpuacct/user.slice/tasks": "",
		"self": "4:cpu,cpuacct:/user.slice\n1:name=systemd:/x\n"})
	h, err := findHierarchy(mount, filepath.Join(mount, "self"))
	labtest.Check(t, err)
	if want := filepath.Join(mount, "cpu,cpuacct/user.slice"); h.place != want {
		t.Errorf("base %s, want %s", h.place, want)
	}
	group := filepath.Join(mount, "cpu,cpuacct/user.slice/h2lab-1")
	labtest.Check(t, os.Mkdir(group, 0o755))
	labtest.Check(t, move(group, 77))
	labtest.Check(t, move(h.place, 77))
	for _, dir := range []string{group, h.place} {
		if got, err := os.ReadFile(filepath.Join(dir, "tasks")); err != nil || string(got) != "77" {
			t.Errorf("%s/tasks was told %q (%v), want the thread", dir, got, err)
		}
	}
}

func TestLeftoversOfDeadRunsAreRemovedWhenTheyAreEmpty(t *testing.T) {
	mount := cgroupFS(t, v1Files)
	const dead = 1 << 30 // above every kernel's pid_max
	at := func(pid int, server string) string {
		return filepath.Join("cpu", fmt.Sprintf("h2lab-%d", pid), server)
	}
	write(t, mount, at(dead, "nginx-1000")+"/cgroup.procs", "")
	write(t, mount, at(dead+1, "nginx-1000")+"/cgroup.procs", "7\n") // h2lab up left it running
	write(t, mount, at(os.Getpid(), "nginx-1000")+"/cgroup.procs", "")
	write(t, mount, "cpu/h2lab-notes/cgroup.procs", "")
	b := &budget{hierarchy: hierarchy{place: filepath.Join(mount, "cpu")}, rmdir: rmdirAsKernel}
	b.clearLeftovers()
	for dir, want := range map[string]bool{at(dead, ""): false, at(dead+1, "nginx-1000"): true,
		at(os.Getpid(), "nginx-1000"): true, "cpu/h2lab-notes": true} {
		if _, err := os.Stat(filepath.Join(mount, dir)); (err == nil) != want {
			t.Errorf("%s is there: %v, want %v", dir, err == nil, want)
		}
	}
}
