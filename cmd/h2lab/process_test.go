package main

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"h2lab/internal/base/await"
	"h2lab/internal/base/labtest"
	"h2lab/internal/lab/plan"
	"h2lab/internal/lab/runs"
)

// explodes panics with a nil pointer dereference.
func explodes() (report string) {
	defer func() { report = bugReport(await.Caught(recover()), []string{"repro", "--quick"}) }()
	var a *app
	return a.root
}

func TestAPanicIsOneLineThatSaysWhereAndHowToReportIt(t *testing.T) {
	said := explodes()
	for _, part := range []string{
		"h2lab: this is a bug: runtime error: invalid memory address or nil pointer dereference",
		"explodes, process_test.go:", "h2lab repro --quick", "report it"} {
		if strings.Contains(said, "\n") || !strings.Contains(said, part) {
			t.Errorf("%q doesn't say %q in one line", said, part)
		}
	}
}

// broken panics when it is written to, which no verb does.
type broken struct{}

func (broken) Write([]byte) (int, error) { panic("a bug in a writer") }

func TestAPanicOfAVerbEndsInStatus1(t *testing.T) {
	var stderr bytes.Buffer
	if status := guarded(t.Context(), []string{"--help"}, broken{}, &stderr); status != statusCouldNot {
		t.Errorf("status %d", status)
	}
	said := stderr.String()
	if !strings.HasPrefix(said, "h2lab: this is a bug: a bug in a writer") || strings.Count(said, "\n") != 1 {
		t.Errorf("it says %q", said)
	}
}

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

func TestInsideIsRefusedOnTheHost(t *testing.T) {
	for _, c := range []struct {
		order, says string
		status      int
	}{
		{"", "on the host use: make repro RUNTIME=docker", statusUsage},
		{"{", "the image is older than this checkout", statusCouldNot},
		{`{"Command":"bench"}`, "no cell of bench matches", statusCouldNot},
	} {
		t.Setenv(runs.OrderVariable, c.order)
		var out, errs bytes.Buffer
		if got := run(context.Background(), []string{"inside"}, &out, &errs); got != c.status ||
			!strings.Contains(errs.String(), c.says) {
			t.Errorf("order %q: status %d, %s", c.order, got, errs.String())
		}
	}
	var errs bytes.Buffer
	if got := run(context.Background(), []string{plan.Repro, "--runtime", "pod"}, &errs, &errs); got != statusUsage ||
		!strings.Contains(errs.String(), "choose from docker, native, auto") {
		t.Errorf("RUNTIME=pod: status %d, %s", got, errs.String())
	}
}
