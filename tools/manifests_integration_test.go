//go:build integration

package tools_test

import (
	"os/exec"
	"strings"
	"testing"
)

func TestTheManifestsPassTheirTests(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "go", "test", "-count=1", "./...") // the cache knows only the files of the module
	cmd.Dir = "manifests"
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "ok") {
		t.Errorf("go test in tools/manifests: %v\n%s", err, out)
	}
}
