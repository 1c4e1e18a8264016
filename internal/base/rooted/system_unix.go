//go:build unix

package rooted

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// Like gives the file the mode and the owner of another one.
func (p *Pending) Like(info fs.FileInfo) error {
	if err := p.Chmod(info.Mode().Perm()); err != nil {
		return err
	}
	if owner, ok := info.Sys().(*syscall.Stat_t); ok {
		return p.Chown(int(owner.Uid), int(owner.Gid))
	}
	return nil
}

// sync makes the rename itself survive a power failure. Some file systems don't support it and
// return EINVAL.
func (d *Dir) sync(name string) error {
	f, err := d.root.Open(name)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // opened for reading only
	if err := f.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.ENOTSUP) {
		return err
	}
	return nil
}

// OpenLog opens a file for reading; other programs may rename or remove it meanwhile.
func OpenLog(path string) (*os.File, error) { return os.Open(path) }
