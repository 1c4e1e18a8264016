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
)

// usualHomes are where packages install nginx.conf, OpenResty, Angie and Tengine. A main file in one of
// them is the running one: nothing is looked for elsewhere.
var usualHomes = []string{"/etc/nginx", "/usr/local/nginx/conf", "/usr/local/etc/nginx", "/opt/homebrew/etc/nginx",
	"/usr/local/openresty/nginx/conf", "/etc/openresty", "/etc/angie", "/etc/tengine", "/opt/bitnami/nginx/conf",
	"/config/nginx"}

// Installed reports whether a main file lies where a package installs it.
func Installed(name string) bool { return slices.Contains(usualHomes, dirOf(name)) }

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
	if l.dump || Installed(path.Join(main, "nginx.conf")) {
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
	for _, root := range slices.Concat(rootOf(main, parts[0]), rootOfHome(main)) {
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

// rootOf is the directory above the part of dir that is called name; none when that is the machine's own.
func rootOf(dir, name string) []string {
	abs, err := absolute(dir)
	if err != nil {
		return nil
	}
	parts := strings.Split(abs, "/")
	for i := len(parts) - 1; i > 1; i-- {
		if parts[i] == name {
			return []string{relativeTo(dir, strings.Join(parts[:i], "/")+"/")}
		}
	}
	return nil
}

// rootOfHome is the copy's own root when dir ends as a usual home does: IMAGE for IMAGE/etc/nginx.
func rootOfHome(dir string) []string {
	abs, err := absolute(dir)
	if err != nil {
		return nil
	}
	for _, usual := range usualHomes {
		if root, ok := strings.CutSuffix(abs, usual); ok && root != "" {
			return []string{relativeTo(dir, root+"/")}
		}
	}
	return nil
}

// relativeTo names root from the working directory when dir is named so too.
func relativeTo(dir, root string) string {
	if isAbs(dir) {
		return root
	}
	here, err := filepath.Abs(".")
	if err != nil {
		return root
	}
	rel, err := filepath.Rel(here, root)
	if err != nil {
		return root
	}
	return filepath.ToSlash(rel)
}
