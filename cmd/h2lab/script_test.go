package main

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"h2lab": main})
}

// TestCommand runs the scripts of testdata/script: the command's words and
// exit statuses. None of them starts a server.
func TestCommand(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			// The h2lab under test lies in bin/ of each script's directory, which is
			// a checkout, unless the script copies it elsewhere.
			bin := filepath.Join(e.WorkDir, "bin")
			if err := install(bin); err != nil {
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
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"status": status},
	})
}

// install puts this test's program into a directory, as h2lab.
func install(bin string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(bin, 0o755); err != nil {
		return err
	}
	to := filepath.Join(bin, "h2lab")
	if os.Link(self, to) == nil {
		return nil
	}
	b, err := os.ReadFile(self) // another file system
	if err != nil {
		return err
	}
	return os.WriteFile(to, b, 0o755)
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
}
