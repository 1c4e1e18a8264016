//go:build linux

package native

import (
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
)

// The owner has /usr as its root, where its program and its libraries lie too, and a server's arguments.
func TestAPortTakenInAContainerNamesNoCheckout(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("chroot(2) takes root")
	}
	f := labtest.NewFaults(t, labtest.Ports)
	f.Try("a process in a container of this network holds the port", func(t *testing.T) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		labtest.Check(t, err)
		socket, err := l.(*net.TCPListener).File()
		labtest.Check(t, err)
		cmd := exec.CommandContext(t.Context(), "/bin/sh", "-c", "sleep 60; :", "--counters", "--cert", certFile,
			"--key", keyFile)
		cmd.Dir, cmd.ExtraFiles = "/share", []*os.File{socket}
		cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: "/usr", Setpgid: true}
		labtest.Check(t, cmd.Start())
		t.Cleanup(func() {
			_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
			_ = cmd.Wait()
		})
		_, _ = l.Close(), socket.Close()
		err = portsFree(t.TempDir(), []facts.Server{{Name: "direct", Front: l.Addr().String()}})
		if err == nil || !strings.Contains(err.Error(), "in a container; stop that container") {
			t.Errorf("error %v, want one that names the container and no checkout", err)
		}
	})
}
