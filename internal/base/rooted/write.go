package rooted

import (
	"crypto/rand"
	"errors"
	"os"
	"path"
	"syscall"
)

// Pending is a file that gets its name only when it is complete.
type Pending struct {
	*os.File
	dir        *Dir
	name, temp string
	done       bool
}

// Create begins a file in the same directory as its final name, where a rename always works, and
// creates the directories of its path.
func (d *Dir) Create(name string) (*Pending, error) {
	if err := d.plain(name); err != nil {
		return nil, err
	}
	if err := d.root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return nil, err
	}
	temp := path.Join(path.Dir(name), "."+path.Base(name)+"."+rand.Text()[:12])
	f, err := d.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return nil, err
	}
	return &Pending{File: f, dir: d, name: name, temp: temp}, nil
}

// CloseAtomicallyReplace syncs the file and renames it to its final name.
func (p *Pending) CloseAtomicallyReplace() error {
	if err := p.Sync(); err != nil {
		return err
	}
	if err := p.Close(); err != nil {
		return err
	}
	if err := p.dir.root.Rename(p.temp, p.name); err != nil {
		return err
	}
	p.done = true
	return p.dir.sync(path.Dir(p.name))
}

// Cleanup removes the temporary file unless it was renamed.
func (p *Pending) Cleanup() error {
	if p.done {
		return nil
	}
	p.done = true
	_ = p.Close() // it may be closed already
	return p.dir.root.Remove(p.temp)
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

// Write writes a whole file, or leaves the previous one unchanged.
func (d *Dir) Write(name string, b []byte) (err error) {
	p, err := d.Create(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Cleanup()) }()
	if _, err := p.Write(b); err != nil {
		return err
	}
	return p.CloseAtomicallyReplace()
}
