//go:build integration

package tools_test

import (
	"os/exec"
	"strings"
	"testing"
)

func TestTheProgramsOfAReleasePassTheirTests(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "go", "test", "./...")
	cmd.Dir = "release"
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "ok") {
		t.Errorf("go test in tools/release: %v\n%s", err, out)
	}
}
