package workshop

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"h2lab/internal/base/labtest"
	"h2lab/internal/base/proc"
	"h2lab/internal/base/texts"
	"h2lab/internal/lab/plan"
)

func TestLayingOutNeverOverwrites(t *testing.T) {
	root := t.TempDir()
	labtest.Write(t, filepath.Join(root, start, "01", answersFile), "begin\n")
	labtest.Write(t, filepath.Join(root, start, "05", mainFile), "package main\n")
	labtest.Write(t, filepath.Join(root, Learner, "01", answersFile), "mine\n")
	made, kept, err := LayOut(root, texts.English)
	if err != nil || len(made) != 1 || len(kept) != 1 || kept[0] != "workshop/01/answers.txt" {
		t.Fatalf("made %v, kept %v, %v", made, kept, err)
	}
	if text, _ := os.ReadFile(filepath.Join(root, Learner, "01", answersFile)); string(text) != "mine\n" {
		t.Errorf("the learner's file is %q", text)
	}
	if made, kept, err = LayOut(root, texts.English); err != nil || len(made) != 0 || len(kept) != 2 {
		t.Errorf("the second time: made %v, kept %v, %v", made, kept, err)
	}
}

func TestALearnersFileIsBounded(t *testing.T) {
	d := &Desk{Root: t.TempDir()}
	labtest.Write(t, d.path(1, answersFile), strings.Repeat("#", mostFile+1))
	if _, err := d.read(1, answersFile); err == nil || !strings.Contains(err.Error(), "more than the 1 MB") {
		t.Errorf("a file too large: %v", err)
	}
	labtest.Check(t, os.MkdirAll(d.path(2, countScript), 0o755))
	if _, err := d.read(2, countScript); err == nil || !strings.Contains(err.Error(), "is a directory") {
		t.Errorf("a directory: %v", err)
	}
	labtest.Mkfifo(t, d.path(1, "pipe")) // opening it would wait for a writer
	if _, err := d.read(1, "pipe"); err == nil || !strings.Contains(err.Error(), "is a named pipe") {
		t.Errorf("a pipe: %v", err)
	}
}

func TestAChildIsEndedWithAllItStarted(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pid")
	began := time.Now()
	out, err := task{
		dir:    t.TempDir(),
		within: 300 * time.Millisecond,
		argv:   []string{"sh", "-c", "sleep 60 & echo $! >" + file + "; wait"},
	}.run(t.Context())
	if err != nil || !out.late || time.Since(began) > 10*time.Second {
		t.Fatalf("%+v, %v after %v", out, err, time.Since(began))
	}
	text, err := os.ReadFile(file)
	labtest.Check(t, err)
	for until := time.Now().Add(5 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if err := exec.Command("kill", "-0", strings.TrimSpace(string(text))).Run(); err != nil {
			return
		}
		if time.Now().After(until) {
			t.Fatalf("the child's own child %s is still there", text)
		}
	}
}

func TestAChildsOutputIsBoundedAndItsStatusKept(t *testing.T) {
	out, err := task{
		dir:    t.TempDir(),
		within: 20 * time.Second,
		argv:   []string{"sh", "-c", "head -c 5000000 /dev/zero; echo end >&2; exit 7"},
	}.run(t.Context())
	if err != nil || out.status != 7 || len(out.stdout) > 64<<10 || out.lastWords() != `"end"` {
		t.Errorf("status %d, %d bytes, %s, %v", out.status, len(out.stdout), out.lastWords(), err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (task{
		within: time.Second,
		argv:   []string{"sleep", "60"},
	}).run(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}

func TestTheMysterysFileNeverNamesAnotherProcess(t *testing.T) {
	root := t.TempDir()
	if m, err := FindMystery(root); m != nil || err != nil {
		t.Errorf("without a file: %v, %v", m, err)
	}
	// A process that isn't the holder: it has the holder's pid but another start time.
	other := exec.Command("sleep", "60")
	labtest.Check(t, other.Start())
	defer func() { _ = other.Process.Kill(); _ = other.Wait() }()
	text, _ := json.Marshal(Mystery{Version: 1, Boot: proc.BootID(), PID: other.Process.Pid, Started: 1})
	labtest.Write(t, filepath.Join(root, mysteryFile), string(text))
	if stopped, err := StopMystery(t.Context(), root); stopped || err != nil {
		t.Errorf("stopped %v, %v", stopped, err)
	}
	if err := other.Process.Signal(syscall.Signal(0)); err != nil {
		t.Errorf("another process was ended: %v", err)
	}
	if _, err := os.Stat(filepath.Join(root, mysteryFile)); err == nil {
		t.Error("the stale file is still there")
	}
	labtest.Write(t, filepath.Join(root, mysteryFile), "{")
	if _, err := FindMystery(root); err == nil || !strings.Contains(err.Error(), "rm "+mysteryFile) {
		t.Errorf("a garbled file: %v", err)
	}
}

func TestWithoutServersTheNextStepIsNamed(t *testing.T) {
	d := &Desk{Root: t.TempDir()}
	err := d.up(t.Context())
	var missing *MissingError
	if !errors.As(err, &missing) || missing.Next != "make certs" {
		t.Errorf("without certificates: %v", err)
	}
}

func TestEachSeedHasALimitThatThePagesFit(t *testing.T) {
	limits, streams := map[int]bool{}, map[int]bool{}
	for i := range 2000 {
		o := ownOf(fmt.Sprint("learner", i))
		limits[o.limit], streams[o.streams] = true, true
		// Chapter 1: 250 requests take three connections; nghttp sends 125, more than any limit.
		if connections := (250 + o.limit - 1) / o.limit; connections != 3 || o.limit >= 125 || o.limit == 100 {
			t.Fatalf("a limit of %d", o.limit)
		}
		if o.streams < 8 || o.streams > 14 || o.streams%2 != 0 {
			t.Fatalf("%d streams", o.streams)
		}
	}
	if len(limits) < 35 || len(streams) != 4 {
		t.Errorf("2000 seeds have %d limits and %d numbers of streams", len(limits), len(streams))
	}
}

func TestASeedIsKeptAndABadOneRefused(t *testing.T) {
	root := t.TempDir()
	before, err := OwnLimit(root)
	if again, _ := OwnLimit(root); err != nil || again != before {
		t.Errorf("without a seed: %d, then %d, %v", before, again, err)
	}
	victim := filepath.Join(t.TempDir(), "victim")
	labtest.Write(t, victim, "kept")
	labtest.Check(t, os.MkdirAll(filepath.Join(root, Learner), 0o755))
	labtest.Symlink(t, victim, filepath.Join(root, seedFile))
	labtest.Check(t, SetSeed(root, "anna"))
	if labtest.Read(t, victim) != "kept" {
		t.Error("the seed was written through a link")
	}
	if n, err := OwnLimit(root); err != nil || n != ownOf("anna").limit {
		t.Errorf("with a seed: %d, %v", n, err)
	}
	for _, bad := range []string{"", "a b", "a/b", "../x", strings.Repeat("x", 65), "a\nb", "é"} {
		if err := SetSeed(root, bad); err == nil {
			t.Errorf("%q is a seed", bad)
		}
	}
	labtest.Write(t, filepath.Join(root, seedFile), "a b\n")
	var missing *MissingError
	if _, err := OwnLimit(root); !errors.As(err, &missing) || !strings.Contains(err.Error(), "rm workshop/seed") {
		t.Errorf("a garbled seed: %v", err)
	}
}

func TestNamesOfFrontsDontShowTheLimit(t *testing.T) {
	for _, limit := range []int{leastLimit, 97, mostLimit} {
		for _, topology := range plan.Topologies(limit) {
			name, title := FrontName(topology)
			if n := fmt.Sprint(limit); strings.Contains(name+" "+texts.English.In(title), n) || name == "" || title.IsZero() {
				t.Errorf("%s is shown as %s, %s", topology.Name, name, title)
			}
		}
		d := &Desk{own: own{limit: limit}}
		for _, name := range []string{lowNginx, highNginx, lowEnvoy, direct} {
			if d.topology(name).Name == "" {
				t.Errorf("no topology for %s", name)
			}
		}
	}
}

func TestTheSolutionsAreThoseOfTheirSeed(t *testing.T) {
	dir := filepath.Join(labtest.Root(t), "docs/workshop/solutions")
	o := ownOf("anna")
	last := fmt.Sprint(2*o.limit - 1)
	for name, want := range map[string][]string{
		"01/answers.txt": {fmt.Sprint("nginx-low  = ", o.limit), fmt.Sprint("envoy-low  = ", o.limit, " or more")},
		"04/answers.txt": {"last_stream_id = " + last, fmt.Sprint("requests       = ", o.limit), "above " + last},
		"07/answers.txt": {"nginx-low.first_last_stream_id = " + last, fmt.Sprint("nginx-low.dropped              = ", o.streams/2)},
	} {
		text := labtest.Read(t, filepath.Join(dir, name))
		for _, line := range want {
			if !strings.Contains(text, line) || !strings.Contains(text, "seed anna") {
				t.Errorf("%s lacks %q, or its seed", name, line)
			}
		}
	}
}

// says is a finding in English.
func says(f Finding) string { return texts.English.In(f.Says) }

// finds compares a judgement with the expected state, and checks that the exercise has hints for
// that state.
func finds(t *testing.T, e Exercise, what string, got Finding, want State) {
	t.Helper()
	if got.State != want {
		t.Errorf("exercise %d, %s: %s (%s), want %s", e.Number, what, got.State, says(got), want)
	}
	if got.State != Done && e.Hints()[got.State] == (Hints{}) {
		t.Errorf("exercise %d has no hints for %s", e.Number, got.State)
	}
	if strings.Contains(says(got), "%!") || strings.HasSuffix(says(got), ".") || strings.Contains(says(got), "\n") {
		t.Errorf("exercise %d, %s: %q is no sentence", e.Number, what, says(got))
	}
}

func TestAMissingFileNamesTheCommandThatMakesIt(t *testing.T) {
	d := &Desk{Root: t.TempDir()}
	for _, e := range Exercises {
		_, err := e.Verify(t.Context(), d)
		var missing *MissingError
		if !errors.As(err, &missing) || missing.Next != "make workshop" {
			t.Errorf("exercise %d: %v", e.Number, err)
		}
	}
}
