package main

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
)

// checkoutWith is a small checkout with the program under test in its bin/.
func checkoutWith(t *testing.T, files map[string]string) (root, program string) {
	t.Helper()
	root = t.TempDir()
	labtest.Check(t, labtest.CopySelf(filepath.Join(root, "bin", "h2lab")))
	maps.Copy(files, map[string]string{"go.mod": "module h2lab\n", "versions.env": ""})
	for name, text := range files {
		path := filepath.Join(root, name)
		labtest.WriteProgram(t, path, text)
	}
	return root, filepath.Join(root, "bin", "h2lab")
}

// speakers are verbs that write to stdout and need no server.
var speakers = [][]string{
	{"--help"}, {"repro", "--help"}, {"decode", "--list"}, {"decode", "--list", "--json"},
	{"decode", "the printer is on fire"},
	{"advise", "--rate", "9900", "--in-flight", "100", "--handshake-ms", "1.48"},
	{"advise", "--rate", "9900", "--in-flight", "100", "--handshake-ms", "1.48", "--json"},
	{"lint", "nginx.conf"}, {"lint", "--json", "nginx.conf"}, {"lint", "--sarif", "nginx.conf"},
	{"logs", "--format", "$connection $connection_requests $msec", "access.log"},
	{"workshop"}, {"step", "11"}, {"report", "recorded"}, {"replay", "--no-serve", "recorded"},
	{"version"}, {"--version", "--json"}, {"completion", "zsh"}, {"man"},
}

func speak(t *testing.T, args []string, stdout *os.File) (status int, stderr string) {
	t.Helper()
	root, program := checkoutWith(t, map[string]string{
		"nginx.conf":                         "events {}\nhttp { server { listen 443 ssl http2; } }\n",
		"access.log":                         "1 1 1790071200.000\n1 2 1790071201.000\n",
		"docs/workshop/start/11/question.md": "## Question\n## Prediction\n",
		"workshop/11/question.md":            "## Question\n## Prediction\n",
	})
	recorded := filepath.Join(labtest.Root(t), "testdata", "recorded", "repro")
	labtest.Check(t, os.CopyFS(filepath.Join(root, "recorded"), os.DirFS(recorded)))
	cmd := exec.CommandContext(t.Context(), program, args...)
	var said bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = root, stdout, &said
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), said.String()
}

func TestOutputThatCanNotBeWrittenIsAFailure(t *testing.T) {
	f := labtest.NewFaults(t, labtest.Disks)
	for _, args := range speakers {
		f.Try("stdout is full: h2lab "+strings.Join(args, " "), func(t *testing.T) {
			full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
			labtest.Check(t, err)
			defer full.Close() //nolint:errcheck // nothing was written
			status, said := speak(t, args, full)
			line := "h2lab: the output can't be written: no space left on device; make room, or send it to another " +
				"place\n"
			if status != statusCouldNot || !strings.HasSuffix(said, line) || strings.Count(said, "no space left") != 1 {
				t.Errorf("status %d, want %d, with the line %q once:\n%s", status, statusCouldNot, line, said)
			}
		})
	}
}

func TestAReaderThatHasGoneEndsAVerbQuietly(t *testing.T) {
	f := labtest.NewFaults(t, labtest.Signals)
	for _, args := range speakers {
		f.Try("nobody reads stdout: h2lab "+strings.Join(args, " "), func(t *testing.T) {
			r, w, err := os.Pipe()
			labtest.Check(t, err)
			_ = r.Close()
			defer w.Close() //nolint:errcheck // nobody reads it
			if status, said := speak(t, args, w); status != statusReaderGone || strings.Contains(said, "pipe") {
				t.Errorf("status %d, want %d, without a message:\n%s", status, statusReaderGone, said)
			}
		})
	}
}
