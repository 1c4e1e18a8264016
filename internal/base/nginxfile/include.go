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
			return nil, fail(d.File, d.Line, "include of %s: %s", name, reason(err))
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
	abs, err := absolute(dir)
	if err != nil {
		return homes, ""
	}
	up := path.Join(dir, "..")
	for _, home := range []string{up, path.Join(up, "..")} {
		homes = append(homes, home)
		if _, err := os.Stat(path.Join(home, "nginx.conf")); err == nil {
			return homes, path.Join(home, "nginx.conf")
		}
	}
	known := 1
	for known < len(homes) && partDirs.MatchString(path.Base(abs)) {
		known, abs = known+1, path.Dir(abs)
	}
	return homes[:known], ""
}

// find returns the files of an include: where nginx looks, else where a copy of the configuration has them.
func (l *loader) find(pattern string) []string {
	if isAbs(pattern) {
		if names := l.from.Find(pattern); len(names) > 0 {
			return names
		}
		return l.moved(pattern)
	}
	for i, home := range l.homes {
		if names := l.from.Find(path.Join(home, pattern)); len(names) > 0 {
			if i > 0 {
				l.note(l.homes[0], home)
			}
			return names
		}
		if name := path.Join(home, pattern); l.linkTarget(name) != "" { // it leads nowhere; read looks further
			return []string{name}
		}
	}
	return nil
}

// read reads a file; a link whose target is absent is followed as an include of that target.
func (l *loader) read(name string) ([]byte, error) {
	data, err := l.from.Read(name, MostBytes-l.bytes)
	target := l.linkTarget(name)
	if !errors.Is(err, fs.ErrNotExist) || !isAbs(target) {
		return data, err
	}
	for _, moved := range l.moved(target) {
		if data, err := l.from.Read(moved, MostBytes-l.bytes); err == nil {
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

// moved looks for an absolute path in a copy of the configuration. A path below one of the usual homes is
// looked for beside the main file. Else in the tree that the copy belongs to: beside
// REPO/etc/nginx/nginx.conf, /etc/letsencrypt/x is REPO/etc/letsencrypt/x. Then below the main file's
// directory by the path's last parts, the most of them first.
func (l *loader) moved(pattern string) []string {
	main := l.homes[0]
	if l.dump || slices.Contains(usualHomes, main) {
		return nil
	}
	for _, usual := range usualHomes {
		if rest, ok := strings.CutPrefix(pattern, usual+"/"); ok {
			for _, home := range l.homes {
				if names := l.tried(usual, home, rest); names != nil {
					return names
				}
			}
			if isPattern(pattern) {
				return nil
			}
		}
	}
	parts := strings.Split(strings.Trim(filepath.ToSlash(pattern), "/"), "/")
	for _, root := range roots(main, parts[0]) {
		if names := l.tried("/", root, parts...); names != nil {
			return names
		}
	}
	for _, home := range l.homes {
		for from := 1; from < len(parts); from++ {
			rest := parts[from:]
			// A pattern without a directory would match the main file and its neighbours.
			if isPattern(pattern) && len(rest) == 1 {
				break
			}
			if names := l.tried("/"+strings.Join(parts[:from], "/"), home, rest...); names != nil {
				return names
			}
		}
	}
	return nil
}

// tried finds a pattern below home. Files that another include brought are not those of this one.
func (l *loader) tried(was, home string, rest ...string) []string {
	names := l.from.Find(path.Join(append([]string{home}, rest...)...))
	if isPattern(rest[len(rest)-1]) && slices.ContainsFunc(names, func(name string) bool { return l.Data[name] != nil }) {
		return nil
	}
	if len(names) > 0 {
		l.note(was, home)
	}
	return names
}

func (l *loader) note(from, to string) {
	if m := (Move{from, to}); !slices.Contains(l.Moved, m) {
		l.Moved = append(l.Moved, m)
	}
}

// roots are the directories of a copy that may stand for /: the one above the part of dir that is called name, and for
// IMAGE/etc/nginx, which ends as a usual home does, IMAGE.
func roots(dir, name string) (out []string) {
	abs, err := absolute(dir)
	if err != nil {
		return nil
	}
	up := func(levels int) { out = append(out, path.Join(dir, strings.Repeat("../", levels))) }
	parts := strings.Split(abs, "/")
	for i := len(parts) - 1; i > 1; i-- {
		if parts[i] == name {
			up(len(parts) - i)
			break
		}
	}
	for _, usual := range usualHomes {
		if root, ok := strings.CutSuffix(abs, usual); ok && root != "" {
			up(strings.Count(usual, "/"))
			break
		}
	}
	return out
}
