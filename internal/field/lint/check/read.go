package check

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
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
			next := "name the right file"
			if name == "-" {
				next = "pipe one in: nginx -vT 2>&1 | h2lab lint -"
			}
			return nil, fmt.Errorf("lint: %s is empty: there is no configuration in it; %s", name, next)
		}
		f := lint.File{Name: name, Data: pasted(data)}
		if err := unsupported.Packed(f); err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
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

// nameOf says which file of a directory without a main file to name: those that may be configurations, and main files up
// to two directories below.
func nameOf(dir string) string {
	var may []string
	for _, end := range []string{"conf", "cfg", "yaml", "yml", "toml", "json"} {
		found, _ := fs.Glob(os.DirFS(dir), "*."+end)
		may = append(may, slices.DeleteFunc(found, func(name string) bool { return name == "Chart.yaml" })...)
	}
	slices.Sort(may)
	for _, below := range []string{"*/", "*/*/"} {
		for _, u := range usualNames {
			found, _ := fs.Glob(os.DirFS(dir), below+u.name)
			may = append(may, slices.DeleteFunc(found, func(name string) bool { return strings.HasPrefix(name, ".") })...)
		}
	}
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

// around is what may stand before and after a pasted output: the head of a response, as curl -i prints it, and a command
// at a shell's prompt: user@host:~$ nginx -T, [user@host ~]# cat FILE, $ cat FILE. A line that begins with # is a comment
// everywhere.
var (
	head   = regexp.MustCompile(`\AHTTP/[0-9.]+ [0-9]{3}[^\n]*\n(?:[\w-]+:[^\n]*\n)*\r?\n`)
	prompt = `(?:\(\S+\) )?(?:\S+@\S+[: \t].*[#$%] ?|\[\S+@[^\]\n]*\] ?[#$%] ?|[$%] )` +
		`(?:(?:sudo|nginx|angie|openresty|cat|docker|podman|kubectl|less|more|head|tail|curl|ssh)\b.*)?[ \t\r]*`
	before = regexp.MustCompile(`\A[ \t\r\n]*` + prompt + `\n`)
	after  = regexp.MustCompile(`\n` + prompt + `\s*\z`)
)

// fenced are the two lines around a block of Markdown.
var fenced = [2]*regexp.Regexp{regexp.MustCompile("\\A\\s*```[\\w-]*[ \\t\\r]*\\n"),
	regexp.MustCompile("\n```[ \\t\\r]*\\s*\\z")}

// widest is more than a prompt with its command, or the head of a response, has.
const widest = 4 << 10

// pasted replaces what stands around a pasted output by spaces. Places stay as they are.
func pasted(data []byte) []byte {
	out := bytes.Clone(data)
	first, last := out[:min(len(out), widest)], out[max(0, len(out)-widest):]
	blank(first, head)
	if fenced[0].Match(first) && fenced[1].Match(last) {
		blank(first, fenced[0])
		blank(last, fenced[1])
	}
	blank(first, before)
	blank(last, after)
	return out
}

// blank turns what matches into text of the same lines and bytes without anything in them.
func blank(text []byte, what *regexp.Regexp) {
	if at := what.FindIndex(text); at != nil {
		for i, c := range text[at[0]:at[1]] {
			if c != '\n' {
				text[at[0]+i] = ' '
			}
		}
	}
}
