package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"

	"github.com/rogpeppe/go-internal/testscript"
)

// pinned runs the tests in English, so that they pass under every locale.
type pinned struct{ *testing.M }

func (p pinned) Run() int {
	if err := os.Setenv("LC_ALL", "C"); err != nil {
		panic(err)
	}
	return p.M.Run()
}

func TestMain(m *testing.M) {
	testscript.Main(pinned{m}, map[string]func(){"h2lab": main})
}

// TestCommand runs the scripts of testdata/script, which check the command's output and exit
// statuses. None of them starts a server.
func TestCommand(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			// The h2lab under test is in bin/ of each script's directory, which is a checkout,
			// unless the script copies it elsewhere.
			bin := filepath.Join(e.WorkDir, "bin")
			if err := labtest.CopySelf(filepath.Join(bin, "h2lab")); err != nil {
				return err
			}
			e.Setenv("H2LAB_BIN", bin) // for scripts that empty the PATH
			e.Setenv("PATH", bin+string(filepath.ListSeparator)+e.Getenv("PATH"))
			e.Setenv("NO_COLOR", "1")
			for name, text := range map[string]string{"go.mod": "module h2lab\n", "versions.env": ""} {
				path := filepath.Join(e.WorkDir, name)
				if _, err := os.Stat(path); err == nil {
					continue // the script has its own
				}
				if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
					return err
				}
			}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"status": status, "install": install},
	})
}

// install DIR copies the h2lab under test into a directory.
func install(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: install directory")
	}
	ts.Check(labtest.CopySelf(filepath.Join(ts.MkAbs(args[0]), "h2lab")))
}

// status N CMD ARGS… runs a command and compares its exit status.
func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N command [args]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		exit, ok := err.(interface{ ExitCode() int })
		if !ok {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
	if filepath.Base(args[1]) == "h2lab" {
		for line := range strings.Lines(ts.ReadFile("stderr")) {
			if ugly := uglyMessage(strings.TrimSuffix(line, "\n")); ugly != "" {
				ts.Fatalf("a message of h2lab %s: %s", ugly, line)
			}
		}
	}
}

// goisms matches text that only a Go programmer understands.
var goisms = regexp.MustCompile(`exit status \d+$|%!|<nil>|\(nil\)|0x[0-9a-f]{6,}|goroutine |signal: killed$|context ` +
	`canceled`)

// uglyMessage returns what is wrong with a message, or "": text of Go's own, or a chain of errors
// that repeats itself.
func uglyMessage(line string) string {
	if m := goisms.FindString(line); m != "" {
		return fmt.Sprintf("has %q", m)
	}
	seen := map[string]bool{}
	for part := range strings.SplitSeq(strings.TrimPrefix(line, "h2lab: "), ": ") {
		if len(part) > 8 && seen[part] {
			return fmt.Sprintf("says %q twice", part)
		}
		seen[part] = true
	}
	path := twice.FindString(line)
	if path != "" && strings.Count(line, path) > 1 && strings.Contains(line, "open "+path) {
		return fmt.Sprintf("names %s twice", path)
	}
	return ""
}

// twice matches the file that an error of the operating system names.
var twice = regexp.MustCompile(`[^ ]*/[^ :]+\.(json|txt|crt)\b`)

func TestUglyMessagesAreSeen(t *testing.T) {
	for _, line := range []string{"h2lab: exit status 1", "h2lab: lint: exit status 3", "h2lab: %!v(MISSING)",
		"h2lab: reading x: <nil>",
		"h2lab: writing the report: writing the report: no space left",
		"h2lab: a/b.json is not there: open a/b.json: no such file"} {
		if uglyMessage(line) == "" {
			t.Errorf("%q passes", line)
		}
	}
	for _, line := range []string{"h2lab: tools/get.sh k6 failed with status 1; its messages are above",
		"tools: no network", ""} {
		if ugly := uglyMessage(line); ugly != "" {
			t.Errorf("%q %s", line, ugly)
		}
	}
}
