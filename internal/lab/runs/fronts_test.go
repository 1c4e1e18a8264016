package runs

import (
	"path/filepath"
	"testing"

	"h2lab/internal/base/labtest"
)

func TestTheLimitOfAConfiguration(t *testing.T) {
	root := labtest.Root(t)
	for file, want := range map[string]int{
		"nginx/keepalive-1000.conf":    1000,
		"nginx/keepalive-100000.conf":  100000,
		"envoy/max-requests-1000.yaml": 1000,
		"envoy/unlimited-envoy.yaml":   0,
		"nginx/no-such.conf":           0,
	} {
		if got := limitIn(filepath.Join(root, file)); got != want {
			t.Errorf("%s: %d, want %d", file, got, want)
		}
	}
}
