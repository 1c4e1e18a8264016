package tools_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
)

// The fakes of a release: a git with one commit, a go that writes an h2lab, and the programs that
// tools/release/build.sh makes.
const (
	fakeGit = `case "$1 $2" in
"rev-parse --verify") echo 8026854 ;;
"status --porcelain") printf '%s' "$CHANGES" ;;
"tag --points-at") printf '%s' "$TAG" ;;
esac`
	fakeGoBuild = `while [ "$1" != -o ]; do shift; done
cat >"$2" <<'END'
#!/bin/sh
case $1 in
version) printf '{\n  "version": %s,\n}\n' "${VERSION-\"v0.1.0\"}" ;;
*) echo "$*" ;;
esac
END
chmod +x "$2"`
	fakeGoReleaser = `echo "goreleaser $* as $H2LAB_VERSION" >&2
[ -z "$BROKEN" ] || exit 1
mkdir -p dist && touch dist/h2lab.tar.gz dist/h2lab.zip dist/h2lab_SHA256SUMS`
)

// makeDist runs tools/release/dist.sh with fakes and returns what it prints and its exit status.
func makeDist(t *testing.T, scripts map[string]string, env []string, args ...string) (said string, status int) {
	t.Helper()
	root, path := t.TempDir(), t.TempDir()
	labtest.WriteProgram(t, filepath.Join(root, "tools", "release", "dist.sh"), labtest.Read(t, "release/dist.sh"))
	labtest.WriteProgram(t, filepath.Join(root, "tools", "release", "build.sh"), "#!/bin/sh\n")
	labtest.WriteProgram(t, filepath.Join(root, "tools", "bin", "goreleaser"), "#!/bin/sh\n"+fakeGoReleaser+"\n")
	labtest.WriteProgram(t, filepath.Join(root, "tools", "bin", "h2lab-notices"), "#!/bin/sh\n")
	labtest.WriteProgram(t, filepath.Join(root, ".git", "HEAD"), "")
	programs(t, path, scripts, "sh", "dirname", "rm", "mkdir", "sed", "touch", "ls", "cat", "chmod")
	cmd := exec.CommandContext(t.Context(), filepath.Join(root, "tools", "release", "dist.sh"), args...)
	cmd.Env = append([]string{"PATH=" + path}, env...)
	return ended(t, cmd)
}

func TestDistSaysWhatItMakesAndWhyItCanNot(t *testing.T) {
	both := map[string]string{"git": fakeGit, "go": fakeGoBuild}
	for name, c := range map[string]struct {
		scripts map[string]string
		env     []string
		args    []string
		status  int
		want    string
	}{
		"a tagged commit is a release": {both, []string{"TAG=v0.1.0"}, nil, 0,
			"goreleaser release --clean --skip=publish,announce as 0.1.0\n"},
		"changed files are a snapshot": {both, []string{"TAG=v0.1.0", "CHANGES= M README.md"}, nil, 0,
			"the working tree has uncommitted changes, so this is a snapshot (0.1.0), not a release; next: commit, tag, make dist\n" +
				"goreleaser release --clean --snapshot --skip=publish,announce as 0.1.0\n"},
		"a commit without a tag is a snapshot": {both, nil, nil, 0,
			"the commit has no version tag, so this is a snapshot (0.1.0), not a release; next: git tag v0.1.0 && make dist\n" +
				"goreleaser release --clean --snapshot --skip=publish,announce as 0.1.0\n"},
		"an argument": {both, nil, []string{"linux"}, 2, "dist: unknown argument 'linux'; next: make dist\n"},
		"no Go":       {map[string]string{"git": fakeGit}, nil, nil, 3, "dist: there is no go on the PATH; next: install go\n"},
		"no git":      {map[string]string{"go": fakeGoBuild}, nil, nil, 3, "dist: there is no git on the PATH; next: install git\n"},
		"no clone": {map[string]string{"go": fakeGoBuild, "git": "exit 128"}, nil, nil, 1,
			"is no git clone with a commit, so a release has no version; next: git clone the project, and run make dist there\n"},
		"a linked worktree": {map[string]string{"go": fakeGoBuild, "git": "rm -r .git; touch .git"}, nil, nil, 1,
			"is a linked worktree, in which Go records no version; next: git clone . ../release && make -C ../release dist\n"},
		"a build that fails": {map[string]string{"git": fakeGit, "go": "echo 'no required module' >&2; exit 1"}, nil, nil, 1,
			"dist: h2lab can't be built; next: make build\n"},
		"a program without a version": {both, []string{"VERSION=null"}, nil, 1,
			"dist: the built h2lab has no version; next: go version -m tools/release/out/h2lab\n"},
		"a GoReleaser that fails": {both, []string{"BROKEN=1"}, nil, 1,
			"dist: GoReleaser failed; its messages are above; next: tools/bin/goreleaser check\n"},
	} {
		t.Run(name, func(t *testing.T) {
			said, status := makeDist(t, c.scripts, c.env, c.args...)
			if status != c.status || !strings.Contains(said, c.want) {
				t.Errorf("exit status %d, want %d with %q:\n%s", status, c.status, c.want, said)
			}
		})
	}
}
