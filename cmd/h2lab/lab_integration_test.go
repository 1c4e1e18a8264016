//go:build integration

package main

import (
	"bufio"
	"context"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"h2lab/internal/base/labtest"
	"h2lab/internal/base/proc"
	"h2lab/internal/lab/native"
	"h2lab/internal/lab/plan"
	"h2lab/internal/lab/results"
)

// These tests run the real command on the lab's real ports: nginx, Envoy, the backend, k6 and the
// Go client. They fail where one of them is missing.

type labProcess struct {
	t       *testing.T
	cmd     *exec.Cmd
	results string
	lines   chan string // of stderr
	said    strings.Builder
	stdout  strings.Builder
}

// small are the knobs of a run that shows every effect within seconds.
var small = []string{"RUNTIME=native", "LIMIT=100", "DURATION=1s", "WARMUP=300ms", "TRIALS=1", "SEED=1"}

func start(t *testing.T, verb string, knobs ...string) *labProcess {
	t.Helper()
	binary, err := filepath.Abs("../../bin/h2lab")
	labtest.Check(t, err)
	p := &labProcess{t: t, results: t.TempDir(), lines: make(chan string, 1000)}
	p.cmd = exec.Command(binary, verb)
	p.cmd.Dir = "../.."
	p.cmd.Env = append(append(os.Environ(), small...), knobs...)
	p.cmd.Env = append(p.cmd.Env, "RESULTS="+p.results)
	p.cmd.Stdout = &p.stdout
	stderr, err := p.cmd.StderrPipe()
	labtest.Check(t, err)
	if err := p.cmd.Start(); err != nil {
		t.Fatalf("%v; run: make build", err)
	}
	go p.read(stderr)
	t.Cleanup(func() { _ = p.cmd.Process.Kill() }) // no-op once it has been waited for
	return p
}

func (p *labProcess) read(r io.Reader) {
	s := bufio.NewScanner(r)
	for s.Scan() {
		p.lines <- s.Text()
	}
	close(p.lines)
}

func (p *labProcess) until(words string) {
	p.t.Helper()
	deadline := time.After(90 * time.Second)
	for {
		select {
		case line, open := <-p.lines:
			if !open {
				p.t.Fatalf("h2lab ended before it said %q:\n%s", words, p.said.String())
			}
			p.said.WriteString(line + "\n")
			if strings.Contains(line, words) {
				return
			}
		case <-deadline:
			p.t.Fatalf("h2lab hasn't said %q within 90 s:\n%s", words, p.said.String())
		}
	}
}

// ended waits for the program's end.
func (p *labProcess) ended() error {
	for line := range p.lines {
		p.said.WriteString(line + "\n")
	}
	return p.cmd.Wait()
}

func (p *labProcess) end(want int) {
	p.t.Helper()
	err := p.ended()
	if got := p.cmd.ProcessState.ExitCode(); got != want {
		p.t.Errorf("exit status %d (%v), want %d; it said:\n%s%s", got, err, want, p.said.String(), p.stdout.String())
	}
	nothingIsLeft(p.t, p.cmd.Process.Pid)
}

func (p *labProcess) says(words ...string) {
	p.t.Helper()
	all := p.said.String() + p.stdout.String()
	for _, w := range words {
		if !strings.Contains(all, w) {
			p.t.Errorf("nothing says %q in:\n%s", w, all)
		}
	}
}

func (p *labProcess) run() string {
	p.t.Helper()
	dirs, _ := filepath.Glob(filepath.Join(p.results, "2*"))
	if len(dirs) != 1 {
		p.t.Fatalf("runs %q, want one", dirs)
	}
	return dirs[0]
}

// nothingIsLeft checks that a finished h2lab left no processes, sockets or files.
func nothingIsLeft(t *testing.T, pid int) {
	t.Helper()
	for _, taken := range native.Taken("../..", plan.EveryServer()) {
		t.Errorf("left behind: %v", taken)
	}
	for _, pattern := range []string{"/sys/fs/cgroup/*/h2lab-*", "/sys/fs/cgroup/h2lab-*", "../../var/nginx",
		"../../var/envoy", "../../var/up.json"} {
		if left, _ := filepath.Glob(pattern); len(left) > 0 {
			t.Errorf("left behind: %q", left)
		}
	}
	if err := syscall.Kill(-pid, 0); err == nil {
		t.Errorf("left behind: processes in the group of h2lab, %d", pid)
	}
}

// Each is the first command in an empty results directory.
func TestReproShowsTheFaultAndFixedItsAbsence(t *testing.T) {
	for _, command := range []string{"repro", "fixed"} {
		p := start(t, command)
		p.end(0)
		// With one short trial, the report and the terminal print a warning.
		p.says("report.md", "About the whole run:", "- Too few trials for statistics: 1 trial of each cell")
		dir := p.run()
		valid(t, dir)
		drawnAgainAlike(t, dir)
	}
}

// drawnAgainAlike asserts that `h2lab report` draws the same bytes.
func drawnAgainAlike(t *testing.T, dir string) {
	t.Helper()
	page := filepath.Join(dir, "report.md")
	before := labtest.Read(t, page)
	labtest.Check(t, os.Remove(page))
	if status := run(context.Background(), []string{"report", dir}, io.Discard, os.Stderr); status != 0 {
		t.Fatalf("h2lab report ended with status %d", status)
	}
	after := labtest.Read(t, page)
	if before != after {
		t.Errorf("%s is not drawn again byte for byte", page)
	}
}

func TestCtrlCAtAnyStageKeepsWhatIsFinishedAndStopsEverything(t *testing.T) {
	for stage, trials := range map[string]int{
		"cells × ":  0, // before or while servers start
		"verify  ":  0,
		"  1/8  ":   0,
		"  3/8  ":   2,
		"direct.h2": 0,
	} {
		t.Run(strings.TrimSpace(stage), func(t *testing.T) {
			p := start(t, "repro")
			p.until(stage)
			labtest.Check(t, p.cmd.Process.Signal(os.Interrupt))
			p.end(1)
			p.says("interrupted")
			if trials == 0 {
				return
			}
			r, err := results.Read(p.run())
			labtest.Check(t, err)
			kept := 0
			for _, c := range r.Cells {
				kept += len(c.Trials)
			}
			if kept != trials || !r.Run.Interrupted {
				t.Errorf("%d trials kept, interrupted %v; want %d, true", kept, r.Run.Interrupted, trials)
			}
			if _, err := os.Stat(filepath.Join(p.run(), "report.md")); err != nil {
				t.Errorf("what was measured has no report: %v", err)
			}
		})
	}
}

func TestATakenPortIsNamedWithItsOwner(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:18101")
	labtest.Check(t, err)
	p := start(t, "repro")
	_ = p.ended()
	l.Close()
	p.says("127.0.0.1:18101", "nginx-1000 needs", "pid ")
	if got := p.cmd.ProcessState.ExitCode(); got != 1 {
		t.Errorf("exit status %d, want 1", got)
	}
	nothingIsLeft(t, p.cmd.Process.Pid)
}

func TestASecondRunIsRefusedAndNamesTheFirst(t *testing.T) {
	unlock, err := native.Lock("../..")
	labtest.Check(t, err)
	p := start(t, "repro")
	p.end(1)
	p.says("a measurement is running in ")
	if err := unlock(); err != nil {
		t.Error(err)
	}
}

func TestAServerThatDiesInATrialIsNamed(t *testing.T) {
	p := start(t, "repro", "DURATION=5s")
	p.until("  2/8  ")
	master, name, ok := proc.PortOwner(18101)
	if !ok || name != "nginx" {
		t.Fatalf("port 18101 belongs to %d (%s), not to nginx", master, name)
	}
	for _, pid := range proc.Tree(master) {
		_ = syscall.Kill(pid, syscall.SIGKILL) // the worker may be gone with the master
	}
	p.end(1)
	p.says("nginx-1000")
}

func TestAPromiseThatIsBrokenEndsInStatus4WithTheReason(t *testing.T) {
	p := start(t, "repro", "CONCURRENCY=1") // one request in flight can't stampede
	p.end(4)
	p.says("dial-stampede", "CONCURRENCY")
}

func TestFixedWithoutTheFaultProvesNothingAndEndsInStatus4(t *testing.T) {
	p := start(t, "fixed", "CONCURRENCY=1")
	p.end(4)
	p.says("This run proves nothing about the cures", "without the fault this run proves nothing about its cures",
		"Raise CONCURRENCY")
}

func TestUpStaysUpAndDownStopsIt(t *testing.T) {
	up := start(t, "up")
	if err := up.ended(); err != nil {
		t.Fatalf("%v:\n%s", err, up.said.String())
	}
	up.says("https://127.0.0.1:18101", "make down")
	out, err := exec.Command("curl", "--silent", "--fail", "--cacert", "../../certs/out/ca.crt", "--http2", "-d", "1",
		"https://127.0.0.1:18101/echo").CombinedOutput()
	if err != nil || string(out) != "1" {
		t.Errorf("curl through nginx says %q, %v", out, err)
	}
	for _, knob := range []string{"RTT=0", "RTT=20ms"} {
		second := start(t, "repro", knob)
		_ = second.ended()
		second.says("make down")
	}
	down := start(t, "down")
	down.end(0)
}
