package check

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"h2lab/internal/field/lint"
)

// A file that no kind reads is refused with the settings of connections that are in it.
func TestAnUnknownFileIsRefusedWithItsSettings(t *testing.T) {
	for text, want := range map[string]string{
		"web:\n  keepAliveRequests: 100\n": "keepAliveRequests: 100 in line 2",
		"web:\n  replicas: 2\n":            "looks like no configuration of nginx",
	} {
		name := filepath.Join(t.TempDir(), "values.yaml")
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Run(t.Context(), []string{name}, "", lint.Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
