//go:build integration

package main_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"h2lab/internal/base/labtest"
)

// real is a server program from a package: its files and its command line. In files and args, DIR
// is its temporary directory, PORT its port, ORIGIN the address of the test's origin, MODULES the
// directory of Apache's modules; a line that begins with ROOT is included only when root runs the
// test.
type real struct {
	program string
	files   map[string]string
	args    []string
}

// found returns the path of a server's program. The test fails without it, because its build tag
// requires the program; `tools/servers.sh` installs it.
func found(t *testing.T, name string) string {
	t.Helper()
	for _, place := range []string{"tools/servers/bin", "tools/bin"} {
		if path := filepath.Join(labtest.Root(t), place, name); executable(path) {
			return path
		}
	}
	if path, err := exec.LookPath(name); err == nil {
		return path
	}
	t.Fatalf("%s is neither in tools/servers nor in tools/bin nor on PATH; next: tools/servers.sh %s", name, name)
	return ""
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode()&0o111 != 0
}

// start runs the server in its own process group until the test ends. It returns the address and
// the certificate when the server accepts connections.
func (r real) start(t *testing.T, origin string) (addr, ca string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil { // a server that root started reads it as nobody
		t.Fatal(err)
	}
	ca = labtest.WriteCert(t, dir).File
	port := fmt.Sprint(labtest.FreePort(t))
	addr = net.JoinHostPort("127.0.0.1", port)
	words := strings.NewReplacer("DIR", dir, "PORT", port, "ORIGIN", origin, "MODULES",
		filepath.Join(labtest.Root(t), "tools/servers/apache2/usr/lib/apache2/modules"))
	r.lay(t, dir, words)
	cmd := exec.Command(found(t, r.program))
	for _, a := range r.args {
		cmd.Args = append(cmd.Args, words.Replace(a))
	}
	log, err := os.Create(filepath.Join(dir, "server.log"))
	if err != nil {
		t.Fatal(err)
	}
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	over := make(chan struct{})
	go func() { _ = cmd.Wait(); close(over) }()
	t.Cleanup(func() {
		stop(cmd.Process.Pid, over)
		_ = log.Close()
		if t.Failed() {
			text, _ := os.ReadFile(log.Name())
			t.Logf("the log of %s:\n%s", r.program, text)
		}
	})
	awaitAccept(t, addr, over)
	return addr, ca
}

// lay writes the server's files, and a small page for servers that serve files.
func (r real) lay(t *testing.T, dir string, words *strings.Replacer) {
	t.Helper()
	both := labtest.Read(t, filepath.Join(dir, "server.crt")) + labtest.Read(t, filepath.Join(dir, "server.key"))
	files := map[string]string{"www/lab/health": "ok\n", "both.pem": both} // HAProxy reads the two from one file
	for name, text := range r.files {
		files[name] = onlyRoot(words.Replace(text), os.Getuid() == 0)
	}
	for name, text := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// onlyRoot keeps or drops the lines that begin with "ROOT ".
func onlyRoot(text string, root bool) string {
	var out []string
	for line := range strings.Lines(text) {
		rest, marked := strings.CutPrefix(line, "ROOT ")
		if !marked || root {
			out = append(out, rest)
		}
	}
	return strings.Join(out, "")
}

// stop ends the server and its children: the process group has the server's pid.
func stop(pid int, over <-chan struct{}) {
	_ = syscall.Kill(-pid, syscall.SIGTERM)
	select {
	case <-over:
	case <-time.After(5 * time.Second):
	}
	_ = syscall.Kill(-pid, syscall.SIGKILL) // workers that outlived their master
	<-over
}

func awaitAccept(t *testing.T, addr string, over <-chan struct{}) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for {
		c, err := new(net.Dialer).DialContext(ctx, "tcp", addr)
		if err == nil {
			_ = c.Close()
			return
		}
		select {
		case <-over:
			t.Fatal("the server ended before it accepted; its log is below")
		case <-ctx.Done():
			t.Fatalf("the server does not accept on %s within 20 s; its log is below", addr)
		case <-time.After(10 * time.Millisecond):
		}
	}
}
