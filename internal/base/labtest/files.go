package labtest

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
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
