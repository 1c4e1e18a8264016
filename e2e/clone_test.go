//go:build e2e

package e2e_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
	"h2lab/internal/lab/results"
)

// clone is a copy of the checkout's tracked files that belongs to an ordinary user: uid 1000 where
// the tests run as root, else whoever runs them.
type clone struct {
	dir      string
	uid, gid int
}

// freshClone has nothing that was built or generated.
func freshClone(t *testing.T) clone {
	t.Helper()
	dir, err := os.MkdirTemp("", "h2lab-e2e-")
	labtest.Check(t, err)
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	c := clone{dir: dir, uid: os.Getuid(), gid: os.Getgid()}
	if os.Getuid() == 0 {
		c.uid, c.gid = learner, learner
	}
	c.shell(t, `chmod 755 "$0" && git ls-files -z | tar -c --null --files-from=- | tar -x -C "$0"`)
	c.give(t)
	return c
}

// shell runs a script in the project's directory; $0 is the clone.
func (c clone) shell(t *testing.T, script string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-ec", script, c.dir)
	cmd.Dir = root(t)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", script, err, out)
	}
}

func (c clone) give(t *testing.T) {
	t.Helper()
	c.shell(t, `chown -R `+strconv.Itoa(c.uid)+":"+strconv.Itoa(c.gid)+` "$0"`)
}

// run runs a command in the clone and returns its exit status.
func (c clone) run(t *testing.T, env []string, name string, args ...string) int {
	t.Helper()
	t.Logf("$ cd %s && %s %s %s", c.dir, strings.Join(env, " "), name, strings.Join(args, " "))
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = c.dir, append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	t.Logf("%s", out)
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode()
}

// asItsOwner runs a command as the clone's owner, who may use the engine by the group of its socket.
func (c clone) asItsOwner(t *testing.T, env []string, args ...string) int {
	t.Helper()
	// The docker command keeps files of its own beside its plugins.
	c.shell(t, `[ -z "${DOCKER_CONFIG:-}" ] || cp -R "$DOCKER_CONFIG" "$0/.docker"`)
	c.give(t)
	env = append(env, "HOME="+c.dir, "DOCKER_CONFIG="+filepath.Join(c.dir, ".docker"))
	if c.uid == os.Getuid() {
		return c.run(t, env, args[0], args[1:]...)
	}
	socket := strings.TrimPrefix(os.Getenv("DOCKER_HOST"), "unix://")
	if socket == "" {
		socket = "/var/run/docker.sock"
	}
	info, err := os.Stat(socket)
	if err != nil {
		t.Fatalf("the engine's socket, for its group: %v", err)
	}
	group := strconv.Itoa(int(info.Sys().(*syscall.Stat_t).Gid))
	return c.run(t, env, "setpriv", append([]string{"--reuid", strconv.Itoa(c.uid), "--regid", strconv.Itoa(c.gid),
		"--groups", group}, args...)...)
}

// belongsToItsOwner fails for every file of the clone that belongs to anybody else, but those that are named.
func (c clone) belongsToItsOwner(t *testing.T, but ...string) {
	t.Helper()
	err := filepath.WalkDir(c.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(c.dir, path)
		if owner := info.Sys().(*syscall.Stat_t); int(owner.Uid) != c.uid && !slices.Contains(but, rel) {
			t.Errorf("%s belongs to uid %d, its clone to %d", path, owner.Uid, c.uid)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// Such a user may use the engine and nothing else of root's: neither enter a container's root
// directory nor read the accounts of another user's processes.
func TestAnOrdinaryUserMeasuresWithVersionsAndConfigurations(t *testing.T) {
	clean(t)
	c := freshClone(t)
	c.shell(t, `cp -a bin "$0/"`)
	knobs := []string{"RUNTIME=docker", "LIMIT=100", "CPUS=0.5", "TOPOLOGY=nginx-100", "PROTOCOL=h2", "TRIALS=1",
		"DURATION=1s", "WARMUP=400ms"}
	r := c.measures(t, knobs)
	for _, s := range r.Environment.Servers {
		if s.Version == "" || s.Config != "" && s.Effective == "" {
			t.Errorf("%s gave no account of its configuration: version %q, file %q; warnings %q", s.Name, s.Version,
				s.Effective, r.Run.Warnings)
		}
	}
	if len(r.Environment.Servers) < 2 || len(r.Cells) == 0 {
		t.Errorf("%d servers, %d cells", len(r.Environment.Servers), len(r.Cells))
	}
	for _, cell := range r.Cells {
		if len(cell.Trials) != 1 || cell.Trials[0].Fault != nil || cell.Trials[0].Succeeded == 0 {
			t.Errorf("%s: %+v", cell.Client, cell.Trials)
		}
	}
	far := c.measures(t, append(knobs, "RTT=20ms", "RATE=20%", "ARRIVALS=poisson", "CLIENT=go-once,k6-shared-pool"))
	for _, cell := range far.Cells {
		x := cell.Trials[0]
		if p50 := x.LatencyMS.P50; p50 == nil || *p50 < 20 {
			t.Errorf("%s: p50 is %v ms over a distance of 20 ms", cell.Client, p50)
		}
		if x.Schedule == nil || x.Schedule.Due == 0 || cell.Workload.Arrivals != facts.Poisson {
			t.Errorf("%s: arrivals %q, schedule %+v", cell.Client, cell.Workload.Arrivals, x.Schedule)
		}
	}
	if rate := far.Run.Rate; len(far.Cells) != 2 || rate == nil || len(rate.ClosedLoopRPS) != 2 || rate.PerS <= 0 {
		t.Errorf("%d cells over a distance, rate %+v", len(far.Cells), rate)
	}
	c.belongsToItsOwner(t)
}

// measures runs repro as the clone's owner and returns its result, which it removes.
func (c clone) measures(t *testing.T, knobs []string) *facts.Result {
	t.Helper()
	if status := c.asItsOwner(t, knobs, "bin/h2lab", "repro"); status != 0 {
		t.Fatalf("h2lab repro: exit status %d", status)
	}
	nothingIsLeft(t)
	found, err := filepath.Glob(filepath.Join(c.dir, "results", "*", "results.json"))
	found = slices.DeleteFunc(found, func(path string) bool { return strings.Contains(path, "/latest/") })
	if err != nil || len(found) != 1 {
		t.Fatalf("its results: %q, %v", found, err)
	}
	r, err := results.Read(filepath.Dir(found[0]))
	labtest.Check(t, err)
	c.belongsToItsOwner(t)
	labtest.Check(t, os.RemoveAll(filepath.Dir(found[0])))
	return r
}
