package nginxfile

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

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
	changed  map[string][]byte
	dump     bool     // from has exactly the files that nginx read
	homes    []string // where relative includes start: the main file's directory; of a fragment, those above too
	includes int
	patterns int
	bytes    int64
	left     int
}

// Load parses the main file, whose data the caller has read, and reads the files it includes. changed has other contents
// for some files, by their real names (RealName), or by those in a dump.
func Load(from Source, f File, changed map[string][]byte) (*Tree, error) {
	l := &loader{from: from, changed: changed, homes: []string{dirOf(f.Name)}, left: mostDirectives}
	_, l.dump = from.(Dump)
	l.Data, l.Real = map[string][]byte{}, map[string]string{}
	if data, is := l.change(f.Name); is && f.Name != "-" {
		f.Data = data
	}
	var err error
	l.Top, err = l.file(f, nil, nil)
	return &l.Tree, err
}

func (l *loader) change(name string) ([]byte, bool) {
	if !l.dump && len(l.changed) > 0 {
		name = RealName(name)
	}
	data, is := l.changed[name]
	return data, is
}

// file reads one file, whose directives are those of the block parent; nil at the top.
func (l *loader) file(f File, parent *Directive, within []string) ([]*Directive, error) {
	if l.bytes += int64(len(f.Data)); l.bytes > MostBytes {
		return nil, fail(f.Name, 0, "too large: all files together may have %d MiB", MostBytes>>20)
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
			return nil, fail(d.File, d.Line, "more than %d includes with a pattern", mostPatterns)
		}
	}
	names := l.find(l.candidates(pattern))
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
			return nil, fail(d.File, d.Line, "include of %s, which is being read: it includes itself", name)
		}
		if l.includes++; l.includes > mostIncludes || len(within) > deepestBlock {
			return nil, fail(d.File, d.Line, "too many includes: more than %d files, or %d within each other", mostIncludes, deepestBlock)
		}
		data, err := l.read(name)
		switch {
		case errors.Is(err, fs.ErrNotExist), system.LinkLoop.Is(err):
			l.Absent = append(l.Absent, Missing{At: d, Path: name, Link: l.linkTarget(name)})
			continue
		case err != nil:
			return nil, fail(d.File, d.Line, "include of %s: %s", name, strings.TrimPrefix(err.Error(), "open "+name+": "))
		}
		brought, err := l.file(File{Name: name, Data: data}, d.Parent, within)
		if err != nil {
			return nil, err
		}
		out = append(out, brought...)
	}
	return out, nil
}

// usualHomes are where packages install nginx.conf, OpenResty, Angie and Tengine. A main file in one of
// them is the running one: nothing is looked for elsewhere.
var usualHomes = []string{"/etc/nginx", "/usr/local/nginx/conf", "/usr/local/etc/nginx", "/opt/homebrew/etc/nginx",
	"/usr/local/openresty/nginx/conf", "/etc/openresty", "/etc/angie", "/etc/tengine", "/opt/bitnami/nginx/conf",
	"/config/nginx"}

// Move is an include of a copied configuration: From is the directory that it names, To the one where
// its files were found.
type Move struct{ From, To string }

// IsFragment reports whether a file is meant to be included in an http block: it has no directive that
// only a main file may have.
func IsFragment(top []*Directive) bool {
	return !slices.ContainsFunc(top, func(d *Directive) bool {
		return slices.Contains([]string{"http", "events", "stream", "mail", "user", "worker_processes", "pid"}, d.Name)
	})
}

// partDirs are the directories of a configuration whose files the main file, one above, includes.
var partDirs = regexp.MustCompile(`^(sites?|servers?|vhosts?|streams?|http|conf|confs|default|includes?|snippets|proxy|` +
	`modules)([-_.](available|enabled|confs?|d))?$`)

// above is a fragment's directory and those above it that its includes may start from: conf.d/x names
// them from the directory of nginx.conf. main is that nginx.conf; "" when there is none two directories up.
func above(dir string) (homes []string, main string) {
	homes = []string{dir}
	for range 2 {
		home := path.Join(homes[len(homes)-1], "..")
		homes = append(homes, home)
		if _, err := os.Stat(path.Join(home, "nginx.conf")); err == nil {
			return homes, path.Join(home, "nginx.conf")
		}
	}
	known := 1
	for abs, err := absolute(dir); err == nil && known < len(homes) && partDirs.MatchString(path.Base(abs)); known++ {
		abs = path.Dir(abs)
	}
	return homes[:known], ""
}

// candidate is where files of an include may be; those that it names as was stand below to.
type candidate struct{ path, was, to string }

// candidates are where an include's files may be: where nginx looks, then where a copy of the configuration has them. A
// path below one of the usual homes is looked for beside the main file. Else the directories above it may stand for /:
// beside REPO/etc/nginx/nginx.conf, /etc/letsencrypt/x is REPO/etc/letsencrypt/x. Then below the main file's directory
// by the path's last parts, the most of them first.
func (l *loader) candidates(pattern string) (out []candidate) {
	if !isAbs(pattern) {
		for _, home := range l.homes {
			out = append(out, candidate{path.Join(home, pattern), l.homes[0], home})
		}
		return out
	}
	out = []candidate{{path: pattern}}
	if l.dump || slices.Contains(usualHomes, l.homes[0]) {
		return out
	}
	for _, usual := range usualHomes {
		if rest, ok := strings.CutPrefix(pattern, usual+"/"); ok {
			for _, home := range l.homes {
				out = append(out, candidate{path.Join(home, rest), usual, home})
			}
			if isPattern(pattern) {
				return out
			}
		}
	}
	if above, err := absolute(l.homes[0]); err == nil {
		for up := path.Dir(above); len(out) < mostCandidates && path.Dir(up) != up; up = path.Dir(up) {
			out = append(out, candidate{path.Join(up, pattern), "/", up})
		}
	}
	parts := strings.Split(strings.Trim(filepath.ToSlash(pattern), "/"), "/")
	for _, home := range l.homes {
		for from := 1; from < len(parts); from++ {
			if isPattern(pattern) && from == len(parts)-1 {
				break // without a directory it would match the main file and its neighbours
			}
			was := "/" + strings.Join(parts[:from], "/")
			out = append(out, candidate{path.Join(home, strings.Join(parts[from:], "/")), was, home})
		}
	}
	return out
}

// mostCandidates bounds the directories above a main file that may stand for /.
const mostCandidates = 12

// find returns the files of the first candidate that has some. Files that another include brought are not those of a
// pattern that is looked for elsewhere.
func (l *loader) find(all []candidate) []string {
	for _, c := range all {
		names := l.from.Find(c.path)
		if c.was != c.to && isPattern(path.Base(c.path)) &&
			slices.ContainsFunc(names, func(name string) bool { return l.Data[name] != nil }) {
			continue
		}
		if len(names) == 0 && l.linkTarget(c.path) != "" { // it leads nowhere; read looks further
			return []string{c.path}
		}
		if len(names) > 0 {
			if m := (Move{c.was, c.to}); c.was != c.to && !slices.Contains(l.Moved, m) {
				l.Moved = append(l.Moved, m)
			}
			return names
		}
	}
	return nil
}

// read reads a file; a link whose target is absent is followed as an include of that target.
func (l *loader) read(name string) ([]byte, error) {
	if data, is := l.change(name); is {
		return data, nil
	}
	data, err := l.from.Read(name, MostBytes-l.bytes)
	target := l.linkTarget(name)
	if !errors.Is(err, fs.ErrNotExist) || !isAbs(target) {
		return data, err
	}
	for _, moved := range l.find(l.candidates(target)[1:]) {
		if data, err := l.read(moved); err == nil {
			l.Real[name] = moved
			return data, nil
		}
	}
	return data, err
}

// linkTarget is what a symbolic link says; "" for anything else, and in a dump. Links in repositories may end in
// a line break, which an editor added to the text that git keeps of them.
func (l *loader) linkTarget(name string) string {
	if l.dump {
		return ""
	}
	target, err := os.Readlink(name)
	if err != nil {
		return ""
	}
	return filepath.ToSlash(strings.TrimRight(target, "\r\n"))
}
