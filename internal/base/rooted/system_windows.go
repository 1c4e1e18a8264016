package rooted

import (
	"io/fs"
	"os"
	"path/filepath"
)

// Like gives the file the read-only mark of another one. Owner and permissions come from the directory
// (Microsoft, "ACL Inheritance").
func (p *Pending) Like(info fs.FileInfo) error { return p.Chmod(info.Mode().Perm()) }

// sync does nothing: Windows can't flush a directory that is open for reading (FlushFileBuffers requires
// GENERIC_WRITE).
func (d *Dir) sync(string) error { return nil }

// OpenLog opens a file for reading; other programs may rename or remove it meanwhile, so that a server
// can rotate its log. os.Open would prevent that: it doesn't set FILE_SHARE_DELETE, and os.Root does. A
// link out of the directory and a device are beyond os.Root.
func OpenLog(path string) (*os.File, error) {
	root, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return os.Open(path)
	}
	defer root.Close() //nolint:errcheck // opened for reading only
	if f, err := root.Open(filepath.Base(path)); err == nil {
		return f, nil
	}
	return os.Open(path)
}
