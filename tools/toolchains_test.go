package tools_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A cargo that is missing is installed like one that is too old, and a new one is kept.
func TestCargoIsInstalledWhereItIsMissingOrOld(t *testing.T) {
	t.Parallel()
	for cargo, want := range map[string]bool{"": true, "cargo 1.63.0": true, "cargo 1.84.1 (abc 2025-01-01)": true,
		"cargo 1.85.0": false, "cargo 1.96.0 (abc 2026-01-01)": false, "cargo 2.0.0": false} {
		path := t.TempDir()
		for _, name := range []string{"sh", "dirname", "awk"} {
			at, err := exec.LookPath(name)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(at, filepath.Join(path, name)); err != nil {
				t.Fatal(err)
			}
		}
		write(t, filepath.Join(path, "id"), "#!/bin/sh\necho 1000\n")
		if cargo != "" {
			write(t, filepath.Join(path, "cargo"), "#!/bin/sh\necho '"+cargo+"'\n")
		}
		cmd := exec.CommandContext(t.Context(), "./toolchains.sh", "clients")
		cmd.Env = []string{"PATH=" + path}
		said, _ := cmd.CombinedOutput()
		if status := cmd.ProcessState.ExitCode(); status != 3 {
			t.Errorf("%q: status %d: %s", cargo, status, said)
		}
		if strings.Contains(string(said), " cargo") != want {
			t.Errorf("%q: wants cargo is %v: %s", cargo, !want, said)
		}
	}
}
