package workshop

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"h2lab/internal/base/labtest"
	"h2lab/internal/base/proc"
)

func TestLayingOutNeverOverwrites(t *testing.T) {
	root := t.TempDir()
	labtest.Write(t, filepath.Join(root, start, "01", answersFile), "begin\n")
	labtest.Write(t, filepath.Join(root, start, "05", mainFile), "package main\n")
	labtest.Write(t, filepath.Join(root, Learner, "01", answersFile), "mine\n")
	made, kept, err := LayOut(root)
	if err != nil || len(made) != 1 || len(kept) != 1 || kept[0] != "workshop/01/answers.txt" {
		t.Fatalf("made %v, kept %v, %v", made, kept, err)
	}
	if text, _ := os.ReadFile(filepath.Join(root, Learner, "01", answersFile)); string(text) != "mine\n" {
		t.Errorf("the learner's file is %q", text)
	}
	if made, kept, err = LayOut(root); err != nil || len(made) != 0 || len(kept) != 2 {
		t.Errorf("the second time: made %v, kept %v, %v", made, kept, err)
	}
}

func TestALearnersFileIsBounded(t *testing.T) {
	d := &Desk{Root: t.TempDir()}
	labtest.Write(t, d.path(1, answersFile), strings.Repeat("#", mostFile+1))
	if _, err := d.read(1, answersFile); err == nil || !strings.Contains(err.Error(), "larger than 1 MiB") {
		t.Errorf("a file too large: %v", err)
	}
	labtest.Check(t, os.MkdirAll(d.path(2, countScript), 0o755))
	if _, err := d.read(2, countScript); err == nil || !strings.Contains(err.Error(), "is no file") {
		t.Errorf("a directory: %v", err)
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
