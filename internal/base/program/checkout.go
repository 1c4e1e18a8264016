package program

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"h2lab/internal/base/kinds"
)

// module is the project's module, as go.mod names it.
const module = "h2lab"

// ErrNoCheckout means that the program is not part of a checkout.
var ErrNoCheckout = errors.New("no checkout of the project")

// Verify reports why dir is not a checkout: it needs a go.mod of the project's
// module and versions.env beside it.
func Verify(dir string) error {
	f, err := os.Open(filepath.Join(dir, "go.mod"))
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNoCheckout, err)
	}
	defer f.Close() //nolint:errcheck // opened for reading only
	named := false
	for lines := bufio.NewScanner(f); lines.Scan() && !named; {
		words := strings.Fields(lines.Text())
		named = len(words) == 2 && words[0] == "module" && words[1] == module
	}
	if !named {
		return fmt.Errorf("%w: %s is not of the module %s", ErrNoCheckout, f.Name(), module)
	}
	if info, err := os.Stat(filepath.Join(dir, "versions.env")); err != nil || !info.Mode().IsRegular() {
		return fmt.Errorf("%w: %s has no versions.env", ErrNoCheckout, dir)
	}
	return nil
}

// Origin is where a program comes from.
type Origin struct {
	Path   string // the program's file
	Source string // the directory that its sources were compiled in; empty when built with -trimpath
	Dir    string // the working directory
}

// This is the running program.
func This() (Origin, error) {
	path, err := os.Executable()
	if err != nil {
		return Origin{}, fmt.Errorf("the path of this program: %w", err)
	}
	dir, err := os.Getwd()
	if err != nil {
		return Origin{}, fmt.Errorf("the working directory: %w", err)
	}
	p := Origin{Path: path, Dir: dir}
	// -trimpath leaves "h2lab/internal/base/program/checkout.go" here, which is not absolute.
	if _, file, _, ok := runtime.Caller(0); ok && filepath.IsAbs(file) {
		p.Source = filepath.Join(filepath.Dir(file), "..", "..", "..")
	}
	return p, nil
}

// Find returns the absolute path of the program's checkout. It is
//
//   - the directory above bin/, where the program lies in a checkout's bin/ (make build), or
//   - the directory that the program was compiled in, while the working directory is in it (go run,
//     go test, go install).
//
// Otherwise the error is ErrNoCheckout: a program copied elsewhere belongs to no checkout, whatever its
// working directory.
func (p Origin) Find() (string, error) {
	if path, err := filepath.EvalSymlinks(p.Path); err == nil && filepath.Base(filepath.Dir(path)) == "bin" {
		if root := filepath.Dir(filepath.Dir(path)); Verify(root) == nil {
			return root, nil
		}
	}
	if p.Source != "" && Verify(p.Source) == nil {
		root, err := filepath.EvalSymlinks(p.Source)
		if err == nil && Contains(root, p.Dir) {
			return root, nil
		}
	}
	return "", ErrNoCheckout
}

// Contains reports whether path is dir or lies below it, with symbolic links
// resolved as far as the path exists.
func Contains(dir, path string) bool {
	rel, err := filepath.Rel(resolve(dir), resolve(path))
	return err == nil && filepath.IsLocal(rel)
}

// resolve follows the symbolic links of the part of a path that exists.
func resolve(path string) string {
	path, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	rest := ""
	for at := path; ; at = filepath.Dir(at) {
		if real, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.Join(real, rest)
		}
		if at == filepath.Dir(at) {
			return path
		}
		rest = filepath.Join(filepath.Base(at), rest)
	}
}

// own are the directories of the checkout that git or a command manages: git keeps sources in them,
// or a command deletes and rebuilds them.
var own = append(kinds.Folders(), ".ci", ".devcontainer", ".git", ".github", "backend", "bin", "bundle", "certs", "clients", "cmd",
	"deploy", "dist", "docker", "docs", "e2e", "internal", "k6", "services", "slides", "testdata", "tools", "var", "vendor", "workshop")

// Owner returns the part of the checkout root that contains dir: "." is the root itself, "bin" one
// of the directories in own. It is empty where dir lies outside, or in a directory of the checkout
// that may be used freely.
func Owner(root, dir string) string {
	rel, err := filepath.Rel(resolve(root), resolve(dir))
	if err != nil || !filepath.IsLocal(rel) {
		return ""
	}
	first, _, _ := strings.Cut(filepath.ToSlash(rel), "/")
	if first == "." {
		return "."
	}
	for _, name := range own {
		if first == name {
			return name
		}
	}
	return ""
}
