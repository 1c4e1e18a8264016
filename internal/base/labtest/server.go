package labtest

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// FreePort returns a port that no process listens on now.
func FreePort(t testing.TB) int {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	Check(t, err)
	defer func() { _ = ln.Close() }()
	return ln.Addr().(*net.TCPAddr).Port
}

// Nginx runs a real nginx in dir with that configuration until the test ends; nginx accepts
// connections on the port when Nginx returns.
func Nginx(t testing.TB, dir string, port int, conf string) {
	t.Helper()
	name := filepath.Join(dir, "nginx.conf")
	Write(t, name, conf)
	start(t, port, dir, "nginx", "-p", dir+"/", "-c", name, "-e", "stderr")
}

// Envoy does the same with a real Envoy.
func Envoy(t testing.TB, dir string, port int, yaml string) {
	t.Helper()
	Write(t, filepath.Join(dir, "envoy.yaml"), yaml)
	start(t, port, dir, "envoy", "-c", "envoy.yaml", "--concurrency", "1", "--use-dynamic-base-id", "--log-level",
		"warning")
}

// start runs a server until the test ends, and waits until it accepts connections.
func start(t testing.TB, port int, dir, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(Program(t, name), args...)
	log, err := os.Create(filepath.Join(dir, name+".log"))
	Check(t, err)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, log, log
	Check(t, cmd.Start())
	over := make(chan error, 1)
	go func() { over <- cmd.Wait() }()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		select {
		case <-over:
		case <-time.After(5 * time.Second):
			_ = cmd.Process.Kill()
			<-over
		}
		_ = log.Close()
	})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for {
		c, err := new(net.Dialer).DialContext(ctx, "tcp", fmt.Sprint("127.0.0.1:", port))
		if err == nil {
			_ = c.Close()
			return
		}
		select {
		case err := <-over:
			over <- err
			text, _ := os.ReadFile(log.Name())
			t.Fatalf("%s ended: %v\n%s", name, err, text)
		case <-ctx.Done():
			t.Fatalf("%s does not accept on port %d", name, port)
		case <-time.After(20 * time.Millisecond):
		}
	}
}
