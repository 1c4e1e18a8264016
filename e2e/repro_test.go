//go:build e2e

package e2e_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
	"h2lab/internal/lab/results"
)

// small is the knobs of a run that shows every effect within a minute.
var small = []string{"RUNTIME=docker", "QUICK=1", "LIMIT=100", "CPUS=0.5"}

func TestMakeReproThroughThePodShowsTheFaultAndWritesItsReport(t *testing.T) {
	clean(t)
	before := runs(t)
	if status := run(t, "make", append([]string{"repro"}, small...)...); status != 0 {
		t.Fatalf("make repro: exit status %d", status)
	}
	nothingIsLeft(t) // before the clean-up
	dir := newRun(t, before)
	data, err := os.ReadFile(filepath.Join(dir, "results.json"))
	labtest.Check(t, err)
	if err := results.Validate(results.ResultsSchema, data); err != nil {
		t.Errorf("results.json: %v", err)
	}
	r, err := results.Read(dir)
	labtest.Check(t, err)
	if r.Run.Runtime != "docker" || r.Run.Limit != 100 || r.Run.Interrupted {
		t.Errorf("results.json says runtime %q, limit %d, interrupted %v", r.Run.Runtime, r.Run.Limit,
			r.Run.Interrupted)
	}
	for _, s := range r.Environment.Servers {
		if s.CPUs == nil || *s.CPUs != 0.5 {
			t.Errorf("%s: the budget that was read back is not 0.5", s.Name)
		}
		if s.Config != "" && (s.Version == "" || s.Effective == "") {
			t.Errorf("%s gave no account of its configuration: version %q, file %q; warnings %q", s.Name, s.Version,
				s.Effective, r.Run.Warnings)
		}
	}
	if len(r.Environment.Servers) == 0 {
		t.Error("results.json names no server")
	}
	verdictIs(t, dir, "dial-stampede", facts.Reproduced)
	if report, err := os.ReadFile(filepath.Join(dir, "report.md")); err != nil || len(report) == 0 {
		t.Errorf("report.md: %d bytes, %v", len(report), err)
	}
}

func TestCtrlCDuringReproLeavesNothing(t *testing.T) {
	clean(t)
	cmd := exec.Command("bin/h2lab", "repro")
	cmd.Dir = root(t)
	cmd.Env = append(os.Environ(), small...)
	t.Logf("$ %v bin/h2lab repro, then an interrupt", small)
	out, err := os.Create(filepath.Join(t.TempDir(), "out"))
	labtest.Check(t, err)
	defer out.Close()
	cmd.Stdout, cmd.Stderr = out, out
	labtest.Check(t, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	if !waitForContainer("h2lab-lab-run", 2*time.Minute) {
		t.Error("the measuring container did not start")
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Error(err)
	}
	select {
	case err := <-ended:
		words, _ := os.ReadFile(out.Name())
		t.Logf("%s", words)
		if err == nil {
			t.Error("an interrupted run ended with status 0")
		}
	case <-time.After(time.Minute):
		_ = cmd.Process.Kill()
		t.Fatal("it did not end within a minute")
	}
	nothingIsLeft(t)
}

// runs returns the directories under results/.
func runs(t *testing.T) []string {
	t.Helper()
	entries, err := filepath.Glob(filepath.Join(root(t), "results", "*", "results.json"))
	labtest.Check(t, err)
	return entries
}

// newRun returns the directory that is new since before.
func newRun(t *testing.T, before []string) string {
	t.Helper()
	for _, path := range runs(t) {
		dir := filepath.Dir(path)
		if filepath.Base(dir) != "latest" && !slices.Contains(before, path) {
			return dir
		}
	}
	t.Fatal("there is no new directory under results/")
	return ""
}

func verdictIs(t *testing.T, dir, id string, want facts.Status) {
	t.Helper()
	for _, v := range labtest.Judgement(t, dir).Verdicts {
		if v.ID == id {
			if v.Status != want {
				t.Errorf("verdict %s is %s, want %s: %s", id, v.Status, want, v.Actual)
			}
			return
		}
	}
	t.Errorf("there is no verdict %s", id)
}

// Runs the command of the native runtime with programs in separate images: one that fails because
// of its library, and one in another language that doesn't fail. Both are at a distance.
func TestMakeClientsThroughThePodMeasuresProgramsOfTwoImages(t *testing.T) {
	clean(t)
	before := runs(t)
	if status := run(t, "make", "clients", "RUNTIME=docker", "ONLY=go-once,httpx-h1", "TOPOLOGY=nginx-100",
		"LIMIT=100", "DURATION=1s", "WARMUP=400ms", "CPUS=0.5", "CONCURRENCY=20", "RTT=20ms"); status != 0 {
		t.Fatalf("make clients: exit status %d", status)
	}
	nothingIsLeft(t)
	r, err := results.Read(newRun(t, before))
	labtest.Check(t, err)
	if r.Run.Runtime != "docker" || r.Run.Command != "clients" || len(r.Cells) != 2 {
		t.Fatalf("runtime %q, command %q, %d cells", r.Run.Runtime, r.Run.Command, len(r.Cells))
	}
	for _, c := range r.Cells {
		if !c.Unsupported.IsZero() || len(c.Trials) != 1 || c.Trials[0].Fault != nil {
			t.Errorf("%s: unsupported %q, trials %+v", c.Client, c.Unsupported, c.Trials)
			continue
		}
		x := c.Trials[0]
		if x.Succeeded == 0 || x.CPU.Client == nil || *x.CPU.Client <= 0 {
			t.Errorf("%s: %d succeeded, the client's processor time %v", c.Client, x.Succeeded, x.CPU.Client)
		}
		if p50 := x.LatencyMS.P50; p50 == nil || *p50 < 20 {
			t.Errorf("%s: p50 is %v ms over a distance of 20 ms", c.Client, p50)
		}
		if lost := x.Failed > 0; lost != (c.Client == facts.GoOnce) {
			t.Errorf("%s: %d of %d failed", c.Client, x.Failed, x.Attempts)
		}
	}
}

// A learner who didn't export RUNTIME=native has the servers in Docker: the exercises that read counters
// must work there, since their only advice is `make down`, then `make up`.
func TestExercisesThatReadCountersPassWithServersInDocker(t *testing.T) {
	clean(t)
	mine, kept := filepath.Join(root(t), "workshop"), filepath.Join(root(t), "var", "workshop.kept")
	labtest.Check(t, os.MkdirAll(filepath.Dir(kept), 0o755))
	if err := os.Rename(mine, kept); err == nil {
		t.Cleanup(func() {
			if err := os.Rename(kept, mine); err != nil {
				t.Error(err)
			}
		})
	} else if !os.IsNotExist(err) {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(mine) })
	for _, args := range [][]string{{"workshop"}, {"up", "FOR=learner", "RUNTIME=docker"}} {
		if status := run(t, "make", args...); status != 0 {
			t.Fatalf("make %q: exit status %d", args, status)
		}
	}
	for _, exercise := range []struct{ step, file string }{
		{"2", "02/count.sh"}, {"3", "03/load.js"}, {"5", "05/main.go"},
	} {
		answer, err := os.ReadFile(filepath.Join(root(t), "docs", "workshop", "solutions", exercise.file))
		labtest.Check(t, err)
		labtest.Write(t, filepath.Join(mine, exercise.file), string(answer))
		if status := run(t, "make", "step", "N="+exercise.step); status != 0 {
			t.Errorf("exercise %s with its answer: exit status %d", exercise.step, status)
		}
	}
	if status := run(t, "make", "down"); status != 0 {
		t.Errorf("make down: exit status %d", status)
	}
	nothingIsLeft(t)
}
