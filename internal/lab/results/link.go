package results

import (
	"fmt"
	"os"
	"path/filepath"

	"h2lab/internal/base/rooted"
)

// Latest is the link in the results directory to the newest run.
const Latest = "latest"

// Link points resultsDir/latest at the run called id, in one step: a reader finds either the old
// run or the new one. The link is relative, so that the results directory can be moved.
func Link(resultsDir, id string) error {
	if !filepath.IsLocal(id) || filepath.Base(id) != id || id == Latest || id == "." {
		return fmt.Errorf("run %q is not a directory in %s, so %s can't point to it", id, resultsDir, Latest)
	}
	link := filepath.Join(resultsDir, Latest)
	if info, err := os.Lstat(link); err == nil && info.Mode()&os.ModeSymlink == 0 {
		return fmt.Errorf("%s is not a link and is not replaced: move it away (mv %s %s.old)", link, link, link)
	}
	d, err := rooted.Open(resultsDir)
	if err != nil {
		return fmt.Errorf("pointing %s at %s: %w", link, id, err)
	}
	defer d.Close() //nolint:errcheck // nothing is written through it any more
	if err := d.Link(id, Latest); err != nil {
		return fmt.Errorf("pointing %s at %s: %w", link, id, err)
	}
	return nil
}
