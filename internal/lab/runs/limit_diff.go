package runs

import (
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/diff"

	"h2lab/internal/lab/results"
)

// keepDiff stores the difference between the two nginx configurations with the run.
func keepDiff(root, dir string) error {
	low, high := "nginx/keepalive-1000.conf", "nginx/keepalive-100000.conf"
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
