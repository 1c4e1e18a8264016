package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
)

// rewritten copies a directory with every file changed.
func rewritten(t *testing.T, dir string, change func(string) string) string {
	t.Helper()
	to := t.TempDir()
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil || rel == "." {
			return err
		}
		if e.IsDir() {
			return os.Mkdir(filepath.Join(to, rel), 0o755)
		}
		return os.WriteFile(filepath.Join(to, rel), []byte(change(labtest.Read(t, path))), 0o644)
	})
	labtest.Check(t, err)
	return to
}

// printed runs a verb in a directory and returns its exit status and stdout.
func printed(t *testing.T, dir string, args ...string) (status int, out string) {
	t.Helper()
	t.Chdir(dir)
	var stdout, stderr bytes.Buffer
	status = run(t.Context(), args, &stdout, &stderr)
	return status, stdout.String()
}

// Files written on Windows have other line ends, and those redirected by PowerShell another encoding.
func TestAConfigurationWrittenOnWindowsHasTheSameFindings(t *testing.T) {
	corpora, err := filepath.Glob(filepath.Join(labtest.Root(t), "internal/field/lint/*/testdata/corpus"))
	if err != nil || len(corpora) < 5 {
		t.Fatalf("%v, %v", corpora, err)
	}
	checked := 0
	for _, corpus := range corpora {
		plain := rewritten(t, corpus, func(s string) string { return s })
		crlf, powerShell := rewritten(t, corpus, labtest.CRLF), rewritten(t, corpus, labtest.PowerShell)
		files, _ := filepath.Glob(filepath.Join(plain, "*.[cjty]*")) // not conf.d
		for _, file := range files {
			name := filepath.Base(file)
			status, want := printed(t, plain, "lint", name)
			checked++
			if got, out := printed(t, crlf, "lint", name); got != status || out != want {
				t.Errorf("%s with CR LF: status %d, want %d\n%s\nwant\n%s", name, got, status, out, want)
			}
			if strings.Contains(labtest.Read(t, file), "include ") { // nginx itself reads no UTF-16
				continue
			}
			if got, out := printed(t, powerShell, "lint", name); got != status || out != want {
				t.Errorf("%s of PowerShell: status %d, want %d\n%s\nwant\n%s", name, got, status, out, want)
			}
		}
	}
	if checked < 50 {
		t.Errorf("only %d configurations were checked", checked)
	}
}

func TestALogOfErrorsWrittenOnWindowsIsDecodedTheSame(t *testing.T) {
	dir := "../../internal/field/decode/testdata"
	abs, err := filepath.Abs(dir)
	labtest.Check(t, err)
	status, want := printed(t, abs, "decode", "app.log")
	if status != statusDone || !strings.Contains(want, "recognised") {
		t.Fatalf("status %d: %s", status, want)
	}
	for name, change := range map[string]func(string) string{"CR LF": labtest.CRLF, "PowerShell": labtest.PowerShell} {
		got, out := printed(t, rewritten(t, abs, change), "decode", "app.log")
		if got != status || out != want {
			t.Errorf("%s: status %d\n%s\nwant\n%s", name, got, out, want)
		}
	}
}
