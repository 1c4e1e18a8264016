package compose_test

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"h2lab/internal/base/labtest"
	"h2lab/internal/lab/compose"
)

// TestMain lets the test binary act as the pod's process 1: in this process, Wait4 for any child
// would take those of other tests.
func TestMain(m *testing.M) {
	becomeOwner()
	if os.Getenv("BE_HOLD") == "" {
		os.Exit(m.Run())
	}
	child, err := os.StartProcess("/bin/true", []string{"true"}, &os.ProcAttr{})
	if err != nil {
		panic(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	held := make(chan struct{})
	go func() { compose.Hold(ctx); close(held) }()
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); {
		// A zombie still accepts a signal; a reaped process does not.
		if syscall.Kill(child.Pid, 0) == syscall.ESRCH {
			os.Stdout.WriteString("reaped")
			break
		}
	}
	cancel()
	<-held
}

func TestHoldReapsWhatEndsAndStopsWhenAsked(t *testing.T) {
	self, err := os.Executable()
	labtest.Check(t, err)
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), "BE_HOLD=1")
	out, err := cmd.CombinedOutput()
	if err != nil || strings.TrimSpace(string(out)) != "reaped" {
		t.Fatalf("the holder said %q, %v", out, err)
	}
}
