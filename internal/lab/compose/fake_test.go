package compose_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fakeDocker puts a docker command first in PATH that answers by body, the branches of a shell case
// over its arguments; arguments without a branch fail with a message. It returns a function that
// lists the calls.
func fakeDocker(t *testing.T, body string) (calls func() []string) {
	t.Helper()
	dir := t.TempDir()
	script := "#!/bin/sh\nprintf '%s\\n' \"$*\" >>\"$FAKE_LOG\"\ncase \"$*\" in\n" + body +
		"\n*) echo \"fake docker: unexpected: $*\" >&2; exit 99;;\nesac\n"
	if err := os.WriteFile(filepath.Join(dir, "docker"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(dir, "calls")
	t.Setenv("FAKE_LOG", log)
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	return func() []string {
		data, _ := os.ReadFile(log)
		return strings.Split(strings.TrimSpace(string(data)), "\n")
	}
}

// project is a root directory with a versions.env.
func project(t *testing.T, versions string) string {
	t.Helper()
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "versions.env"), []byte(versions), 0o644); err != nil {
		t.Fatal(err)
	}
	return root
}

// mustSay fails unless err says every one of words.
func mustSay(t *testing.T, err error, words ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one that says %q", words)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("the error does not say %q: %v", w, err)
		}
	}
}

// anyCall reports whether one of calls has all words.
func anyCall(calls []string, words ...string) bool {
	for _, call := range calls {
		all := true
		for _, w := range words {
			all = all && strings.Contains(call, w)
		}
		if all {
			return true
		}
	}
	return false
}
