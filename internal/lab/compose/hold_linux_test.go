package compose_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
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

// asBecome makes the test binary become the owner of a file and keep a capability.
const asBecome = "H2LAB_TEST_BECOME"

// becomeOwner replaces the test binary where it is to become an owner, or prints why it can't.
func becomeOwner() {
	file := os.Getenv(asBecome)
	if file == "" {
		return
	}
	err := compose.Become(file, strings.Split(os.Getenv("KEEP"), ","),
		[]string{os.Getenv("DEVICE")}, []string{"grep", "-E", "^(Uid|CapEff|CapAmb)", "/proc/self/status"})
	os.Stderr.WriteString(err.Error())
	os.Exit(1)
}

// The program has the owner's user and the named capabilities, and no other.
func TestAProgramThatBecomesAnotherUserKeepsTheNamedCapabilities(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can become another user")
	}
	file := filepath.Join(t.TempDir(), "key")
	labtest.Write(t, file, "")
	labtest.Check(t, os.Chown(file, 12345, 12345))
	device := filepath.Join(filepath.Dir(file), "tun")
	labtest.Write(t, device, "")
	labtest.Check(t, os.Chmod(device, 0o600))
	dir := filepath.Dir(file)
	for _, d := range []string{dir, filepath.Dir(dir)} {
		labtest.Check(t, os.Chmod(d, 0o755))
	}
	become := func(keep string) (string, error) {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), asBecome+"="+file, "KEEP="+keep, "DEVICE="+device)
		out, err := cmd.CombinedOutput()
		return strings.Join(strings.Fields(string(out)), " "), err
	}
	got, err := become("NET_ADMIN,SYS_NICE")
	if err != nil {
		t.Fatalf("%v: %s", err, got)
	}
	// CAP_NET_ADMIN is 12, CAP_SYS_NICE 23 in <linux/capability.h>.
	if want := "Uid: 12345 12345 12345 12345 CapEff: 0000000000801000 CapAmb: 0000000000801000"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	// The kernel alone makes /dev/net/tun for root only.
	if info, err := os.Stat(device); err != nil || info.Sys().(*syscall.Stat_t).Uid != 12345 {
		t.Errorf("the device: %+v, %v; not the owner's", info, err)
	}
	if got, err := become("SYS_BOOT"); err == nil || !strings.Contains(got, "the capability SYS_BOOT is none") {
		t.Errorf("an unknown capability: %v, %s", err, got)
	}
}
