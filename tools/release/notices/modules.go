package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/google/licensecheck"
)

// A module is linked into h2lab on at least one system.
type module struct {
	path, version, dir string
	packages           []string // the directories of its linked packages
	files              []string // of its licences, relative to dir
	texts              map[string]string
	ids                []string // SPDX identifiers
}

func (m *module) name() string { return m.path + "@" + m.version }

// systems are those of .goreleaser.yaml. Packages differ by operating system, and some by processor.
var systems = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}

// linked asks the Go command for the packages of the command on each system. They are sorted by
// module.
func linked() ([]*module, error) {
	all := map[string]*module{}
	for _, system := range systems {
		if err := addLinked(all, system); err != nil {
			return nil, err
		}
	}
	std, err := standardLibrary()
	if err != nil {
		return nil, err
	}
	all[std.name()] = std
	var out []*module
	for _, m := range all {
		out = append(out, m)
	}
	slices.SortFunc(out, func(a, b *module) int { return strings.Compare(a.name(), b.name()) })
	return out, nil
}

func addLinked(all map[string]*module, system string) error {
	goos, goarch, _ := strings.Cut(system, "/")
	const format = "{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Version}}\t{{.Dir}}\t{{$.Dir}}{{end}}{{end}}"
	lines, err := goCommand([]string{"GOOS=" + goos, "GOARCH=" + goarch, "CGO_ENABLED=0"}, "list", "-deps", "-f", format, "./cmd/h2lab")
	if err != nil {
		return fmt.Errorf("the packages of h2lab on %s: %w", system, err)
	}
	for _, line := range strings.Split(lines, "\n") {
		f := strings.Split(line, "\t")
		if len(f) != 4 {
			continue // of the standard library, or our own
		}
		m := &module{path: f[0], version: f[1], dir: f[2]}
		if all[m.name()] == nil {
			all[m.name()] = m
		}
		m = all[m.name()]
		if !slices.Contains(m.packages, f[3]) {
			m.packages = append(m.packages, f[3])
		}
	}
	return nil
}

func standardLibrary() (*module, error) {
	answer, err := goCommand(nil, "env", "GOROOT", "GOVERSION")
	if err != nil {
		return nil, err
	}
	root, version, _ := strings.Cut(strings.TrimSpace(answer), "\n")
	return &module{path: "std", version: strings.TrimPrefix(version, "go"), dir: root, packages: []string{root}}, nil
}

func goCommand(env []string, args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return "", fmt.Errorf("go %s: %s", args[0], strings.TrimSpace(string(exit.Stderr)))
	}
	return string(out), err
}

// named matches the names of files with a licence or with notices that must be kept.
var named = regexp.MustCompile(`(?i)^((un)?licen[cs]es?|copying|copyright|notices?|patents)([-._].*)?$`)

// chosen are the licences of modules that offer a choice.
var chosen = map[string][]string{
	"github.com/golang/freetype": {"FTL"}, // or the GPL, says its LICENSE
}

// readTexts finds the licences of a module: in its root and in each directory from there to a linked
// package, since some modules contain code of other projects.
func (m *module) readTexts() error {
	m.texts = map[string]string{}
	for _, dir := range append(m.packages, filepath.Join(m.dir, "licenses"), filepath.Join(m.dir, "LICENSES")) {
		for ; ; dir = filepath.Dir(dir) {
			if err := m.readDir(dir); err != nil {
				return err
			}
			if dir == m.dir || len(dir) <= len(m.dir) {
				break
			}
		}
	}
	if choice, given := chosen[m.path]; given {
		m.ids = choice
	}
	if len(m.ids) == 0 {
		return fmt.Errorf("%s has no licence that licensecheck recognises (files: %s); next: look at %s",
			m.name(), strings.Join(m.files, ", "), m.dir)
	}
	slices.Sort(m.ids)
	return nil
}

func (m *module) readDir(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // most modules have no directory of licences
		return err
	}
	ofLicences := strings.EqualFold(filepath.Base(dir), "licenses")
	for _, e := range entries {
		rel, err := filepath.Rel(m.dir, filepath.Join(dir, e.Name()))
		if err != nil {
			return err
		}
		if e.Type()&fs.ModeType != 0 || !ofLicences && !named.MatchString(e.Name()) || strings.HasSuffix(e.Name(), ".go") || m.texts[rel] != "" {
			continue
		}
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return err
		}
		m.texts[rel], m.files = string(b), append(m.files, filepath.ToSlash(rel))
		for _, match := range licensecheck.Scan(b).Match {
			// Go's PATENTS is a grant beside the licence, and no identifier of SPDX.
			if !match.IsURL && !strings.HasPrefix(match.ID, "GooglePatent") && !slices.Contains(m.ids, match.ID) {
				m.ids = append(m.ids, match.ID)
			}
		}
	}
	return nil
}
