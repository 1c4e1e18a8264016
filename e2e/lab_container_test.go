//go:build e2e

package e2e_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"h2lab/internal/base/labtest"
	"h2lab/internal/lab/results"
)

// learner is the user of the lab container in these tests, and the owner of the checkout.
const learner = 1000

// mostImage bounds the lab container's image, in bytes.
const mostImage = 1_200_000_000

// labNetwork makes a network for the container, since the engine of engine.sh has no default bridge.
func labNetwork(t *testing.T) {
	t.Helper()
	const name = "h2lab-e2e"
	if out, err := exec.Command("docker", "network", "create", name).CombinedOutput(); err != nil {
		t.Fatalf("docker network create: %v: %s", err, out)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("docker", "network", "rm", name).CombinedOutput(); err != nil {
			t.Errorf("docker network rm: %v: %s", err, out)
		}
	})
	t.Setenv("LAB_NETWORK", name)
	t.Setenv("LAB_USER", fmt.Sprintf("%d:%[1]d", learner))
}

// shell is `tools/shell.sh` in a checkout, with a command.
func shell(checkout, command string, out io.Writer) *exec.Cmd {
	cmd := exec.Command("tools/shell.sh")
	cmd.Dir, cmd.Stdout, cmd.Stderr = checkout, out, out
	cmd.Env = append(os.Environ(), "CMD="+command)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // Ctrl-C reaches a process group
	return cmd
}

// ofAnother is a clone, owned by the learner, with programs in bin/ and tools/bin that don't run here, as on a Mac.
func ofAnother(t *testing.T) clone {
	t.Helper()
	c := freshClone(t)
	for _, name := range foreign {
		labtest.WriteProgram(t, filepath.Join(c.dir, name), "\xcf\xfa\xed\xfe")
	}
	c.uid, c.gid = learner, learner
	c.give(t)
	return c
}

// foreign are programs of another system, in the places where the host's are.
var foreign = []string{"bin/h2lab", "bin/backend", "tools/bin/k6", "tools/bin/nginx"}

// labContainers lists the lab containers that exist, also those that have stopped.
func labContainers(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("docker", "ps", "--all", "--filter", "label=h2lab.checkout", "--format",
		"{{.Names}} {{.Status}}").Output()
	labtest.Check(t, err)
	return strings.TrimSpace(string(out))
}

// livePage waits for the live page and returns its status.
func livePage(patience time.Duration) int {
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		if r, err := http.Get("http://127.0.0.1:18190/"); err == nil {
			_ = r.Body.Close()
			return r.StatusCode
		}
	}
	return 0
}

func TestTheLabContainerRunsTheRouteOf90Minutes(t *testing.T) {
	labNetwork(t)
	build := exec.Command("tools/shell.sh") // the image, whose time isn't the route's
	build.Dir, build.Env = root(t), append(os.Environ(), "CMD=true")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("the image of the lab container: %v\n%s", err, out)
	}
	cmd := exec.Command("go", "test", "-tags", "integration", "-count=1", "-v", "-timeout", "10m", "-run",
		"TestEveryCommandShowsWhatItsPageShows", "./docs/workshop")
	cmd.Dir = root(t)
	cmd.Env = append(os.Environ(), "SANDBOX=container", "ROUTE=90")
	out, err := cmd.CombinedOutput()
	t.Logf("%s", out)
	if err != nil || !bytes.Contains(out, []byte("06-cures.md")) {
		t.Errorf("the route in the lab container: %v", err)
	}
	if left := labContainers(t); left != "" {
		t.Errorf("left behind: %s", left)
	}
}

func TestTheImageOfTheLabContainerIsSmall(t *testing.T) {
	out, err := exec.Command("docker", "image", "inspect", "--format", "{{.Size}}", "h2lab-lab:local").Output()
	var size int64
	if _, scanErr := fmt.Sscan(string(out), &size); err != nil || scanErr != nil {
		t.Fatalf("docker image inspect: %v, %v; TestTheLabContainerRunsTheRouteOf90Minutes builds it", err, scanErr)
	}
	t.Logf("the image has %d MB", size/1e6)
	if size > mostImage {
		t.Errorf("the image has %d bytes, more than %d", size, int64(mostImage))
	}
}

func TestARunInTheLabContainerBelongsToTheUserAndShowsItsPage(t *testing.T) {
	labNetwork(t)
	c := ofAnother(t)
	dir := c.dir
	var out bytes.Buffer
	cmd := shell(dir, "bin/h2lab live & make repro QUICK=1 LIMIT=100 TOPOLOGY=nginx-100 CLIENT=k6-shared-pool; kill $!",
		&out)
	labtest.Check(t, cmd.Start())
	if status := livePage(3 * time.Minute); status != http.StatusOK {
		t.Errorf("the live page: status %d", status)
	}
	var second bytes.Buffer
	if err := shell(dir, `echo "$(id -u) $RUNTIME"; exit 7`, &second).Run(); err == nil ||
		err.Error() != "exit status 7" || second.String() != fmt.Sprintf("%d native\n", learner) {
		t.Errorf("a second shell: %v: %s", err, &second)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v", err)
	}
	t.Logf("%s", &out)
	r, err := results.Read(filepath.Join(dir, "results", "latest"))
	labtest.Check(t, err)
	if r.Run.Runtime != "native" || len(r.Environment.Servers) == 0 {
		t.Errorf("runtime %q, %d servers", r.Run.Runtime, len(r.Environment.Servers))
	}
	c.belongsToItsOwner(t, "var") // tools/shell.sh makes it, and runs as root here
	for _, name := range foreign {
		if text, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(text) != "\xcf\xfa\xed\xfe" {
			t.Errorf("%s of the host was changed: %d bytes, %v", name, len(text), err)
		}
	}
	if left := labContainers(t); left != "" {
		t.Errorf("left behind: %s", left)
	}
	if status := livePage(time.Second); status != 0 {
		t.Errorf("the live page still answers: %d", status)
	}
}

// What `up RTT=20ms RUNTIME=docker` offers instead.
func TestACommandInTheLabContainerIsAtADistance(t *testing.T) {
	labNetwork(t)
	t.Setenv("LAB_USER", "") // WITH=distance sets it
	t.Setenv("WITH", "distance")
	var out bytes.Buffer
	err := shell(root(t), "make up RTT=20ms >&2 && bin/h2lab delay -- curl --cacert certs/out/ca.crt -o /dev/null "+
		"-sw 'connected after %{time_connect} s' -d 1 https://127.0.0.1:18101/echo; make down >&2", &out).Run()
	_, after, _ := strings.Cut(out.String(), "connected after ")
	var seconds float64
	if _, scanErr := fmt.Sscan(after, &seconds); err != nil || scanErr != nil || seconds < 0.02 {
		t.Errorf("a connect over 20 ms took %v s (%v, %v):\n%s", seconds, err, scanErr, &out)
	}
}

func TestCtrlCEndsTheLabContainer(t *testing.T) {
	labNetwork(t)
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		var out bytes.Buffer
		cmd := shell(ofAnother(t).dir, "echo begun; sleep 600", &out)
		labtest.Check(t, cmd.Start())
		if !waitForContainer("h2lab-lab", time.Minute) {
			t.Fatal("the container did not start")
		}
		time.Sleep(2 * time.Second)
		if err := syscall.Kill(-cmd.Process.Pid, signal); err != nil {
			t.Error(err)
		}
		late := time.AfterFunc(30*time.Second, func() { _ = cmd.Process.Kill() })
		err := cmd.Wait()
		if !late.Stop() || err == nil {
			t.Errorf("after %v: %v: %s", signal, err, &out)
		}
		if left := labContainers(t); left != "" {
			t.Errorf("left after %v: %s", signal, left)
		}
	}
}
