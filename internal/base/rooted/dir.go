// Package rooted reads and writes the files of one directory, such as a run's, that may come from
// an untrusted source: it accesses nothing outside of it (os.Root), follows no symbolic link in it,
// and reads only regular files, up to a size that the caller sets. It writes a file under another
// name, syncs it and renames it, so that no half file appears.
package rooted

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
)

// Dir is an open directory. Names in it are relative and use slashes.
type Dir struct {
	root *os.Root
	path string
}

// Open opens an existing directory. path itself may be a symbolic link, as results/latest is; names
// below it may not.
func Open(path string) (*Dir, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() { // opening a named pipe would wait for its writer
		return nil, &fs.PathError{Op: "open", Path: path, Err: syscall.ENOTDIR}
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	return &Dir{root, path}, nil
}

// Make opens a directory and creates it, with its parents, when it doesn't exist.
func Make(path string) (*Dir, error) {
	if err := os.MkdirAll(path, 0o755); err != nil {
		return nil, err
	}
	return Open(path)
}

// Close closes the directory.
func (d *Dir) Close() error { return d.root.Close() }

// Path is the path given to Open, or that of a file in the directory.
func (d *Dir) Path(name ...string) string {
	return filepath.Join(append([]string{d.path}, name...)...)
}

var element = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$`)

// Element rejects a name that isn't one plain path element: a letter or digit first, then also dot,
// hyphen and underscore.
func Element(name string) error {
	if !element.MatchString(name) {
		return fmt.Errorf("%.120q can't name a file: it must be one word of letters, digits, dot, hyphen and "+
			"underscore", name)
	}
	return nil
}

// LinkError means that a name in the directory is a symbolic link.
type LinkError struct{ Path string }

func (e *LinkError) Error() string {
	return fmt.Sprintf("%s is a symbolic link, and links in a run's directory are not followed; put the file "+
		"itself there (ls -l %s)", e.Path, e.Path)
}

// plain rejects names that lead out of the directory or through a link.
func (d *Dir) plain(name string) error {
	if !filepath.IsLocal(name) || strings.Contains(name, `\`) {
		return fmt.Errorf("%.120q lies outside of %s: give a path below it", name, d.path)
	}
	at := ""
	for _, part := range strings.Split(path.Clean(filepath.ToSlash(name)), "/") {
		at = path.Join(at, part)
		info, err := d.root.Lstat(at)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // nothing there to follow
		}
		if err != nil {
			return fmt.Errorf("%s: %w", d.Path(at), cause(err))
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			return &LinkError{d.Path(at)}
		}
	}
	return nil
}

// cause is an error without the path that os.Root adds, which lacks the directory.
func cause(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// Read reads a regular file of at most that many bytes.
func (d *Dir) Read(name string, most int64) ([]byte, error) {
	if err := d.plain(name); err != nil {
		return nil, err
	}
	// Without O_NONBLOCK, opening a named pipe without a writer would block (fifo(7)).
	f, err := d.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		if info, again := d.root.Lstat(name); again == nil && !info.Mode().IsRegular() {
			return nil, notRegular(d.Path(name), info.Mode())
		}
		return nil, &fs.PathError{Op: "open", Path: d.Path(name), Err: cause(err)}
	}
	defer f.Close() //nolint:errcheck // opened for reading only
	return readRegular(f, d.Path(name), most)
}

// ReadFile is Read for a file outside of a Dir; it may be a link.
func ReadFile(path string, most int64) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // opened for reading only
	return readRegular(f, path, most)
}

func readRegular(f *os.File, path string, most int64) ([]byte, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, notRegular(path, info.Mode())
	}
	if info.Size() > most {
		return nil, tooLarge(path, most)
	}
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(data)) > most {
		err = tooLarge(path, most)
	}
	return data, err
}

func tooLarge(path string, most int64) error {
	return fmt.Errorf("%s has more than the %d MB that are read (ls -l %s)", path, most>>20, path)
}

func notRegular(path string, mode fs.FileMode) error {
	what := "no regular file"
	for _, k := range []struct {
		bit  fs.FileMode
		name string
	}{{fs.ModeDir, "a directory"}, {fs.ModeNamedPipe, "a named pipe"}, {fs.ModeSocket, "a socket"},
		{fs.ModeDevice, "a device"}} {
		if mode&k.bit != 0 {
			what = k.name
			break
		}
	}
	return fmt.Errorf("%s is %s, and only regular files are read (ls -ld %s)", path, what, path)
}

// Files are the names of all regular files, sorted. A link, or anything else that is neither file
// nor directory, is an error.
func (d *Dir) Files() ([]string, error) {
	var out []string
	err := fs.WalkDir(d.root.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w", d.Path(name), cause(err))
		case e.IsDir():
			return nil
		case e.Type()&fs.ModeSymlink != 0:
			return &LinkError{d.Path(name)}
		case !e.Type().IsRegular():
			return notRegular(d.Path(name), e.Type())
		}
		out = append(out, name)
		return nil
	})
	return out, err
}

// Remove removes one element of the directory with all its contents.
func (d *Dir) Remove(name string) error {
	if err := Element(name); err != nil {
		return err
	}
	return d.root.RemoveAll(name) // RemoveAll removes a link and doesn't follow it
}

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
func (d *Dir) Create(name string) (*Pending, error) {
	if err := d.plain(name); err != nil {
		return nil, err
	}
	if err := d.root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return nil, err
	}
	return d.begin(name, 0o644)
}

func (d *Dir) begin(name string, perm fs.FileMode) (*Pending, error) {
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

// CreateFile is Create for a file outside of a Dir. A link of that name is replaced by the file, and not followed.
func CreateFile(path string, perm fs.FileMode) (*Pending, error) {
	d, err := Open(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	p, err := d.begin(filepath.Base(path), perm)
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	p.own = true
	return p, nil
}

// CreateLog begins a log that is read while it grows, in place of what has its name: a link is not followed.
func CreateLog(path string) (*os.File, error) {
	if info, err := os.Lstat(path); err == nil && !info.IsDir() {
		if err := os.Remove(path); err != nil {
			return nil, err
		}
	}
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
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
