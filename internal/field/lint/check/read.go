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
		out = append(out, lint.File{Name: name, Data: data})
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
		return "", fmt.Errorf("lint: the directory %s has no %s: name the file", path, strings.Join(looked, ", "))
	}
	return "", fmt.Errorf("lint: the directory %s has %s: name the one you mean", path, strings.Join(found, " and "))
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
