package tools_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
)

// slidesIn runs slides.sh in a copy of the project that has only these files, and these programs.
func slidesIn(t *testing.T, files []string, programs map[string]string) (stdout, stderr string, status int) {
	t.Helper()
	root, path := checkout(t, programs)
	labtest.WriteProgram(t, filepath.Join(root, "tools", "slides.sh"), labtest.Read(t, "slides.sh"))
	for _, name := range append(files, "tools/slides/package-lock.json") {
		labtest.Check(t, os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755))
		labtest.WriteProgram(t, filepath.Join(root, name), "")
	}
	cmd := exec.CommandContext(t.Context(), filepath.Join(root, "tools", "slides.sh"))
	cmd.Env = []string{"PATH=" + path, "HOME=" + root}
	var out, said strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &said
	_ = cmd.Run() // its status is below
	return out.String(), said.String(), cmd.ProcessState.ExitCode()
}

func TestWithoutNodeTheSlidesSayWhatToInstall(t *testing.T) {
	for missing, programs := range map[string]map[string]string{
		"go":   {"node": "exit 0", "npm": "exit 0"},
		"node": {"go": "exit 0", "npm": "exit 0"},
		"npm":  {"go": "exit 0", "node": "exit 0"},
	} {
		out, said, status := slidesIn(t, []string{"slides/slides.html", "slides/slides.zh.html"}, programs)
		if status != 3 || out != "" || strings.Count(said, "\n") != 1 ||
			!strings.HasPrefix(said, "slides: "+missing+" is missing; next: install ") {
			t.Errorf("without %s: status %d, %q, %q", missing, status, out, said)
		}
	}
}

func TestSlidesAreThoseOfABundleOrAreBuilt(t *testing.T) {
	both := []string{".bundle", "slides/slides.html", "slides/slides.zh.html"}
	for name, c := range map[string]struct {
		files    []string
		programs map[string]string
		status   int
		out, end string // of stdout and stderr
	}{
		"a bundle":                       {both, nil, 0, "slides/slides.html\nslides/slides.zh.html\n", ""},
		"a bundle with one file of two":  {both[:2], nil, 3, "", "\n"},
		"a fetch that fails":             {nil, map[string]string{"go": "echo built", "node": "exit 0", "npm": "echo E404 >&2; exit 1"}, 1, "", "next: cd tools/slides && npm ci --ignore-scripts\n"},
		"a checkout with Go and Node.js": {nil, map[string]string{"go": "echo built $*", "node": "exit 0", "npm": "exit 0"}, 0, "built run ./tools/slides\n", ""},
	} {
		out, said, status := slidesIn(t, c.files, c.programs)
		if status != c.status || out != c.out || !strings.HasSuffix(said, c.end) || (c.end == "") != (said == "") {
			t.Errorf("%s: status %d, %q, %q", name, status, out, said)
		}
	}
}
