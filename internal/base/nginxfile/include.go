package nginxfile

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
)

// Bounds of including. If thirty files each include the next one twice, the last would be read a
// billion times; and a pattern is matched against every file of a dump.
const (
	mostIncludes = 10_000
	mostPatterns = 1_000
)

// usualHomes are where packages install nginx.conf. In a copy of such a configuration, an absolute
// include below one of them is looked for beside the main file.
var usualHomes = []string{"/etc/nginx/", "/usr/local/nginx/conf/", "/usr/local/etc/nginx/",
	"/opt/homebrew/etc/nginx/", "/usr/local/openresty/nginx/conf/"}

// Tree is a configuration with all its includes.
type Tree struct {
	Top     []*Directive
	Files   []string
	Absent  []*Directive // includes of a missing file
	Nothing []*Directive // patterns that match nothing
	Moved   []string     // usual homes whose files were looked for beside the main file
}

// loader reads a Tree.
type loader struct {
	Tree
	from     Source
	home     string // directory of the main file; relative includes start there
	includes int
	patterns int
	seen     map[string]bool
	bytes    int64
	left     int
}

// Load parses the main file, whose data the caller has read, and reads the files it includes.
func Load(from Source, f File) (*Tree, error) {
	l := &loader{from: from, home: filepath.Dir(f.Name), left: mostDirectives, seen: map[string]bool{}}
	var err error
	l.Top, err = l.file(f, nil)
	return &l.Tree, err
}

func (l *loader) file(f File, within []string) ([]*Directive, error) {
	if l.bytes += int64(len(f.Data)); l.bytes > MostBytes {
		return nil, &Error{
			File: f.Name,
			What: fmt.Sprintf("too large: all files together may have %d MiB", MostBytes>>20),
		}
	}
	if !l.seen[f.Name] {
		l.seen[f.Name] = true
		l.Files = append(l.Files, f.Name)
	}
	top, err := parse(f, &l.left)
	if err != nil {
		return nil, err
	}
	return l.expand(top, nil, append(slices.Clone(within), f.Name))
}

// expand replaces each include, in every block, by the included directives.
func (l *loader) expand(list []*Directive, parent *Directive, within []string) ([]*Directive, error) {
	var out []*Directive
	for _, d := range list {
		d.Parent = parent
		if d.Name == "include" && !d.HasBlock && len(d.Args) == 1 {
			brought, err := l.include(d, within)
			if err != nil {
				return nil, err
			}
			for _, b := range brought {
				b.Parent = parent
			}
			out = append(out, brought...)
			continue
		}
		if len(d.Block) > 0 {
			inner, err := l.expand(d.Block, d, within)
			if err != nil {
				return nil, err
			}
			d.Block = inner
		}
		out = append(out, d)
	}
	return out, nil
}

// include reads the files of one include directive.
func (l *loader) include(d *Directive, within []string) ([]*Directive, error) {
	pattern := d.Arg(0)
	if !filepath.IsAbs(pattern) {
		pattern = filepath.Join(l.home, pattern)
	}
	if isPattern(pattern) {
		if l.patterns++; l.patterns > mostPatterns {
			return nil, &Error{
				File: d.File,
				Line: d.Line,
				What: fmt.Sprintf("more than %d includes with a pattern", mostPatterns),
			}
		}
	}
	names := l.from.Find(pattern)
	if len(names) == 0 {
		names = l.beside(pattern)
	}
	if len(names) == 0 {
		if isPattern(pattern) {
			l.Nothing = append(l.Nothing, d)
		} else {
			l.Absent = append(l.Absent, d)
		}
		return nil, nil
	}
	var out []*Directive
	for _, name := range names {
		if slices.Contains(within, name) {
			return nil, &Error{
				File: d.File,
				Line: d.Line,
				What: fmt.Sprintf("include of %s, which is being read: it includes itself", name),
			}
		}
		if l.includes++; l.includes > mostIncludes || len(within) > deepestBlock {
			return nil, &Error{
				File: d.File,
				Line: d.Line,
				What: fmt.Sprintf("too many includes: more than %d files, or %d within each other", mostIncludes,
					deepestBlock),
			}
		}
		data, err := l.from.Read(name, MostBytes-l.bytes)
		if err != nil {
			return nil, &Error{File: d.File, Line: d.Line, What: fmt.Sprintf("include of %s: %s", name, reason(err))}
		}
		brought, err := l.file(File{Name: name, Data: data}, within)
		if err != nil {
			return nil, err
		}
		out = append(out, brought...)
	}
	return out, nil
}

// beside looks for a file of a usual home beside the main file.
func (l *loader) beside(pattern string) []string {
	for _, home := range usualHomes {
		rest, ok := strings.CutPrefix(pattern, home)
		if !ok || filepath.Clean(home) == l.home {
			continue
		}
		if names := l.from.Find(filepath.Join(l.home, rest)); len(names) > 0 {
			if !slices.Contains(l.Moved, home) {
				l.Moved = append(l.Moved, home)
			}
			return names
		}
	}
	return nil
}

// reason is a file system error without its path, which the message already has.
func reason(err error) string {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err.Error()
	}
	return err.Error()
}
