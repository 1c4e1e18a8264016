//go:build e2e

package e2e_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"h2lab/internal/base/kinds"
	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
	"h2lab/internal/lab/compose"
	"h2lab/internal/lab/plan"
)

// root is the project's directory.
func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("..")
	labtest.Check(t, err)
	return dir
}

// servers are the services that `docker compose up` starts by default: all but what is native alone and the one that
// requires a newer nginx.
func servers() []facts.Server {
	var out []facts.Server
	for _, s := range plan.Servers(plan.Topologies(plan.DefaultLimit)) {
		if k := kinds.Of(s.Kind); s.MinVersion == "" && !(k.Optional && k.Image == "") { // HAProxy is native alone
			out = append(out, s)
		}
	}
	return out
}

// clean stops everything at the end of the test and asserts that nothing is left.
func clean(t *testing.T) {
	t.Helper()
	if left := leftovers(t); len(left) > 0 {
		t.Fatalf("before the test there is already: %s; take it down: docker compose down", strings.Join(left, ", "))
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := compose.Down(ctx, root(t)); err != nil {
			t.Errorf("down: %v", err)
		}
		nothingIsLeft(t)
	})
}

func nothingIsLeft(t *testing.T) {
	t.Helper()
	if left := leftovers(t); len(left) > 0 {
		t.Errorf("left behind: %s", strings.Join(left, ", "))
	}
}

// leftovers returns the containers, networks, volumes, processes and ports that must not exist when
// the lab is down.
func leftovers(t *testing.T) []string {
	t.Helper()
	left, err := compose.Orphans(context.Background())
	labtest.Check(t, err)
	for _, s := range plan.Servers(plan.Topologies(plan.DefaultLimit)) {
		for _, address := range []string{s.Front, s.Counters} {
			if c, err := net.DialTimeout("tcp", address, time.Second); err == nil {
				c.Close()
				left = append(left, "port "+address+" ("+s.Name+")")
			}
		}
	}
	return append(left, podProcesses(t)...)
}

// podProcesses returns the processes of this machine whose working directory is the pod's: /lab, in
// any mount namespace.
func podProcesses(t *testing.T) []string {
	t.Helper()
	var out []string
	links, err := filepath.Glob("/proc/[0-9]*/cwd")
	labtest.Check(t, err)
	for _, link := range links {
		if dir, err := os.Readlink(link); err == nil && dir == "/lab" {
			name, _ := os.ReadFile(filepath.Join(filepath.Dir(link), "comm"))
			out = append(out,
				fmt.Sprintf("process %s %s", filepath.Base(filepath.Dir(link)), strings.TrimSpace(string(name))))
		}
	}
	return out
}

// run runs a command in the project's directory, prints it and its output, and returns its exit
// status.
func run(t *testing.T, name string, args ...string) int {
	t.Helper()
	t.Logf("$ %s %s", name, strings.Join(args, " "))
	cmd := exec.Command(name, args...)
	cmd.Dir = root(t)
	out, err := cmd.CombinedOutput()
	t.Logf("%s", out)
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode()
}

// client uses h2 or h1 to the published fronts and verifies their certificates.
func client(t *testing.T, root string, p facts.Protocol) *http.Client {
	t.Helper()
	pem, err := os.ReadFile(filepath.Join(root, "certs", "out", "ca.crt"))
	labtest.Check(t, err)
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(pem)
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: p == facts.H2}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: 10 * time.Second}
}

// post sends a body through a front and returns the protocol, the status and the answer's body.
func post(t *testing.T, c *http.Client, url string) (proto string, status int, body string) {
	t.Helper()
	response, err := c.Post(url, "text/plain", strings.NewReader("hello"))
	if err != nil {
		t.Errorf("POST %s: %v", url, err)
		return "", 0, ""
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if err != nil {
		t.Errorf("POST %s: %v", url, err)
	}
	return response.Proto, response.StatusCode, string(data)
}
