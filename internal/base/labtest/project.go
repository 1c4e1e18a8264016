package labtest

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"h2lab/internal/facts"
)

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
