package results

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"

	"h2lab/internal/facts"
)

// Latest is the link in the results directory that points at the newest run.
const Latest = "latest"

// ErrNoRun is what Newest wraps when there is no run to be found.
var ErrNoRun = errors.New("no finished run")

// Newest is the directory of the newest finished run of a command below
// resultsDir, or of any command when that is empty. Its rules:
//
//   - newest is the latest run.started in the files, whatever the directories
//     are called and whenever they were copied;
//   - only a finished run counts: one that was interrupted, or still runs,
//     lacks cells that a comparison needs;
//   - a quick run counts as any other: whoever just made it means it, and the
//     report says that it is no statistics;
//   - what can't be read is passed over, and so are links (latest);
//   - suits may refuse a run for reasons of the caller's; nil refuses none.
func Newest(resultsDir, command string, suits func(*facts.Result) bool) (string, error) {
	entries, err := os.ReadDir(resultsDir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("looking for runs in %s: %w", resultsDir, err)
	}
	var best *facts.Result
	dir := ""
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		r, err := Read(filepath.Join(resultsDir, e.Name()))
		if err != nil || r.Run.Finished.IsZero() || r.Run.Interrupted || command != "" && r.Run.Command != command {
			continue
		}
		if suits != nil && !suits(r) {
			continue
		}
		if best == nil || r.Run.Started.After(best.Run.Started) {
			best, dir = r, filepath.Join(resultsDir, e.Name())
		}
	}
	if best == nil {
		what := command
		if what == "" {
			what = "repro"
		}
		return "", fmt.Errorf("%w of %s in %s: make one with \"make %s\"", ErrNoRun, what, resultsDir, what)
	}
	return dir, nil
}

// Link points resultsDir/latest at the run called id, in one step: whoever
// follows the link meanwhile finds the old run or the new one. The link is
// relative, so the results directory may be moved.
func Link(resultsDir, id string) error {
	if !filepath.IsLocal(id) || filepath.Base(id) != id || id == Latest || id == "." {
		return fmt.Errorf("run %q is no directory of %s that %s could point at", id, resultsDir, Latest)
	}
	link := filepath.Join(resultsDir, Latest)
	if info, err := os.Lstat(link); err == nil && info.Mode()&os.ModeSymlink == 0 {
		return fmt.Errorf("%s is no link and is left alone: move it away (mv %s %s.old)", link, link, link)
	}
	if err := renameio.Symlink(id, link); err != nil {
		return fmt.Errorf("pointing %s at %s: %w", link, id, err)
	}
	return nil
}
