package nginxfile

import (
	"bytes"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"h2lab/internal/base/rooted"
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
func (Disk) Read(name string, most int64) ([]byte, error) { return rooted.ReadFile(name, most) }

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

// marker is the line that ngx_dump_config (src/core/nginx.c) writes before each file. messages are
// the lines that nginx itself prints before the dump, with -v, -V and 2>&1.
var (
	marker   = regexp.MustCompile(`^# configuration file (.+):\r?$`)
	messages = regexp.MustCompile(`^(nginx: |nginx version: |built |TLS SNI |configure ` +
		`arguments:|\d{4}/\d\d/\d\d \d\d:\d\d:\d\d \[)`)
	named = regexp.MustCompile(`^nginx version: (\S+)`)
)

// Dump is the output of `nginx -T`, file by file.
type Dump struct {
	Version string // "nginx/1.22.1"; "" when the dump doesn't have it
	order   []string
	files   map[string][]byte
}

// Files are the files in the order in which nginx read them, the main one first.
func (d Dump) Files() []File {
	var out []File
	for _, name := range d.order {
		out = append(out, File{Name: name, Data: d.files[name]})
	}
	return out
}

// Undump parses the output of `nginx -T`. ok is false for other text: in a dump, marker is the
// first line that isn't a message of nginx.
func Undump(data []byte) (d Dump, ok bool) {
	d.files = map[string][]byte{}
	current := ""
	for len(data) > 0 {
		line, rest, _ := bytes.Cut(data, []byte("\n"))
		whole := data[:len(data)-len(rest)]
		data = rest
		if m := marker.FindSubmatch(line); m != nil {
			current = string(m[1])
			if _, again := d.files[current]; !again && len(d.order) == mostIncludes {
				return Dump{}, false // no real configuration has so many files
			} else if !again {
				d.order = append(d.order, current)
			}
			d.files[current] = []byte{}
			continue
		}
		if current != "" {
			d.files[current] = append(d.files[current], whole...)
			continue
		}
		if m := named.FindSubmatch(line); m != nil {
			d.Version = string(m[1])
		}
		if len(bytes.TrimSpace(line)) > 0 && !messages.Match(line) {
			return Dump{}, false
		}
	}
	return d, current != ""
}

// Messages reports whether a text begins with a line that nginx prints before its configuration.
func Messages(data []byte) bool { return messages.Match(data) }

// OnlyMessages is an error for output of nginx without a configuration. It quotes the last message.
func OnlyMessages(f File) error {
	var last string
	for line := range strings.Lines(string(f.Data)) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if !messages.MatchString(line) {
			return nil
		}
		last = line
	}
	if last == "" {
		return fail(f.Name, 0, "empty: there is no configuration in it")
	}
	return fail(f.Name, 0, "only messages of nginx and no configuration, which `nginx -T` prints when the test succeeds; the "+
		"last one: %s", clip(last))
}
