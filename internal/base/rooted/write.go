package rooted

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// Pending is a file that gets its name only when it is complete.
type Pending struct {
	*os.File
	dir        *Dir
	name, temp string
	own        bool // dir is closed with the file
	done       bool
}

// Create begins a file in the same directory as its final name, where a rename always works, and
// creates the directories of its path.
func (d *Dir) Create(name string) (*Pending, error) { return d.create(name, 0o644) }

func (d *Dir) create(name string, perm fs.FileMode) (*Pending, error) {
	if err := d.plain(name); err != nil {
		return nil, err
	}
	if err := d.root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return nil, err
	}
	temp := temporary(name)
	f, err := d.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return nil, err
	}
	return &Pending{File: f, dir: d, name: name, temp: temp}, nil
}

// temporary is a free name beside the final one.
func temporary(name string) string {
	return path.Join(path.Dir(name), "."+path.Base(name)+"."+rand.Text()[:12])
}

// CreateFile is Create for a file outside of a Dir. Where the path is a link, the file behind it is
// replaced.
func CreateFile(path string, perm fs.FileMode) (*Pending, error) {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	d, err := Open(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	p, err := d.create(filepath.Base(path), perm)
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	p.own = true
	return p, nil
}

// WriteFile writes a whole file, or leaves the previous one unchanged.
func WriteFile(path string, b []byte) error {
	p, err := CreateFile(path, 0o644)
	if err != nil {
		return err
	}
	return p.complete(b)
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
	err := p.dir.sync(path.Dir(p.name))
	return errors.Join(err, p.leave())
}

// Cleanup removes the temporary file unless it was renamed.
func (p *Pending) Cleanup() error {
	if p.done {
		return nil
	}
	p.done = true
	_ = p.Close() // it may be closed already
	err := p.dir.root.Remove(p.temp)
	if err != nil { // file systems without FileDispositionInformationEx, and wine: os.Root can't remove there
		err = os.Remove(p.dir.Path(p.temp))
	}
	return errors.Join(err, p.leave())
}

func (p *Pending) leave() error {
	if p.own {
		return p.dir.Close()
	}
	return nil
}

// complete writes the content and gives the file its name.
func (p *Pending) complete(b []byte) (err error) {
	defer func() { err = errors.Join(err, p.Cleanup()) }()
	if _, err := p.Write(b); err != nil {
		return err
	}
	return p.CloseAtomicallyReplace()
}

// Write writes a whole file, or leaves the previous one unchanged.
func (d *Dir) Write(name string, b []byte) error {
	p, err := d.Create(name)
	if err != nil {
		return err
	}
	return p.complete(b)
}

// Link makes name a symbolic link to target, in one step: a reader finds the previous one or this one.
func (d *Dir) Link(target, name string) error {
	if err := Element(name); err != nil {
		return err
	}
	temp := temporary(name)
	if err := d.root.Symlink(target, temp); err != nil {
		return err
	}
	if err := d.root.Rename(temp, name); err != nil {
		return errors.Join(err, d.root.Remove(temp))
	}
	return nil
}
