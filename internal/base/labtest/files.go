// Package labtest has helpers that the tests of several packages share: scratch servers,
// certificates, the project's root. It imports no other package of the module, and only tests
// import it.
package labtest

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"h2lab/internal/facts"
)

// Check ends the test if there is an error.
func Check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Write writes a file, and the directories above it.
func Write(t testing.TB, path, text string) {
	t.Helper()
	Check(t, write(path, []byte(text), 0o644))
}

// WriteProgram writes a file that can be executed, and the directories above it.
func WriteProgram(t testing.TB, path, text string) {
	t.Helper()
	Check(t, write(path, []byte(text), 0o755))
}

// CopySelf makes path a copy of the test's own program.
func CopySelf(path string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if os.Link(self, path) == nil {
		return nil
	}
	text, err := os.ReadFile(self) // another file system
	if err != nil {
		return err
	}
	return write(path, text, 0o755)
}

// write keeps this process from forking while the file is open for writing: a child would inherit the open file
// until it executes its own program, and until then the file can't be executed: "text file busy" (go.dev/issue/22315).
func write(path string, text []byte, mode os.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return os.WriteFile(path, text, mode)
}

// onWine is set in test programs that run under wine, which are built with the tag wine.
var onWine bool

// NotOnWine skips a test of something that Windows has and wine 8 lacks.
func NotOnWine(t *testing.T, what string) {
	t.Helper()
	if onWine {
		t.Skipf("needs %s", what)
	}
}

// Symlink makes a symbolic link. Windows allows that only to administrators and in developer mode, so
// that the test is skipped there where it fails.
func Symlink(t *testing.T, target, path string) {
	t.Helper()
	NotOnWine(t, "a symbolic link, for which wine 8's CreateSymbolicLinkW reports success and makes nothing")
	if err := os.Symlink(target, path); err != nil {
		if runtime.GOOS == "windows" {
			t.Skipf("needs a symbolic link: %v", err)
		}
		t.Fatal(err)
	}
}

// Root is the project's root: the directory above the test's that contains go.mod.
func Root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	Check(t, err)
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		above := filepath.Dir(dir)
		if above == dir {
			t.Fatal("no go.mod above the test's directory")
		}
		dir = above
	}
}

// Program finds a tool on PATH, else in the project's tools/bin. The test fails without it: its
// build tag asks for the tool, and `make integration` builds the tools first.
func Program(t testing.TB, name string) string {
	t.Helper()
	if path, err := exec.LookPath(name); err == nil {
		return path
	}
	made := filepath.Join(Root(t), "tools", "bin", name)
	if _, err := os.Stat(made); err != nil {
		t.Fatalf("%s is neither on PATH nor in tools/bin; get it with: make tools", name)
	}
	return made
}

// Project copies a package's files to a temporary directory, with certificates of its own and empty
// directories beside the package, so that a test neither needs nor changes those of the checkout.
func Project(t testing.TB, pkg string, files []string, empty ...string) string {
	t.Helper()
	checkout, root := Root(t), t.TempDir()
	for _, dir := range append([]string{"certs", pkg}, empty...) {
		Check(t, os.Mkdir(filepath.Join(root, dir), 0o755))
	}
	copied := []string{"certs/make.sh", "certs/openssl.cnf"}
	for _, name := range files {
		copied = append(copied, filepath.Join(pkg, name))
	}
	for _, name := range copied {
		if err := os.WriteFile(filepath.Join(root, name), []byte(Read(t, filepath.Join(checkout, name))),
			0o755); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.CommandContext(t.Context(),
		filepath.Join(root, "certs", "make.sh")).CombinedOutput(); err != nil {
		t.Fatalf("certs/make.sh: %v\n%s", err, out)
	}
	return root
}

// Read returns a file's text.
func Read(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	Check(t, err)
	return string(text)
}

// Judgement reads the verdicts of a run's directory.
func Judgement(t testing.TB, dir string) (j facts.Judgement) {
	t.Helper()
	Check(t, json.Unmarshal([]byte(Read(t, filepath.Join(dir, "verdicts.json"))), &j))
	return j
}
