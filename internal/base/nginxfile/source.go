package nginxfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Source provides included files.
type Source interface {
	// Find returns the files that a path or a pattern matches, in nginx's order.
	Find(pattern string) []string
	// Read returns a file's content, or an error when it has more than most bytes.
	Read(name string, most int64) ([]byte, error)
}

// Disk reads files from disk.
type Disk struct{}

// Find implements Source.
func (Disk) Find(pattern string) []string {
	if !isPattern(pattern) {
		if _, err := os.Stat(pattern); err != nil {
			return nil
		}
		return []string{pattern}
	}
	found, err := filepath.Glob(pattern)
	if err != nil {
		return nil
	}
	for i, name := range found {
		found[i] = filepath.ToSlash(name)
	}
	return slices.DeleteFunc(found, func(name string) bool { return hidden(pattern, name) })
}

// Overlay is the disk with other contents for some files, by their real names (RealName).
type Overlay struct {
	Disk
	Data map[string][]byte
}

// Read implements Source.
func (o Overlay) Read(name string, most int64) ([]byte, error) {
	if data, changed := o.Data[RealName(name)]; changed {
		return data, nil
	}
	return o.Disk.Read(name, most)
}

// RealName is the absolute name of a file behind all links; name itself when there is none.
func RealName(name string) string {
	real, err := filepath.EvalSymlinks(name)
	if err != nil {
		return name
	}
	if abs, err := filepath.Abs(real); err == nil {
		return abs
	}
	return real
}

// Read implements Source.
func (Disk) Read(name string, most int64) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(data)) > most {
		err = fmt.Errorf("the files together are larger than %d MiB", MostBytes>>20)
	}
	return data, err
}

// Find implements Source.
func (d Dump) Find(pattern string) []string {
	if _, ok := d.files[pattern]; ok {
		return []string{pattern}
	}
	var out []string
	if isPattern(pattern) {
		for _, name := range d.order {
			if ok, err := path.Match(pattern, name); err == nil && ok && !hidden(pattern, name) {
				out = append(out, name)
			}
		}
		slices.Sort(out) // glob(3) sorts too
	}
	return out
}

// Read implements Source.
func (d Dump) Read(name string, _ int64) ([]byte, error) {
	data, ok := d.files[name]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return data, nil
}

// nginx writes names with slashes, on Windows too, and a dump may come from another system. So names of
// included files have slashes here, and a name that begins with one is absolute.

func isAbs(name string) bool { return path.IsAbs(name) || filepath.IsAbs(name) }

func dirOf(name string) string { return path.Dir(filepath.ToSlash(name)) }

func absolute(name string) (string, error) {
	abs, err := filepath.Abs(name)
	return filepath.ToSlash(abs), err
}

// isPattern has the condition under which ngx_conf_include calls glob(3).
func isPattern(s string) bool { return strings.ContainsAny(s, "*?[") }

// hidden reports whether glob(3) omits a file: a pattern must begin with a dot to match a leading
// dot.
func hidden(pattern, name string) bool {
	return strings.HasPrefix(path.Base(filepath.ToSlash(name)), ".") &&
		!strings.HasPrefix(path.Base(filepath.ToSlash(pattern)), ".")
}
