package runs

import (
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/diff"

	"h2lab/internal/lab/results"
)

// keepDiff stores the difference between the run's two nginx configurations with it: that with the low limit
// and that with the high one, before the same upstream. A run without a gateway has the backend there.
func keepDiff(root, dir, gateway string) error {
	before := ""
	if gateway != "" {
		before = "-" + gateway
	}
	low, high := "nginx/keepalive-1000"+before+".conf", "nginx/keepalive-100000"+before+".conf"
	a, err := os.ReadFile(filepath.Join(root, low))
	if err != nil {
		return err
	}
	b, err := os.ReadFile(filepath.Join(root, high))
	if err != nil {
		return err
	}
	return results.WriteFile(dir, results.DiffFile, diff.Diff(low, a, high, b))
}
