package tools_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"h2lab/internal/base/labtest"
)

// programs fills a directory of a PATH with scripts, and with this machine's utilities that no script replaces.
func programs(t *testing.T, path string, scripts map[string]string, utilities ...string) {
	t.Helper()
	for name, script := range scripts {
		labtest.WriteProgram(t, filepath.Join(path, name), "#!/bin/sh\n"+script+"\n")
	}
	for _, name := range utilities {
		if scripts[name] == "" {
			at, err := exec.LookPath(name)
			labtest.Check(t, err)
			labtest.Check(t, os.Symlink(at, filepath.Join(path, name)))
		}
	}
}

// ended runs a command and returns its output and exit status.
func ended(t *testing.T, cmd *exec.Cmd) (said string, status int) {
	t.Helper()
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}
