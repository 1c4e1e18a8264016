package tools_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
)

// fakeGo is a fake go of one system that builds programs of one line: what they were built for.
func fakeGo(os, arch string) string {
	return `case $1 in
env) case $2 in GOOS) echo "${GOOS:-` + os + `}";; GOARCH) echo "${GOARCH:-` + arch + `}";; esac;;
build)
	echo "$*" >>"$GO_CALLS"
	while [ "$1" != -o ]; do shift; done
	mkdir -p "$(dirname "$2")" && rm -f "$2"
	echo "${GOOS:-` + os + `}/${GOARCH:-` + arch + `} $3" >"$2" && chmod +x "$2";;
esac`
}

// building runs tools/build.sh in a copy of the checkout, and returns its output, its status, how many
// programs were compiled, and the text of a file.
type building struct {
	root, path, calls string
}

func newBuilding(t *testing.T, scripts map[string]string) building {
	t.Helper()
	b := building{root: t.TempDir(), path: t.TempDir(), calls: filepath.Join(t.TempDir(), "calls")}
	labtest.WriteProgram(t, filepath.Join(b.root, "tools", "build.sh"), labtest.Read(t, "build.sh"))
	programs(t, b.path, scripts, "sh", "dirname", "mkdir", "rm", "ln", "cp", "chmod")
	return b
}

func (b building) run(t *testing.T, args ...string) (said string, status int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), filepath.Join(b.root, "tools", "build.sh"), args...)
	cmd.Env = []string{"PATH=" + b.path, "GO_CALLS=" + b.calls}
	return ended(t, cmd)
}

func (b building) compiled() int {
	data, _ := os.ReadFile(b.calls)
	return strings.Count(string(data), "\n")
}

func TestProgramsForContainersAreForLinuxAndTheEnginesArchitecture(t *testing.T) {
	for _, c := range []struct {
		name, os, arch string
		args           []string
		file, holds    string
		compiled       int
	}{
		{"a Mac's own", "darwin", "arm64", nil, "bin/h2lab", "darwin/arm64 ./cmd/h2lab", 3},
		{"for the engine of a Mac", "darwin", "arm64", []string{"linux", "arm64"}, "bin/linux/arm64/backend",
			"linux/arm64 ./backend", 3},
		{"for an engine of another architecture", "linux", "amd64", []string{"linux", "arm64"},
			"bin/linux/arm64/go-client", "linux/arm64 ./clients/go", 3},
		{"on Linux both are one", "linux", "amd64", nil, "bin/linux/amd64/h2lab", "linux/amd64 ./cmd/h2lab", 3},
		{"on Linux the engine's are this machine's", "linux", "amd64", []string{"linux", "amd64"}, "bin/h2lab",
			"linux/amd64 ./cmd/h2lab", 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBuilding(t, map[string]string{"go": fakeGo(c.os, c.arch)})
			if said, status := b.run(t, c.args...); status != 0 || said != "" {
				t.Fatalf("status %d: %s", status, said)
			}
			if got := labtest.Read(t, filepath.Join(b.root, c.file)); strings.TrimSpace(got) != c.holds {
				t.Errorf("%s holds %q, want %q", c.file, got, c.holds)
			}
			if got := b.compiled(); got != c.compiled {
				t.Errorf("%d programs were compiled, want %d", got, c.compiled)
			}
		})
	}
}

func TestABuildLinksItsProgramsForContainersOrCopiesThem(t *testing.T) {
	mac := newBuilding(t, map[string]string{"go": fakeGo("darwin", "arm64")})
	mac.run(t)
	if _, err := os.Stat(filepath.Join(mac.root, "bin", "linux")); err == nil {
		t.Error("bin/linux has programs that were not built for Linux")
	}
	b := newBuilding(t, map[string]string{"go": fakeGo("linux", "amd64"), "ln": "exit 1"})
	said, status := b.run(t)
	if got := labtest.Read(t, filepath.Join(b.root, "bin/linux/amd64/backend")); !strings.Contains(got, "linux/amd64") || status != 0 {
		t.Errorf("without links it holds %q, status %d: %s", got, status, said)
	}
}

func TestBuildWithoutGoNeedsABundleWithThesePrograms(t *testing.T) {
	for _, c := range []struct {
		name   string
		files  []string
		args   []string
		status int
	}{
		{"no bundle", nil, nil, 3},
		{"a bundle", []string{".bundle", "bin/h2lab", "bin/backend", "bin/go-client"}, nil, 0},
		{"a bundle for another machine", []string{".bundle", "bin/h2lab", "bin/backend", "bin/go-client"},
			[]string{"linux", "arm64"}, 3},
		{"a bundle with programs for containers", []string{".bundle", "bin/linux/arm64/h2lab", "bin/linux/arm64/backend",
			"bin/linux/arm64/go-client"}, []string{"linux", "arm64"}, 0},
		{"a target that nobody runs", nil, []string{"plan9"}, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBuilding(t, nil)
			for _, name := range c.files {
				labtest.WriteProgram(t, filepath.Join(b.root, name), "")
			}
			said, status := b.run(t, c.args...)
			if status != c.status || (status != 0) != strings.Contains(said, "build: ") {
				t.Errorf("status %d: %s", status, said)
			}
		})
	}
}
