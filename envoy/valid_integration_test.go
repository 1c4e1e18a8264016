//go:build integration

package envoy_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
)

func TestEnvoyFindsEveryFileValid(t *testing.T) {
	files, _ := filepath.Glob("*.yaml")
	envoy, root := labtest.Program(t, "envoy"), labtest.Project(t, "envoy", files)
	for _, name := range files {
		t.Run(name, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), envoy, "--mode", "validate", "-c", "envoy/"+name,
				"--use-dynamic-base-id", "--log-level", "warning")
			cmd.Dir = root
			said, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, said)
			}
			// A later release will reject a field that now only causes a deprecation warning.
			if strings.Contains(strings.ToLower(string(said)), "deprecated") {
				t.Errorf("Envoy complains:\n%s", said)
			}
		})
	}
}
