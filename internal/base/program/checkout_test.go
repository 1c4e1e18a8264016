package program

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
)

// written writes files to a temporary directory and returns its path, with symbolic links resolved.
func written(t *testing.T, contents map[string]string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	labtest.Check(t, err)
	for name, text := range contents {
		path := filepath.Join(root, name)
		labtest.WriteProgram(t, path, text)
	}
	return root
}

func TestTheProgramsOwnCheckoutIsFoundAndNoOther(t *testing.T) {
	root := written(t, map[string]string{
		"lab/go.mod": "// a remark\nmodule h2lab\n\ngo 1.26\n", "lab/versions.env": "", "lab/bin/h2lab": "",
		"lab/docs/x":   "",
		"other/go.mod": "module elsewhere\n", "other/versions.env": "", "other/bin/h2lab": "",
		"other/certs/make.sh": "",
		"half/go.mod":         "module h2lab\n", "half/bin/h2lab": "",
		"home/bin/h2lab": "",
		"fake/go.mod":    "module h2lab // other\nmodule h2labs\n", "fake/versions.env": "", "fake/bin/h2lab": "",
	})
	in := func(name string) string { return filepath.Join(root, name) }
	labtest.Check(t, os.Symlink(in("lab/bin/h2lab"), in("home/bin/link")))
	labtest.Check(t, os.Symlink(in("lab"), in("home/lab")))
	f := labtest.NewFaults(t, labtest.Places)
	for _, c := range []struct {
		name    string
		program Origin
		want    string
	}{
		{"the program is started in its own checkout", Origin{Path: in("lab/bin/h2lab"), Dir: in("lab")}, in("lab")},
		{"the program is started in another directory", Origin{Path: in("lab/bin/h2lab"), Dir: in("home")}, in("lab")},
		{"the program is started in another project", Origin{Path: in("lab/bin/h2lab"), Dir: in("other")}, in("lab")},
		{"the program is a symbolic link into a checkout", Origin{
			Path: in("home/bin/link"),
			Dir:  in("home"),
		}, in("lab")},
		{"the checkout is reached through a symbolic link", Origin{
			Path: in("home/lab/bin/h2lab"),
			Dir:  in("home"),
		}, in("lab")},
		{"the program was copied out of its checkout", Origin{Path: in("home/bin/h2lab"), Dir: in("home")}, ""},
		{"a copied program is started in a checkout", Origin{Path: in("home/bin/h2lab"), Dir: in("lab")}, ""},
		{"the directory above bin/ is of another module", Origin{Path: in("other/bin/h2lab"), Dir: in("other")}, ""},
		{"the directory above bin/ has no versions.env", Origin{Path: in("half/bin/h2lab"), Dir: in("half")}, ""},
		{"the module's name only begins like the project's", Origin{Path: in("fake/bin/h2lab"), Dir: in("fake")}, ""},
		{"go run, in the checkout", Origin{
			Path:   in("home/bin/h2lab"),
			Source: in("lab"),
			Dir:    in("lab/docs"),
		}, in("lab")},
		{"go install, started elsewhere", Origin{Path: in("home/bin/h2lab"), Source: in("lab"), Dir: in("home")}, ""},
		{"go install, from a checkout that is gone", Origin{
			Path:   in("home/bin/h2lab"),
			Source: in("gone"),
			Dir:    in("home"),
		}, ""},
	} {
		f.Try(c.name, func(t *testing.T) {
			got, err := c.program.Find()
			if got != c.want || errors.Is(err, ErrNoCheckout) != (c.want == "") {
				t.Errorf("%+v: %q, %v; want %q", c.program, got, err, c.want)
			}
		})
	}
}

func TestThisTestLiesInItsCheckout(t *testing.T) {
	p, err := This()
	labtest.Check(t, err)
	if p.Source == "" {
		t.Skip("built with -trimpath, and so without the directory of its sources")
	}
	want, err := filepath.EvalSymlinks(labtest.Root(t))
	labtest.Check(t, err)
	if got, err := p.Find(); got != want || err != nil {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
}

func TestOwnDirectoriesOfTheCheckoutAreKnown(t *testing.T) {
	root := written(t, map[string]string{"bin/h2lab": "", "results/x": ""})
	labtest.Check(t, os.Symlink("bin", filepath.Join(root, "link")))
	for dir, want := range map[string]string{"": ".", "bin": "bin", "bin/deeper/still": "bin", "results": "",
		"results/mine": "", "new": "",
		"../elsewhere": "", "link/x": "bin", "var": "var"} {
		if got := Owner(root, filepath.Join(root, dir)); got != want {
			t.Errorf("%q is owned by %q, want %q", dir, got, want)
		}
	}
}

// The list must contain every directory of the tree.
func TestEveryDirectoryThatGitKeepsIsKnown(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "git", "ls-files", "-z")
	cmd.Dir = labtest.Root(t)
	out, err := cmd.Output()
	labtest.Check(t, err)
	seen := 0
	for name := range strings.SplitSeq(string(out), "\x00") {
		if first, _, below := strings.Cut(name, "/"); below {
			seen++
			if !slices.Contains(own, first) {
				t.Fatalf("%s is no own directory: add it to own", first)
			}
		}
	}
	if seen < 100 {
		t.Fatalf("git lists only %d files", seen)
	}
}
