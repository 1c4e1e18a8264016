package results

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"github.com/google/renameio/v2"

	"h2lab/internal/facts"
)

// The names of the files in a run's directory.
const (
	File         = "results.json"
	VerdictsFile = "verdicts.json"
)

// Write saves a result as results.json in dir, which is made when it isn't
// there. Nil slices and maps are written as empty ones: r itself isn't changed.
func Write(dir string, r *facts.Result) error {
	if r == nil {
		return fmt.Errorf("nothing to write to %s: the result is nil", filepath.Join(dir, File))
	}
	whole := filled(*r)
	if whole.SchemaVersion == 0 {
		whole.SchemaVersion = facts.SchemaVersion
	}
	return save(filepath.Join(dir, File), whole, "  ", createPending)
}

// WriteVerdicts saves what the judges found as verdicts.json in dir.
func WriteVerdicts(dir string, j facts.Judgement) error {
	return save(filepath.Join(dir, VerdictsFile), filled(j), "  ", createPending)
}

// WriteSeries saves the timeline of one trial as dir/rel, where rel is the
// trial's Series.
func WriteSeries(dir, rel string, s facts.Series) error {
	path, err := inside(dir, rel)
	if err != nil {
		return err
	}
	return save(path, filled(s), "", createPending)
}

// inside refuses a relative path that leads out of the run's directory: it may
// come from a file that somebody else wrote.
func inside(dir, rel string) (string, error) {
	if !filepath.IsLocal(rel) {
		return "", fmt.Errorf("timeline %q lies outside of %s: a path below it is needed", rel, dir)
	}
	return filepath.Join(dir, rel), nil
}

// pending is a file that takes its name only when it is complete.
type pending interface {
	Write([]byte) (int, error)
	CloseAtomicallyReplace() error
	Cleanup() error
}

// createPending keeps the unfinished file in the directory of the finished
// one, where a rename is sure to be possible.
func createPending(path string) (pending, error) {
	f, err := renameio.NewPendingFile(path, renameio.WithTempDir(filepath.Dir(path)), renameio.WithPermissions(0o644))
	if err != nil {
		return nil, err // and not a nil *PendingFile, which is no nil pending
	}
	return f, nil
}

// save writes v as JSON to path, whole or not at all.
func save(path string, v any, indent string, create func(string) (pending, error)) error {
	data, err := encode(v, indent)
	if err != nil {
		return fmt.Errorf("writing %s: %w; the previous file, if any, is as it was", path, err)
	}
	if err := replace(path, data, create); err != nil {
		return fmt.Errorf("writing %s: %w; %s", path, err, nextStep(path, err))
	}
	return nil
}

func encode(v any, indent string) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // messages are verbatim and are read by people too
	e.SetIndent("", indent)
	err := e.Encode(v)
	return b.Bytes(), err
}

func replace(path string, data []byte, create func(string) (pending, error)) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Cleanup()) }()
	if _, err := f.Write(data); err != nil {
		return err
	}
	if err := f.CloseAtomicallyReplace(); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}

// syncDir makes the rename itself last through a power cut. Some file systems
// have no such thing and say EINVAL.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close() //nolint:errcheck // opened for reading only
	if err := d.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.ENOTSUP) {
		return err
	}
	return nil
}

// nextStep is what a reader can do about a write that failed.
func nextStep(path string, err error) string {
	const kept = "the previous file, if any, is as it was"
	dir := filepath.Dir(path)
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return fmt.Sprintf("%s; make room (df -h %s) and run again", kept, dir)
	case errors.Is(err, syscall.ENOTDIR):
		return fmt.Sprintf("a part of that path is a file: move it away or choose another directory (ls -ld %s)", dir)
	case errors.Is(err, os.ErrPermission), errors.Is(err, syscall.EROFS):
		return fmt.Sprintf("%s; choose a directory you may write to (ls -ld %s)", kept, dir)
	default:
		return kept + "; run again or choose another directory"
	}
}
