//go:build integration

package tools_test

import (
	"os/exec"
	"strings"
	"testing"
)

// Their dependencies aren't the product's.
func TestModulesOfTheirOwnPassTheirTests(t *testing.T) {
	for _, dir := range []string{"manifests", "release"} {
		cmd := exec.CommandContext(t.Context(), "go", "test", "-count=1", "./...") // the cache knows only the files of the module
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "ok") {
			t.Errorf("go test in tools/%s: %v\n%s", dir, err, out)
		}
	}
}
