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

// prompted matches a command at a shell's prompt: user@host:~$ nginx -T, [user@host ~]# cat FILE, $ cat FILE.
// A line that begins with # is a comment everywhere.
var prompted = regexp.MustCompile(`^(?:\(\S+\) )?(?:\S+@\S+[:\s].*[#$%] ?|\[\S+@[^\]]*\] ?[#$%] ?|[$%] )` +
	`(?:(?:sudo|nginx|angie|openresty|cat|docker|podman|kubectl|less|more|head|tail|curl|ssh)\b.*)?$`)

// longestPrompt is more than a prompt with its command has.
const longestPrompt = 4 << 10

// fence is one of the two lines around a block of Markdown.
var fence = regexp.MustCompile("^```[\\w-]*\\s*$")

// head is that of a response, as curl -i prints it before the body.
var head = regexp.MustCompile(`^HTTP/[0-9.]+ [0-9]{3}[^\n]*\n(?:[\w-]+:[^\n]*\n)*\r?\n`)

// pasted replaces what stands around a pasted output by spaces: the shell's prompt with the command in the first
// line, the prompt after the output in the last, the head of a response, the fences of a block of Markdown. Places stay as they are.
func pasted(data []byte) []byte {
	if h := head.Find(data); h != nil {
		data = append(blank(h), data[len(h):]...)
	}
	first, last := firstLine(data), lastLine(data)
	fenced := first != last && fence.Match(data[first[0]:first[1]]) && fence.Match(data[last[0]:last[1]])
	for _, at := range [][2]int{first, last} {
		line := data[at[0]:at[1]]
		if len(line) > longestPrompt {
			continue
		}
		if fenced || prompted.Match(bytes.TrimRight(line, " \t\r")) || prompted.Match(line) {
			data = slices.Concat(data[:at[0]], blank(line), data[at[1]:])
		}
	}
	return data
}

// blank is text of the same lines and bytes without anything in them.
func blank(text []byte) []byte {
	out := bytes.Repeat([]byte(" "), len(text))
	for i, c := range text {
		if c == '\n' {
			out[i] = c
		}
	}
	return out
}

// firstLine is where the first line lies that isn't empty.
func firstLine(data []byte) [2]int {
	from := len(data) - len(bytes.TrimLeft(data, " \t\r\n"))
	to := bytes.IndexByte(data[from:], '\n')
	if to < 0 {
		return [2]int{from, len(data)}
	}
	return [2]int{from, from + to}
}

// lastLine is where the last line lies that isn't empty.
func lastLine(data []byte) [2]int {
	to := len(bytes.TrimRight(data, " \t\r\n"))
	return [2]int{bytes.LastIndexByte(data[:to], '\n') + 1, to}
}
