package clients

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"h2lab/internal/base/child"
	"h2lab/internal/base/rooted"
)

// stampFile, in a folder's out/, holds the hash of the sources that were built last. The folder's
// .gitignore lists out/.
const stampFile = "out/.built"

// buildTimeout ends a build that hangs; the longest, of all Java modules with an empty cache, takes
// a few minutes.
const buildTimeout = 20 * time.Minute

// BuildError is the error of one build, with the last lines it printed.
type BuildError struct {
	Folder string // clients/java
	Err    error
	Words  string
}

func (e *BuildError) Error() string {
	return fmt.Sprintf("building %s: %v; its last lines:\n  %s", e.Folder, e.Err,
		strings.ReplaceAll(strings.TrimSpace(e.Words), "\n", "\n  "))
}

// Unwrap returns the cause.
func (e *BuildError) Unwrap() error { return e.Err }

// Current reports whether the last build used the folder's current sources.
func (e Ecosystem) Current() bool {
	if len(e.Build) == 0 {
		return true
	}
	want, err := e.hash()
	if err != nil {
		return false
	}
	got, err := os.ReadFile(filepath.Join(e.dir, stampFile))
	return err == nil && string(got) == want+"\n"
}

// Make builds the ecosystem's programs unless they are current.
func (e Ecosystem) Make(ctx context.Context, env []string) error {
	if e.Current() {
		return nil
	}
	want, err := e.hash()
	if err != nil {
		return &BuildError{Folder: e.shown, Err: err}
	}
	if words, err := e.runBuild(ctx, env); err != nil {
		return &BuildError{Folder: e.shown, Err: err, Words: words}
	}
	stamp := filepath.Join(e.dir, stampFile)
	if err := os.MkdirAll(filepath.Dir(stamp), 0o755); err != nil {
		return &BuildError{Folder: e.shown, Err: err}
	}
	return rooted.WriteFile(stamp, []byte(want+"\n"))
}

// runBuild runs the build and leaves no process behind.
func (e Ecosystem) runBuild(ctx context.Context, env []string) (words string, err error) {
	argv := e.Build
	if strings.Contains(argv[0], "/") {
		argv = append([]string{filepath.Join(e.dir, argv[0])}, argv[1:]...)
	}
	var printed child.Tail
	_, err = child.Run(ctx,
		child.Spec{Argv: argv, Dir: e.dir, Env: append(goEnv(), env...), Stdout: &printed, Stderr: &printed},
		child.Limits{Within: buildTimeout, Grace: 5 * time.Second})
	var exit *child.ExitError
	if errors.As(err, &exit) { // its last lines follow
		err = errors.New(exit.Child.Ending())
	}
	words = printed.String()
	return words[max(0, len(words)-mostWords):], err
}

// mostWords bounds how much of a build's output an error shows.
const mostWords = 4000

// goEnv passes the user's settings of Go's tools on: without the module proxy and cache that they
// name, a build would download every module again.
func goEnv() []string {
	var out []string
	for _, name := range []string{"GOPROXY", "GOFLAGS", "GOMODCACHE", "GOCACHE", "GOSUMDB", "GONOSUMDB",
		"CARGO_HOME", "RUSTUP_HOME",
		"PIP_INDEX_URL", "PIP_CONFIG_FILE", "NPM_CONFIG_USERCONFIG", "NPM_CONFIG_REGISTRY", "MAVEN_OPTS", "JAVA_HOME",
		"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy", "SSL_CERT_FILE"} {
		if v, ok := os.LookupEnv(name); ok {
			out = append(out, name+"="+v)
		}
	}
	return append(out, "CGO_ENABLED=0")
}

// hash covers the folder's files that git would keep, and the project's own Go sources for programs
// that are built from them.
func (e Ecosystem) hash() (string, error) {
	h := sha256.New()
	roots := []string{e.dir}
	if e.ours() {
		for _, dir := range []string{"internal/facts", "clients/kit", "go.mod", "go.sum"} {
			roots = append(roots, filepath.Join(e.root, dir))
		}
	}
	for _, root := range roots {
		err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
			if errors.Is(err, os.ErrNotExist) && path == root {
				return nil
			}
			if err != nil || d.IsDir() {
				return skipMade(path, err)
			}
			return hashFile(h, path)
		})
		if err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// ours reports whether the programs are Go programs of the project's own module.
func (e Ecosystem) ours() bool {
	files, _ := filepath.Glob(filepath.Join(e.dir, "*.go"))
	return len(files) > 0
}

// skipMade skips the output of builds.
func skipMade(path string, err error) error {
	switch filepath.Base(path) {
	case "out", "target", "node_modules", "__pycache__":
		return filepath.SkipDir
	}
	return err
}

func hashFile(h io.Writer, path string) error {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return err
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	fmt.Fprintf(h, "%s %v %d\n", path, info.Mode().Perm()&0o111 != 0, len(b))
	_, err = h.Write(b)
	return err
}
