package child

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"h2lab/internal/base/labtest"
)

// part is what the test binary does as a child.
const part = "CHILD_TEST_PART"

func TestMain(m *testing.M) {
	switch os.Getenv(part) {
	case "":
		os.Exit(m.Run())
	case "fail":
		fmt.Fprintln(os.Stderr, "first\nno such file")
		os.Exit(3)
	case "echo":
		_, _ = io.Copy(os.Stdout, os.Stdin)
	case "hang":
		startGrandchild()
		time.Sleep(time.Minute)
	case "listen":
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			os.Exit(1)
		}
		fmt.Println(l.Addr())
		_ = os.Stdout.Close()
		time.Sleep(time.Minute)
	}
}

// startGrandchild starts a child's own child and passes its first line on.
func startGrandchild() {
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), part+"=listen")
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err == nil {
		_, err = io.Copy(os.Stdout, out)
	}
	if err != nil {
		os.Exit(1)
	}
}

// played is a child that plays a part, on every system.
func played(does string) Spec {
	return Spec{Argv: []string{os.Args[0]}, Env: append(os.Environ(), part+"="+does)}
}

// ended checks that no process listens where a grandchild did.
func ended(t *testing.T, stdout string) {
	t.Helper()
	addr := strings.TrimSpace(stdout)
	if _, _, err := net.SplitHostPort(addr); err != nil {
		t.Fatalf("the grandchild printed %q", stdout)
	}
	if !Await(t.Context(), 10*time.Second, func() bool {
		c, err := net.Dial("tcp", addr)
		if err == nil {
			_ = c.Close()
		}
		return err != nil
	}) {
		t.Errorf("the grandchild still listens on %s", addr)
	}
}

func TestAChildIsStartedAndEndedOnEverySystem(t *testing.T) {
	spec := played("echo")
	spec.Stdin = strings.NewReader("said")
	if r, err := Run(t.Context(), spec, Limits{Within: time.Minute}); err != nil || r.Stdout != "said" {
		t.Errorf("%q, %v", r.Stdout, err)
	}
	r, err := Run(t.Context(), played("fail"), Limits{Within: time.Minute})
	if err == nil || !strings.HasSuffix(err.Error(), "ended with status 3; its last line: no such file") || r.Status != 3 {
		t.Errorf("status %d: %v", r.Status, err)
	}
	r, err = Run(t.Context(), played("hang"), Limits{Within: 3 * time.Second})
	if !errors.As(err, new(*HungError)) {
		t.Errorf("a child that hangs: %v", err)
	}
	if runtime.GOOS != "windows" { // system_windows.go
		ended(t, r.Stdout)
	}
}

func TestAChildIsAliveUntilItEnds(t *testing.T) {
	c, err := Start(played("listen"))
	labtest.Check(t, err)
	if !c.Alive() {
		t.Error("a child that runs is not alive")
	}
	if err := c.Stop(t.Context(), Manner{Grace: time.Second}); err != nil || c.Alive() {
		t.Errorf("%v; alive: %v", err, c.Alive())
	}
}
