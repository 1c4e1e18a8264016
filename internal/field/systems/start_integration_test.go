//go:build integration

package systems

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"h2lab/internal/base/labtest"
)

// running is a system that runs until its test ends.
type running struct {
	addr, ca string
	front    *exec.Cmd // the process that the probe asks; nil for one of this process
}

// start runs all processes of a system, those behind first.
func (s system) start(t *testing.T, c catalogue) running {
	t.Helper()
	dir := t.TempDir()
	if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil { // a server that root started may read it as nobody
		t.Fatal(err)
	}
	cert := labtest.WriteCert(t, dir)
	words := s.words(t, dir)
	out := running{addr: "127.0.0.1:" + words["PORT"], ca: cert.File}
	for i, p := range s.Start {
		if p.Go != "" {
			serveGo(t, p, cert.Pair, out.addr, words)
			continue
		}
		own := maps.Clone(words)
		maps.Copy(own, p.Set)
		own["HERE"] = filepath.Join(dir, fmt.Sprint(i))
		if p.Port != "" {
			own["PORT"] = words[p.Port]
		}
		out.front = p.run(t, c, own)
	}
	awaitTLS(t, out.addr)
	return out
}

// awaitTLS makes a handshake, which takes a cold JVM on a busy machine longer than the probe waits.
func awaitTLS(t *testing.T, addr string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	d := tls.Dialer{Config: &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2", "http/1.1"}}}
	conn, err := d.DialContext(ctx, "tcp", addr)
	if err != nil {
		t.Fatalf("no TLS handshake with %s: %v", addr, err)
	}
	_ = conn.Close()
}

// words are the names that configurations may use.
func (s system) words(t *testing.T, dir string) map[string]string {
	t.Helper()
	both := labtest.Read(t, filepath.Join(dir, "server.crt")) + labtest.Read(t, filepath.Join(dir, "server.key"))
	write(t, filepath.Join(dir, "both.pem"), both)
	write(t, filepath.Join(dir, "www", "lab", "health"), "ok\n")
	for _, name := range []string{"server.crt", "server.key"} {
		if err := os.Chmod(filepath.Join(dir, name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	origin := origin(t)
	root := labtest.Root(t)
	return map[string]string{
		"DIR": dir, "CERT": filepath.Join(dir, "server.crt"), "KEY": filepath.Join(dir, "server.key"),
		"BOTH": filepath.Join(dir, "both.pem"), "WWW": filepath.Join(dir, "www"),
		"PORT": fmt.Sprint(labtest.FreePort(t)), "PORT1": fmt.Sprint(labtest.FreePort(t)),
		"PORT2": fmt.Sprint(labtest.FreePort(t)), "PORT3": fmt.Sprint(labtest.FreePort(t)),
		"ORIGIN": origin, "ORIGIN_COMMA": strings.Replace(origin, ":", ",", 1),
		"MODULES": filepath.Join(root, "tools/servers/apache2/usr/lib/apache2/modules"),
		"TREES":   filepath.Join(root, "tools/servers"), "SERVERS": filepath.Join(root, "internal/field/systems/servers"),
		// What a system does not set.
		"LIMITS": "", "SECOND": "", "ZONE": "", "HTTP2": "http2", "ANSWER": `return 200 "ok\n";`,
	}
}

// run starts one process in its own process group and waits until it accepts connections.
func (p process) run(t *testing.T, c catalogue, words map[string]string) *exec.Cmd {
	t.Helper()
	here := words["HERE"]
	// A server that root started may write as nobody.
	if err := errors.Join(os.MkdirAll(here, 0o755), os.Chmod(here, 0o777)); err != nil {
		t.Fatal(err)
	}
	words["CONF"] = p.lay(t, c, words)
	how := c.Programs[p.Program]
	cmd := exec.Command(found(t, p.Program))
	for _, a := range append(how.Args, p.Add...) {
		cmd.Args = append(cmd.Args, filled(a, words, false))
	}
	cmd.Env = os.Environ()
	for _, e := range how.Env {
		cmd.Env = append(cmd.Env, filled(e, words, false))
	}
	log, err := os.Create(filepath.Join(here, "log"))
	if err != nil {
		t.Fatal(err)
	}
	cmd.Dir, cmd.Stdout, cmd.Stderr = here, log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
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
			t.Logf("the log of %s:\n%s", p.Program, last(string(text)))
		}
	})
	awaitAccept(t, p.Program, "127.0.0.1:"+words["PORT"], over)
	return cmd
}

// last is the end of a log.
func last(text string) string {
	const enough = 4000
	return text[max(0, len(text)-enough):]
}

// lay writes the process's configuration, one file or a directory, and returns its path.
func (p process) lay(t *testing.T, c catalogue, words map[string]string) string {
	t.Helper()
	name := p.conf(c)
	if name == "" {
		return ""
	}
	from := filepath.Join("testdata", "conf", name)
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text := filled(labtest.Read(t, path), words, os.Getuid() == 0)
		if rest := leftover.FindString(text); rest != "" {
			t.Fatalf("%s: nothing replaces %s", path, rest)
		}
		write(t, filepath.Join(words["HERE"], filepath.Base(path)), text)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(words["HERE"], name)
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// found returns the path of a program. The test fails without it.
func found(t *testing.T, name string) string {
	t.Helper()
	path, err := find(labtest.Root(t), name)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// find looks for a program where tools/servers.sh makes it, then on PATH.
func find(root, name string) (string, error) {
	missing := fmt.Errorf("%s is not there; next: tools/toolchains.sh integration && tools/servers.sh %s", name, name)
	servers := filepath.Join(root, "internal/field/systems/servers")
	switch name {
	case "python", "hypercorn", "granian", "gunicorn":
		return executable(filepath.Join(servers, "python/out/venv/bin", name), missing)
	case "java":
		if _, err := os.Stat(filepath.Join(servers, "java/out/built-from")); err != nil {
			return "", missing
		}
	}
	for _, place := range []string{"tools/servers/bin", "tools/bin"} {
		if path, err := executable(filepath.Join(root, place, name), missing); err == nil {
			return path, nil
		}
	}
	if path, err := exec.LookPath(name); err == nil {
		return path, nil
	}
	return "", missing
}

func executable(path string, missing error) (string, error) {
	if info, err := os.Stat(path); err != nil || info.Mode()&0o111 == 0 {
		return "", missing
	}
	return path, nil
}

func TestAMissingProgramNamesTheNextStep(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	for name := range list(t).Programs {
		path, err := find(t.TempDir(), name)
		if err == nil || !strings.HasSuffix(err.Error(), "next: tools/toolchains.sh integration && tools/servers.sh "+name) {
			t.Errorf("%s: %q, %v; want the next step", name, path, err)
		}
	}
}

// stop ends the server and its children: the process group has the server's pid.
func stop(pid int, over <-chan struct{}) {
	_ = syscall.Kill(-pid, syscall.SIGTERM)
	select {
	case <-over:
	case <-time.After(2 * time.Second): // a drain may take longer, and nobody waits for it here
	}
	_ = syscall.Kill(-pid, syscall.SIGKILL) // workers that outlived their master
	<-over
}

func awaitAccept(t *testing.T, name, addr string, over <-chan struct{}) {
	t.Helper()
	const patience = 30 * time.Second
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for {
		c, err := new(net.Dialer).DialContext(ctx, "tcp", addr)
		if err == nil {
			_ = c.Close()
			return
		}
		select {
		case <-over:
			t.Fatalf("%s ended before it accepted; its log is below", name)
		case <-ctx.Done():
			t.Fatalf("%s does not accept on %s within %v; its log is below", name, addr, patience)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// origin is a plain-HTTP server behind proxies that can only forward requests.
func origin(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "ok\n")
	}))
	t.Cleanup(s.Close)
	return s.Listener.Addr().String()
}
