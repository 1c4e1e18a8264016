//go:build integration && linux

package delay

import (
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"h2lab/internal/base/labtest"
)

// The far end is the network of another process, as with client programs in containers.
func TestTheFarEndIsTheNetworkOfAProcess(t *testing.T) {
	other := exec.CommandContext(t.Context(), "sleep", "600")
	other.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET}
	labtest.Check(t, other.Start())
	addr := server(t)
	f, err := BesideTo(other.Process.Pid, Line{RTT: 10 * ms})
	labtest.Check(t, err)
	defer f.Close()
	for _, w := range within(t, f, addr, connects(10*ms)) {
		t.Error(w)
	}
	pid := fmt.Sprint(other.Process.Pid)
	if out, err := exec.Command("nsenter", "--net", "--target", pid, "ip", "-o", "link").Output(); err != nil ||
		!strings.Contains(string(out), farDevice) {
		t.Errorf("its devices: %v\n%s", err, out)
	}
	if _, err := BesideTo(1<<22+1, Line{}); err == nil {
		t.Error("a process that doesn't exist has a network")
	}
}
