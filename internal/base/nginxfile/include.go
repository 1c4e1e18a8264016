package nginxfile

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"h2lab/internal/base/system"
)

// Bounds of including. If thirty files each include the next one twice, the last would be read a
// billion times; and a pattern is matched against every file of a dump.
const (
	mostIncludes = 10_000
	mostPatterns = 1_000
)

// Tree is a configuration with all its includes.
type Tree struct {
	Top     []*Directive
	Files   []string
	Data    map[string][]byte // what was read, by file
	Real    map[string]string // where a file was read that a dangling link names
	Absent  []Missing         // includes of a missing file
	Nothing []*Directive      // patterns that match nothing
	Moved   []Move            // includes that were read elsewhere
	Main    string            // of a fragment: the nginx.conf above it; "" when there is none
}

// Missing is an include of a file that isn't there. Link is the target of a link that leads nowhere.
type Missing struct {
	At         *Directive
	Path, Link string
}

// loader reads a Tree.
type loader struct {
	Tree
	from     Source
	dump     bool     // from has exactly the files that nginx read
	homes    []string // where relative includes start: the main file's directory; of a fragment, those above too
	includes int
	patterns int
	bytes    int64
	left     int
}

// Load parses the main file, whose data the caller has read, and reads the files it includes.
func Load(from Source, f File) (*Tree, error) {
	l := &loader{from: from, homes: []string{dirOf(f.Name)}, left: mostDirectives}
	_, l.dump = from.(Dump)
	l.Data, l.Real = map[string][]byte{}, map[string]string{}
	var err error
	l.Top, err = l.file(f, nil, nil)
	return &l.Tree, err
}

// file reads one file, whose directives are those of the block parent; nil at the top.
func (l *loader) file(f File, parent *Directive, within []string) ([]*Directive, error) {
	if l.bytes += int64(len(f.Data)); l.bytes > MostBytes {
		return nil, &Error{
			File: f.Name,
			What: fmt.Sprintf("too large: all files together may have %d MiB", MostBytes>>20),
		}
	}
	if l.Data[f.Name] == nil {
		l.Data[f.Name] = f.Data
		l.Files = append(l.Files, f.Name)
	}
	top, err := parse(f, &l.left)
	if err != nil {
		return nil, err
	}
	if len(within) == 0 && !l.dump && f.Name != "-" && IsFragment(top) {
		l.homes, l.Main = above(l.homes[0])
	}
	return l.expand(top, parent, append(slices.Clone(within), f.Name))
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
	if isPattern(pattern) {
		if l.patterns++; l.patterns > mostPatterns {
			return nil, &Error{
				File: d.File,
				Line: d.Line,
				What: fmt.Sprintf("more than %d includes with a pattern", mostPatterns),
			}
		}
	}
	names := l.find(pattern)
	if len(names) == 0 {
		if isPattern(pattern) {
			l.Nothing = append(l.Nothing, d)
		} else {
			l.Absent = append(l.Absent, Missing{At: d, Path: pattern})
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
		data, err := l.read(name)
		switch {
		case errors.Is(err, fs.ErrNotExist), system.LinkLoop(err):
			l.Absent = append(l.Absent, Missing{At: d, Path: name, Link: l.linkTarget(name)})
			continue
		case err != nil:
			return nil, &Error{File: d.File, Line: d.Line, What: fmt.Sprintf("include of %s: %s", name, reason(err))}
		}
		brought, err := l.file(File{Name: name, Data: data}, d.Parent, within)
		if err != nil {
			return nil, err
		}
		out = append(out, brought...)
	}
	return out, nil
}

// reason is a file system error without its path, which the message already has.
func reason(err error) string {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err.Error()
	}
	return err.Error()
}
