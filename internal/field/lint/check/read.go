package check

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"h2lab/internal/base/await"
	"h2lab/internal/field/lint"
	"h2lab/internal/field/lint/unsupported"
)

// usualNames are the usual names of each kind's main file, which read looks for in a directory.
var usualNames = []struct{ kind, name string }{
	{lint.Nginx, "nginx.conf"},
	{lint.Envoy, "envoy.yaml"}, {lint.Envoy, "envoy.json"},
	{lint.HAProxy, "haproxy.cfg"},
	{lint.Traefik, "traefik.yml"}, {lint.Traefik, "traefik.yaml"}, {lint.Traefik, "traefik.toml"},
	{lint.Ingress, "values.yaml"},
}

// read reads the named files. It accepts pipes, so that <(nginx -T) works, and rejects what is too
// large for a configuration.
func read(ctx context.Context, paths []string, kind string) ([]lint.File, error) {
	var out []lint.File
	for _, path := range paths {
		name, err := mainFile(path, kind)
		if err != nil {
			return nil, err
		}
		data, err := readBounded(ctx, name)
		if err != nil {
			return nil, err
		}
		if int64(len(data)) > lint.MostBytes {
			return nil, fmt.Errorf("lint: %s is larger than %d MiB, which is no configuration: name the "+
				"configuration file itself", name, lint.MostBytes>>20)
		}
		if strings.TrimSpace(string(data)) == "" {
			return nil, fmt.Errorf("lint: %s is empty: there is no configuration in it%s", name, emptyHint(name))
		}
		f := lint.File{Name: name, Data: pasted(data)}
		if err := unsupported.Packed(f); err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
}

func emptyHint(name string) string {
	if name == "-" {
		return "; pipe one in: nginx -vT 2>&1 | h2lab lint -"
	}
	return "; name the right file"
}

// mainFile is the file that a path means: the path itself, or a directory's main file.
func mainFile(path, kind string) (string, error) {
	if path == "-" {
		return path, nil
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("lint: %s doesn't exist: give a configuration file, its directory, or -", path)
	case err != nil:
		return "", fmt.Errorf("lint: %w", err)
	case !info.IsDir():
		return path, nil
	}
	var found, looked []string
	for _, u := range usualNames {
		if kind != "" && kind != u.kind {
			continue
		}
		looked = append(looked, u.name)
		if info, err := os.Stat(filepath.Join(path, u.name)); err == nil && !info.IsDir() {
			found = append(found, u.name)
		}
	}
	slices.Sort(looked)
	switch len(found) {
	case 1:
		return filepath.Join(path, found[0]), nil
	case 0:
		return "", fmt.Errorf("lint: the directory %s has no %s: %s", path, strings.Join(looked, ", "), nameOf(path))
	}
	return "", fmt.Errorf("lint: the directory %s has %s: name the one you mean", path, strings.Join(found, " and "))
}

// mostNamed bounds the files that an error lists.
const mostNamed = 5

// deepest is how many directories below the named one are looked into.
const deepest = 2

// mainsBelow are the main files in the directories below dir; at is the way there.
func mainsBelow(dir, at string, entries []fs.DirEntry) []string {
	if strings.Count(at, "/") >= deepest {
		return nil
	}
	var out []string
	for _, e := range entries {
		if !e.IsDir() || strings.HasPrefix(e.Name(), ".") || len(out) > mostNamed {
			continue
		}
		below, err := os.ReadDir(filepath.Join(dir, at, e.Name()))
		if err != nil {
			continue
		}
		for _, b := range below {
			if !b.IsDir() && slices.ContainsFunc(usualNames, func(u struct{ kind, name string }) bool { return u.name == b.Name() }) {
				out = append(out, at+e.Name()+"/"+b.Name())
			}
		}
		out = append(out, mainsBelow(dir, at+e.Name()+"/", below)...)
	}
	return out
}

// nameOf says which file of a directory without a main file to name: those that may be configurations.
func nameOf(dir string) string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "name the file"
	}
	var may []string
	for _, e := range entries {
		if slices.Contains([]string{".conf", ".cfg", ".yaml", ".yml", ".toml", ".json"}, filepath.Ext(e.Name())) &&
			e.Name() != "Chart.yaml" {
			may = append(may, e.Name())
		}
	}
	may = append(may, mainsBelow(dir, "", entries)...)
	switch {
	case len(may) == 0:
		return "name the file"
	case len(may) > mostNamed:
		may = append(may[:mostNamed], "…")
	}
	return "name the file, such as " + strings.Join(may, ", ")
}

// readBounded reads at most one byte more than a configuration may have.
func readBounded(ctx context.Context, name string) ([]byte, error) {
	data, err := await.Read(ctx, name, lint.MostBytes+1)
	switch {
	case err == nil, ctx.Err() != nil:
		return data, err
	case errors.Is(err, fs.ErrPermission):
		return nil, fmt.Errorf("lint: %s can't be read: permission denied; run it as a user who may", name)
	}
	return nil, fmt.Errorf("lint: %s can't be read: %w", name, err)
}
