//go:build integration

package envoy_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

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

// project is a copy of the files that Envoy reads, with certificates of its own,
// so that a test neither needs nor changes those of the checkout.
func project(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for _, dir := range []string{"certs", "envoy"} {
		if err := os.Mkdir(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range append(yamlFiles(t), "../certs/make.sh", "../certs/openssl.cnf") {
		if err := os.WriteFile(filepath.Join(root, "envoy", name), []byte(read(t, name)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.CommandContext(t.Context(), filepath.Join(root, "certs", "make.sh")).CombinedOutput(); err != nil {
		t.Fatalf("certs/make.sh: %v\n%s", err, out)
	}
	return root
}

func TestEnvoyFindsEveryFileValid(t *testing.T) {
	envoy, root := program(t, "envoy"), project(t)
	for _, name := range yamlFiles(t) {
		t.Run(name, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), envoy, "--mode", "validate", "-c", "envoy/"+name, "--use-dynamic-base-id", "--log-level", "warning")
			cmd.Dir = root
			said, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, said)
			}
			// A deprecated field is a warning today and a refusal in some release after.
			if strings.Contains(strings.ToLower(string(said)), "deprecated") {
				t.Errorf("Envoy complains:\n%s", said)
			}
		})
	}
}
