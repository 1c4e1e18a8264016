package rooted

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"h2lab/internal/base/labtest"
)

// A server renames its log and begins a new one while h2lab reads it. On Windows that requires
// FILE_SHARE_DELETE.
func TestALogThatIsReadCanBeRotated(t *testing.T) {
	log := filepath.Join(t.TempDir(), "access.log")
	put(t, log)
	f, err := OpenLog(log)
	labtest.Check(t, err)
	defer f.Close() //nolint:errcheck // opened for reading only
	if err := os.Rename(log, log+".1"); err != nil {
		t.Errorf("the log can't be rotated: %v", err)
	}
	put(t, log)
	if b, err := io.ReadAll(f); err != nil || string(b) != "kept" {
		t.Errorf("the rest of the old log is %q, %v", b, err)
	}
	if _, err := OpenLog(log + ".none"); !os.IsNotExist(err) {
		t.Errorf("a log that isn't there: %v", err)
	}
}

func TestAFileAnywhereIsWrittenWhole(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "state.json")
	for _, text := range []string{"one", "two"} {
		labtest.Check(t, WriteFile(path, []byte(text)))
		if b, err := os.ReadFile(path); err != nil || string(b) != text {
			t.Errorf("%q, %v", b, err)
		}
	}
	p, err := CreateFile(filepath.Join(dir, "keys"), 0o600)
	labtest.Check(t, err)
	if err := p.Cleanup(); err != nil {
		t.Error(err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
	if err := WriteFile(filepath.Join(dir, "none", "x"), nil); !os.IsNotExist(err) {
		t.Errorf("a directory that isn't there: %v", err)
	}
}

func TestALinkIsReplacedAndItsFileIsWritten(t *testing.T) {
	dir := t.TempDir()
	link(t, "one", filepath.Join(dir, "latest"))
	d, err := Open(dir)
	labtest.Check(t, err)
	defer d.Close() //nolint:errcheck // nothing was written
	if err := d.Link("two", "latest"); err != nil {
		t.Error(err)
	}
	if to, err := os.Readlink(filepath.Join(dir, "latest")); err != nil || to != "two" {
		t.Errorf("it leads to %q, %v", to, err)
	}
	put(t, filepath.Join(dir, "two"))
	if err := WriteFile(filepath.Join(dir, "latest"), []byte("through")); err != nil {
		t.Error(err)
	}
	if b, _ := os.ReadFile(filepath.Join(dir, "two")); string(b) != "through" {
		t.Errorf("the file behind the link has %q", b)
	}
}
