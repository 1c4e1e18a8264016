//go:build linux

package child

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"h2lab/internal/base/labtest"
	"h2lab/internal/base/proc"
)

// sh is a shell script; its $1 is a file that it may write to.
func sh(t *testing.T, script string) (Spec, string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "pid")
	return Spec{Argv: []string{"/bin/sh", "-c", script, "sh", file}}, file
}

// pidIn waits until the file contains a number.
func pidIn(t *testing.T, file string) int {
	t.Helper()
	pid := 0
	if !Await(t.Context(), 10*time.Second, func() bool {
		text, err := os.ReadFile(file)
		if err != nil || !strings.HasSuffix(string(text), "\n") {
			return false
		}
		pid, err = strconv.Atoi(strings.TrimSpace(string(text)))
		return err == nil
	}) {
		t.Fatalf("no number comes in %s", file)
	}
	return pid
}

func gone(t *testing.T, pid int) {
	t.Helper()
	if !Await(t.Context(), 10*time.Second, func() bool { return proc.Tree(pid) == nil }) {
		t.Errorf("process %d is left", pid)
	}
}

func TestNothingOfAProgramIsLeft(t *testing.T) {
	f := labtest.NewFaults(t, labtest.Programs)
	f.Try("a program that hangs is killed after its time", func(t *testing.T) {
		spec, file := sh(t, `echo $$ >"$1"; exec sleep 60`)
		_, err := Run(t.Context(), spec, Limits{Within: 500 * time.Millisecond})
		var hung *HungError
		if !errors.As(err, &hung) || !strings.Contains(err.Error(), "/bin/sh did not end within 500ms") {
			t.Errorf("error %v", err)
		}
		gone(t, pidIn(t, file))
	})
	f.Try("a program that leaves a process in its group", func(t *testing.T) {
		spec, file := sh(t, `sleep 60 & echo $! >"$1"`)
		if _, err := Run(t.Context(), spec, Limits{Within: time.Minute}); err != nil {
			t.Error(err)
		}
		gone(t, pidIn(t, file))
	})
	f.Try("a program that leaves a process in a session of its own", func(t *testing.T) {
		if _, err := exec.LookPath("setsid"); err != nil {
			t.Fatal(err)
		}
		spec, file := sh(t,
			`setsid sh -c 'echo $$ >"$1"; exec sleep 60' sh "$1" & while [ ! -s "$1" ]; do sleep 0.01; done`)
		if _, err := Run(t.Context(), spec, Limits{Within: time.Minute}); err != nil {
			t.Error(err)
		}
		gone(t, pidIn(t, file))
	})
	f.Try("a program that ignores SIGTERM is killed after the grace", func(t *testing.T) {
		spec, file := sh(t, `trap '' TERM INT; echo $$ >"$1"; while :; do sleep 60; done`)
		c, err := Start(spec)
		labtest.Check(t, err)
		pid := pidIn(t, file)
		if err := c.Stop(t.Context(), Manner{Grace: 50 * time.Millisecond, Group: true}); err != nil {
			t.Error(err)
		}
		if c.Signalled() != syscall.SIGKILL || !strings.Contains(c.Describe(), "was ended by signal 9 (killed)") {
			t.Errorf("it %s", c.Ending())
		}
		gone(t, pid)
	})
	f.Try("a program whose pipes are held by a process that left it", func(t *testing.T) {
		spec, file := sh(t, `setsid sh -c 'echo $$ >"$1"; exec sleep 60' sh "$1" &
			while [ ! -s "$1" ]; do sleep 0.01; done; echo said`)
		r, err := Run(t.Context(), spec, Limits{Within: time.Minute})
		if err != nil || r.Stdout != "said\n" {
			t.Errorf("%q, %v", r.Stdout, err)
		}
		gone(t, pidIn(t, file))
	})
}

func TestAProgramEndsWithItsContext(t *testing.T) {
	f := labtest.NewFaults(t, labtest.Signals)
	f.Try("a context that ends while a program runs", func(t *testing.T) {
		spec, file := sh(t, `echo $$ >"$1"; exec sleep 60`)
		ctx, cancel := context.WithCancel(t.Context())
		go func() { pidIn(t, file); cancel() }()
		if _, err := Run(ctx, spec, Limits{Within: time.Minute}); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
		gone(t, pidIn(t, file))
	})
}

func TestAnEndIsDescribedWithTheLastLine(t *testing.T) {
	for script, want := range map[string]string{
		`echo first >&2; echo 'no such file' >&2; exit 3`: "/bin/sh ended with status 3; its last line: no such file",
		`exit 1`: "/bin/sh ended with status 1; it printed nothing to stderr",
		`kill -11 $$`: "/bin/sh was ended by signal 11 (segmentation fault); it printed " +
			"nothing to stderr",
		`printf 'a\033[31mred\n' >&2; exit 1`: "/bin/sh ended with status 1; its last line: a?[31mred",
	} {
		spec, _ := sh(t, script)
		_, err := Run(t.Context(), spec, Limits{Within: time.Minute})
		if err == nil || err.Error() != want {
			t.Errorf("%s: error %v, want %s", script, err, want)
		}
	}
}

func TestAFloodFillsNoMemory(t *testing.T) {
	spec, _ := sh(t, `head -c 3000000 /dev/zero | tr '\0' x
		head -c 3000000 /dev/zero | tr '\0' y >&2; echo end >&2; exit 1`)
	r, err := Run(t.Context(), spec, Limits{Within: time.Minute, Stdout: 1000})
	if len(r.Stdout) != 1000 || len(r.Stderr) != mostTail || !strings.HasSuffix(r.Stderr, "end\n") {
		t.Errorf("%d bytes of stdout and %d of stderr are kept", len(r.Stdout), len(r.Stderr))
	}
	if err == nil || len(err.Error()) > 2*mostLine {
		t.Errorf("error of %d bytes", len(err.Error()))
	}
}

func TestAFoundProcessIsStoppedAndAnotherOfItsNumberIsNot(t *testing.T) {
	spec, _ := sh(t, `exec sleep 60`)
	c, err := Start(spec)
	labtest.Check(t, err)
	later := Find(c.PID, c.Started+1, "sleep")
	if later.Alive() {
		t.Error("a process with another start time is taken for it")
	}
	if err := later.Stop(t.Context(), Manner{Grace: time.Second}); err != nil || !c.Alive() {
		t.Errorf("%v; the process is alive: %v", err, c.Alive())
	}
	found := Find(c.PID, c.Started, "sleep")
	if !found.Alive() {
		t.Error("it is alive")
	}
	if err := found.Stop(t.Context(), Manner{Grace: time.Second}); err != nil {
		t.Error(err)
	}
	<-c.Exited()
	if c.Signalled() != syscall.SIGTERM || found.Alive() {
		t.Errorf("it %s", c.Ending())
	}
}

func TestAMissingProgramIsAnError(t *testing.T) {
	_, err := Run(t.Context(), Spec{Argv: []string{"/nonexistent/program"}}, Limits{Within: time.Minute})
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}

func TestAChildDoesNotTakeTheUsersFilesForItsOwn(t *testing.T) {
	t.Chdir(t.TempDir())
	labtest.Write(t, "pip.py", "a decoy")
	labtest.WriteProgram(t, "tool", "#!/bin/sh\npwd\n")
	if r, err := Run(t.Context(), Spec{Argv: []string{"./tool"}}, Limits{Within: time.Minute}); err != nil || r.Stdout != "/\n" {
		t.Errorf("a program by its relative path sees %q, %v", r.Stdout, err)
	}
	r, err := Run(t.Context(), Spec{Argv: []string{"/bin/sh", "-c", "ls pip.py; pwd"}}, Limits{Within: time.Minute})
	if err != nil || r.Stdout != "/\n" {
		t.Errorf("it sees %q, %v", r.Stdout, err)
	}
}
