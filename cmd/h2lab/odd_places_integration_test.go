//go:build integration

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/lab/native"
	"h2lab/internal/lab/results"
)

// wholeCheckout copies all files that git tracks or would track, and links the tools.
func wholeCheckout(t *testing.T) string {
	t.Helper()
	list := exec.CommandContext(t.Context(), "git", "ls-files", "-co", "--exclude-standard", "-z")
	list.Dir = labtest.Root(t)
	listed, err := list.Output()
	labtest.Check(t, err)
	var files []string
	for name := range bytes.SplitSeq(bytes.TrimSuffix(listed, []byte{0}), []byte{0}) {
		if info, err := os.Stat(filepath.Join(list.Dir, string(name))); err == nil && !info.IsDir() {
			files = append(files, string(name))
		}
	}
	root := oddCheckout(t, `odd é日 '"$(touch ran)#%20&[a]*?`, files...)
	labtest.Check(t, os.MkdirAll(filepath.Join(root, "tools", "bin"), 0o755))
	for _, tool := range []string{"nginx", "envoy", "k6"} {
		labtest.Check(t, os.Symlink(labtest.Program(t, tool), filepath.Join(root, "tools", "bin", tool)))
	}
	return root
}

// Builds and runs the whole lab in a directory whose name is difficult for the shell, for URLs and
// for patterns. A ':' and a ';' would separate the loader's paths (ld.so(8)), so only the unit
// tests have them.
func TestTheLabRunsInAnOddPlace(t *testing.T) {
	unlock, err := native.Lock(labtest.Root(t)) // the ports are the checkout's
	labtest.Check(t, err)
	defer func() { _ = unlock() }()
	root := wholeCheckout(t)
	f := labtest.NewFaults(t, labtest.Places)
	f.Try("everything is built in the oddest directory", func(t *testing.T) {
		in(t, root, 0, "make", "build", "certs")
	})
	f.Try("nginx, a client and k6 run in the oddest directory", func(t *testing.T) {
		said := in(t, root, 0, "make", "repro", "QUICK=1", "LIMIT=100", "RUNTIME=native",
			"TOPOLOGY=nginx-100", "PROTOCOL=h2", "CLIENT=go-once,k6-shared-pool")
		if !strings.Contains(said, "report: results/") {
			t.Errorf("make repro: %s", said)
		}
		r, err := results.Read(filepath.Join(root, "results", results.Latest))
		if err != nil || len(r.Cells) != 2 || len(results.Missing(r)) > 0 {
			t.Fatalf("%v, %v", r, err)
		}
		if said := in(t, root, 0, "make", "report"); !strings.Contains(said, "/report.md") {
			t.Errorf("make report: %s", said)
		}
	})
	f.Try("Envoy runs in the oddest directory, started from elsewhere", func(t *testing.T) {
		elsewhere := t.TempDir()
		program := filepath.Join(root, "bin", "h2lab")
		said := in(t, elsewhere, 0, program, "matrix", "--quick", "--runtime", "native",
			"--topology", "envoy-1000", "--protocol", "h2", "--client", "go-once")
		if !strings.Contains(said, "report: "+filepath.Join(root, "results")) {
			t.Errorf("h2lab matrix: %s", said)
		}
		in(t, elsewhere, 0, program, "up", "--runtime", "native")
		if said := in(t, elsewhere, 0, program, "down"); !strings.Contains(said, "stopped the native servers") {
			t.Errorf("h2lab down, with servers up: %s", said)
		}
		if left, _ := os.ReadDir(elsewhere); len(left) > 0 {
			t.Errorf("%v was made in the working directory", left)
		}
	})
	if _, err := os.Stat(filepath.Join(root, "ran")); err == nil {
		t.Error("the directory's name was run")
	}
}
