//go:build integration

package nginx_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// needsNewer are files that nginx before 1.29.4 refuses, with what it says then.
var needsNewer = map[string]string{"keepalive-1000-h2-upstream.conf": `unknown directive "http2"`}

// program finds a tool on the PATH, then in tools/bin. Lacking it is a failure:
// `make integration` makes the tools first.
func program(t *testing.T, name string) string {
	t.Helper()
	if path, err := exec.LookPath(name); err == nil {
		return path
	}
	made, err := filepath.Abs(filepath.Join("..", "tools", "bin", name))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(made); err != nil {
		t.Fatalf("%s is neither on the PATH nor in tools/bin; run: make tools", name)
	}
	return made
}

// project is a copy of the files that nginx reads, with certificates of its own,
// so that a test neither needs nor changes those of the checkout.
func project(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for _, dir := range []string{"certs", "nginx", "var"} {
		if err := os.Mkdir(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range append(confFiles(t), "../certs/make.sh", "../certs/openssl.cnf") {
		if err := os.WriteFile(filepath.Join(root, "nginx", name), []byte(read(t, name)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.CommandContext(t.Context(), filepath.Join(root, "certs", "make.sh")).CombinedOutput(); err != nil {
		t.Fatalf("certs/make.sh: %v\n%s", err, out)
	}
	return root
}

func TestNginxFindsEveryFileValid(t *testing.T) {
	nginx, root := program(t, "nginx"), project(t)
	for _, name := range confFiles(t) {
		t.Run(name, func(t *testing.T) {
			said, err := exec.CommandContext(t.Context(), nginx, "-p", root+"/", "-c", "nginx/"+name, "-e", "stderr", "-t").CombinedOutput()
			if refusal, may := needsNewer[name]; may && err != nil && strings.Contains(string(said), refusal) {
				return // as it must on nginx before 1.29.4
			}
			if err != nil {
				t.Fatalf("%v\n%s", err, said)
			}
			for line := range strings.Lines(string(said)) {
				if strings.Contains(line, "[") && !strings.Contains(line, `"listen ... http2" directive is deprecated`) {
					t.Errorf("nginx complains: %s", line)
				}
			}
		})
	}
}
