package results

import (
	"fmt"
	"path/filepath"

	"h2lab/internal/base/rooted"
)

// DiffFile is the difference between the two nginx configurations, kept beside results.json.
const DiffFile = "config/limit.diff"

// MaxFileSize limits the size of a run's file that is read: ten times the largest file that the lab
// writes, Envoy's config dump.
const MaxFileSize = 128 << 20

// WriteFile writes a file inside a run's directory (package rooted rejects any other path).
func WriteFile(dir, name string, b []byte) error {
	d, err := rooted.Make(dir)
	if err != nil {
		return err
	}
	defer d.Close() //nolint:errcheck // what was written is synced already
	if err := d.Write(name, b); err != nil {
		return fmt.Errorf("writing %s: %w", filepath.Join(dir, name), err)
	}
	return nil
}

// ReadFile reads a file inside a run's directory and rejects any other path.
func ReadFile(dir, name string) ([]byte, error) {
	d, err := rooted.Open(dir)
	if err != nil {
		return nil, err
	}
	defer d.Close() //nolint:errcheck // opened for reading only
	return d.Read(name, MaxFileSize)
}
