//go:build integration

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/base/text"
	"h2lab/internal/lab/native"
	"h2lab/internal/lab/results"
)

// wholeCheckout copies all files that git tracks or would track, and links the tools.
func wholeCheckout(t *testing.T) string {
	t.Helper()
	list := exec.CommandContext(t.Context(), "git", "ls-files", "-co", "--exclude-standard", "-z")
	list.Dir = labtest.Root(t)
	listed, err := list.Output()
	labtest.Check(t, err)
	var files []string
	for name := range bytes.SplitSeq(bytes.TrimSuffix(listed, []byte{0}), []byte{0}) {
		if info, err := os.Stat(filepath.Join(list.Dir, string(name))); err == nil && !info.IsDir() {
			files = append(files, string(name))
		}
	}
	root := oddCheckout(t, `odd é日 '"$(touch ran)#%20&[a]*?`, files...)
	labtest.Check(t, os.MkdirAll(filepath.Join(root, "tools", "bin"), 0o755))
	for _, tool := range []string{"nginx", "envoy", "k6"} {
		labtest.Check(t, os.Symlink(labtest.Program(t, tool), filepath.Join(root, "tools", "bin", tool)))
	}
	return root
}

// Builds and runs the whole lab in a directory whose name is difficult for the shell, for URLs and
// for patterns. A ':' and a ';' would separate the loader's paths (ld.so(8)), so only the unit
// tests have them.
func TestTheLabRunsInAnOddPlace(t *testing.T) {
	unlock, err := native.Lock(labtest.Root(t)) // the ports are the checkout's
	labtest.Check(t, err)
	defer func() { _ = unlock() }()
	root := wholeCheckout(t)
	f := labtest.NewFaults(t, labtest.Places)
	f.Try("everything is built in the oddest directory", func(t *testing.T) {
		in(t, root, 0, "make", "build", "certs")
	})
	f.Try("nginx, a client and k6 run in the oddest directory", func(t *testing.T) {
		said := in(t, root, 0, "make", "repro", "QUICK=1", "LIMIT=100", "RUNTIME=native",
			"TOPOLOGY=nginx-100", "PROTOCOL=h2", "CLIENT=go-once,k6-shared-pool")
		if !strings.Contains(said, "report: results/") {
			t.Errorf("make repro: %s", said)
		}
		r, err := results.Read(filepath.Join(root, "results", results.Latest))
		if err != nil || len(r.Cells) != 2 || len(results.Missing(r)) > 0 {
			t.Fatalf("%v, %v", r, err)
		}
		if said := in(t, root, 0, "make", "report"); !strings.Contains(said, "/report.md") {
			t.Errorf("make report: %s", said)
		}
	})
	f.Try("Envoy runs in the oddest directory, started from elsewhere", func(t *testing.T) {
		elsewhere := t.TempDir()
		program := filepath.Join(root, "bin", "h2lab")
		said := in(t, elsewhere, 0, program, "matrix", "--quick", "--runtime", "native",
			"--topology", "envoy-1000", "--protocol", "h2", "--client", "go-once")
		if !strings.Contains(said, "report: "+filepath.Join(root, "results")) {
			t.Errorf("h2lab matrix: %s", said)
		}
		in(t, elsewhere, 0, program, "up", "--runtime", "native")
		if said := in(t, elsewhere, 0, program, "down"); !strings.Contains(said, "stopped the native servers") {
			t.Errorf("h2lab down, with servers up: %s", said)
		}
		if left, _ := os.ReadDir(elsewhere); len(left) > 0 {
			t.Errorf("%v was made in the working directory", left)
		}
	})
	if _, err := os.Stat(filepath.Join(root, "ran")); err == nil {
		t.Error("the directory's name was run")
	}
}

// oddNames are names that a checkout's directory may have.
var oddNames = []string{"with spaces", "café", "日本", "it's", `a "quote"`, "$HOME", "$(touch ran)", "a#b", "100%", "a&b",
	"a;b", "a:b", "[a]*?",
	"-rf", "~", "(x)", "a=b,c", "%20", "a\tb", "back`tick`", "!x"}

// oddCheckout copies parts of the checkout into a directory of that name.
func oddCheckout(t *testing.T, name string, files ...string) string {
	t.Helper()
	from, to := labtest.Root(t), filepath.Join(t.TempDir(), name)
	for _, file := range files {
		err := os.MkdirAll(filepath.Dir(filepath.Join(to, file)), 0o755)
		labtest.Check(t, err)
		if info, err := os.Stat(filepath.Join(from, file)); err != nil {
			t.Fatal(err)
		} else if info.IsDir() {
			labtest.Check(t, os.CopyFS(filepath.Join(to, file), os.DirFS(filepath.Join(from, file))))
			continue
		}
		b := labtest.Read(t, filepath.Join(from, file))
		labtest.WriteProgram(t, filepath.Join(to, file), b)
	}
	return to
}

// cleanEnvironment is this process's environment without the variables of an outer make.
func cleanEnvironment() []string {
	return slices.DeleteFunc(os.Environ(), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return slices.Contains([]string{"MAKEFLAGS", "MFLAGS", "MAKELEVEL", "KEY", "RUN", "RESULTS", "CDPATH"}, name)
	})
}

// in runs a program in dir and compares its exit status.
func in(t *testing.T, dir string, status int, program string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Dir, cmd.Env = dir, cleanEnvironment()
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != status {
		t.Fatalf("%s %q in %q: %v, want status %d:\n%s", program, args, dir, err, status, out)
	}
	return string(out)
}

// oddest is one name with every character that is difficult for the shell, for URLs and for patterns.
const oddest = `odd é日 '"$(touch ran)#%20&;:[a]*?` + "`touch ran`"

// oddLab is such a checkout with the program under test in its bin/.
func oddLab(t *testing.T, name string, more ...string) (root, program string) {
	t.Helper()
	root = oddCheckout(t, name, append(more, "Makefile", "go.mod", "versions.env", "certs/make.sh", "certs/openssl.cnf",
		"tools/knobs.sh", "tools/knobs.txt", "docs/workshop/start")...)
	labtest.Check(t, labtest.CopySelf(filepath.Join(root, "bin", "h2lab")))
	return root, filepath.Join(root, "bin", "h2lab")
}

func TestACheckoutMayLieAnywhere(t *testing.T) {
	made, _ := oddLab(t, "plain") // certificates take seconds to make, and none to look at
	in(t, made, 0, "make", "certs")
	f := labtest.NewFaults(t, labtest.Places)
	for _, name := range oddNames {
		f.Try("the checkout's directory is called "+strings.ReplaceAll(name, "\t", "(a tab)"), func(t *testing.T) {
			root, program := oddLab(t, name)
			labtest.Check(t, os.CopyFS(filepath.Join(root, "certs", "out"),
				os.DirFS(filepath.Join(made, "certs", "out"))))
			if said := in(t, root, 0, "make", "certs", "KEY=ecdsa"); !strings.Contains(said,
				"server.crt is the ecdsa one") {
				t.Errorf("make certs: %s", said)
			}
			in(t, root, 2, "make", "certs", "KYE=ecdsa")
			// The schema is found, and its error names what is wrong with the file.
			labtest.Write(t, filepath.Join(root, "results.json"), `{"schema_version": 3}`)
			if said := in(t, root, 1, program, "report", "."); !strings.Contains(said,
				"results.json has the wrong shape: ") {
				t.Errorf("h2lab report: %s", said)
			}
			elsewhere := t.TempDir()
			next := fmt.Sprintf("next: make -C %s up FOR=learner", text.ShellWord(root))
			if got := in(t, elsewhere, 0, program, "workshop"); !strings.Contains(got, next) {
				t.Errorf("h2lab workshop printed %q, want %q", got, next)
			}
			if left, _ := os.ReadDir(elsewhere); len(left) > 0 {
				t.Errorf("%v was made in the working directory", left)
			}
			if _, err := os.Stat(filepath.Join(root, "ran")); err == nil {
				t.Error("the directory's name was run")
			}
		})
	}
	f.Try("certificates are made and a report is drawn in the oddest directory", func(t *testing.T) {
		root, program := oddLab(t, oddest, "testdata/recorded/repro")
		in(t, root, 0, "make", "certs")
		got := in(t, t.TempDir(), 0, program, "replay", "--no-serve")
		if page := strings.TrimSuffix(got, "\n"); !strings.HasPrefix(page, filepath.Join(root, "results", "replay-")) {
			t.Errorf("h2lab replay printed %q", got)
		} else if _, err := os.Stat(page); err != nil {
			t.Error(err)
		}
	})
}

// A shell that parses the quoted path gets the path.
func TestQuotedWordsAreReadBack(t *testing.T) {
	for _, name := range append(oddNames, "", "plain/path.md", "a\nb") {
		out, err := exec.CommandContext(t.Context(), "sh", "-c", "printf %s "+text.ShellWord(name)).Output()
		if err != nil || string(out) != name {
			t.Errorf("%q is read back as %q: %v", name, out, err)
		}
	}
}
