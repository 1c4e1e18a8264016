package rundir

import (
	"os"
	"path"
	"path/filepath"

	"h2lab/internal/base/rooted"
	"h2lab/internal/lab/results"
)

// CopyMeasured copies the measured data of a run, without what is drawn from it, to a directory below
// results/. It replaces the copy of an earlier replay.
func CopyMeasured(from, resultsDir, to string) error {
	there, err := filepath.EvalSymlinks(filepath.Join(resultsDir, to))
	if err == nil && same(from, there) {
		return nil // a replay of a replay
	}
	source, err := rooted.Open(from)
	if err != nil {
		return err
	}
	defer source.Close() //nolint:errcheck // opened for reading only
	names, err := source.Files()
	if err != nil {
		return err
	}
	runs, err := rooted.Make(resultsDir)
	if err != nil {
		return err
	}
	defer runs.Close() //nolint:errcheck // what was written is synced already
	if err := runs.Remove(to); err != nil {
		return err
	}
	for _, name := range names {
		if drawn(name) {
			continue
		}
		b, err := source.Read(name, results.MaxFileSize)
		if err != nil {
			return err
		}
		if err := runs.Write(path.Join(to, name), b); err != nil {
			return err
		}
	}
	return nil
}

// same reports whether two paths lead to the same directory, with links resolved.
func same(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// drawn reports whether a file of a run is made from the others.
func drawn(rel string) bool {
	switch path.Ext(rel) {
	case ".md", ".html", ".svg":
		return true
	}
	return rel == "verdicts.json" || rel == "clients.json"
}
