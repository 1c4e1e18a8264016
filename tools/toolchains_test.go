package tools_test

import (
	"os/exec"
	"strings"
	"testing"
)

// A cargo that is missing is installed like one that is too old, and a new one is kept.
func TestCargoIsInstalledWhereItIsMissingOrOld(t *testing.T) {
	t.Parallel()
	for cargo, want := range map[string]bool{"": true, "cargo 1.63.0": true, "cargo 1.84.1 (abc 2025-01-01)": true,
		"cargo 1.85.0": false, "cargo 1.96.0 (abc 2026-01-01)": false, "cargo 2.0.0": false} {
		path := t.TempDir()
		scripts := map[string]string{"id": "echo 1000"}
		if cargo != "" {
			scripts["cargo"] = "echo '" + cargo + "'"
		}
		programs(t, path, scripts, "sh", "dirname", "awk")
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
