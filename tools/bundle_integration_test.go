//go:build integration

package tools_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
)

// Unpacks the bundle where there is no network, no Go and no module cache; the lab then measures a
// cell and replays a recorded run.
func TestBundleWorksWithoutANetwork(t *testing.T) {
	dir := t.TempDir()
	pack := exec.CommandContext(t.Context(), "./bundle.sh", dir)
	if out, err := pack.CombinedOutput(); err != nil {
		t.Fatalf("packing: %v\n%s", err, out)
	}
	packed, _ := filepath.Glob(filepath.Join(dir, "*.tar.gz"))
	if len(packed) != 1 {
		t.Fatalf("packed %q, want one file", packed)
	}
	if out, err := exec.CommandContext(t.Context(), "tar", "-xzf", packed[0], "-C", dir).CombinedOutput(); err != nil {
		t.Fatalf("unpacking: %v\n%s", err, out)
	}
	project := filepath.Join(dir, "h2-keepalive-lab")
	if keys, _ := filepath.Glob(filepath.Join(project, "certs", "out", "*")); len(keys) > 0 {
		t.Errorf("keys are packed: %q", keys)
	}
	// A network namespace without a route out, in which the lab's ports are free.
	script := "ip link set lo up && make repro QUICK=1 LIMIT=100 RUNTIME=native TOPOLOGY=nginx-100 PROTOCOL=h2 " +
		"CLIENT=go-once && make replay SERVE=0 && make slides"
	offline := exec.CommandContext(t.Context(), "unshare", "--net", "sh", "-c", script) // root alone may
	offline.Dir = project
	offline.Env = []string{"PATH=" + withoutGo(t), "HOME=" + filepath.Join(dir, "home")}
	out, err := offline.CombinedOutput()
	if err != nil {
		t.Fatalf("without a network: %v\n%s", err, out)
	}
	for _, want := range []string{"nginx-100", "-repro/report.md", "replay-20261121T022923Z-repro/report.md",
		"\nslides/slides.html\nslides/slides.zh.html\n"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("its output lacks %q:\n%s", want, out)
		}
	}
}

// withoutGo is a PATH of the system's programs with neither Go nor the lab's tools.
func withoutGo(t *testing.T) string {
	t.Helper()
	bin := t.TempDir()
	for _, name := range []string{"sh", "bash", "make", "openssl", "ip", "env", "dirname", "cat", "rm", "mkdir", "mv",
		"cp", "chmod", "ln", "ls",
		"date", "awk", "sed", "grep", "uname", "id", "mktemp", "tr", "sort", "head", "tail", "cut", "test", "expr",
		"install", "python3", "git"} {
		path, err := exec.LookPath(name)
		if err != nil {
			t.Logf("not here: %s", name)
			continue
		}
		labtest.Check(t, os.Symlink(path, filepath.Join(bin, name)))
	}
	return bin
}
