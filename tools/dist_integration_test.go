//go:build integration

package tools_test

import (
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"debug/elf"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"h2lab/internal/base/labtest"
)

// The released version and time of the copies that the test builds.
const (
	released   = "0.98.7"
	releasedAt = "2026-01-02T03:04:05Z"
)

// A release is made twice, in two directories, the second time with a build cache that has the
// dependencies and none of the project's packages. .goreleaser.yaml names six systems; two of them,
// one for each form of archive, show what the others would.
func TestTwoReleasesOfACommitAreTheSameBytes(t *testing.T) {
	first, second := release(t, "a"), release(t, "in/another place")
	made := dist(t, first, nil)
	again := dist(t, second, []string{"GOCACHE=" + cacheOfDependencies(t, second)})
	if len(made) != 5 { // two archives, two SBOMs, the sums
		t.Fatalf("made %q", names(made))
	}
	for name, data := range made {
		if !bytes.Equal(data, again[name]) {
			t.Errorf("%s: %d and %d bytes differ", name, len(data), len(again[name]))
		}
	}
	if !slices.Equal(names(made), names(again)) {
		t.Errorf("%q and %q", names(made), names(again))
	}
	sumsAreRight(t, made)
	for _, archive := range []string{"linux_amd64.tar.gz", "windows_amd64.zip"} {
		t.Run(archive, func(t *testing.T) {
			name := "h2lab_" + released + "_" + archive
			files := unpacked(t, name, made[name])
			holdsWhatThePageSays(t, files)
			isReleased(t, files, first, made[name+".cdx.json"])
		})
	}
}

// release copies the project as it is here, with two systems instead of six, into a repository with
// one commit and a version tag.
func release(t *testing.T, under string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), under)
	labtest.Check(t, os.MkdirAll(dir, 0o755))
	shell(t, "..", "git ls-files -z --cached --others --exclude-standard | tar --null --ignore-failed-read -cf - -T - | tar -xf - -C \"$0\"", dir)
	config := labtest.Read(t, filepath.Join(dir, ".goreleaser.yaml"))
	for six, two := range map[string]string{"[linux, darwin, windows]": "[linux, windows]", "[amd64, arm64]": "[amd64]"} {
		if !strings.Contains(config, six) {
			t.Fatalf(".goreleaser.yaml doesn't build for %s", six)
		}
		config = strings.Replace(config, six, two, 1)
	}
	labtest.WriteProgram(t, filepath.Join(dir, ".goreleaser.yaml"), config)
	shell(t, dir, `git init -q -b main . && git config user.name lab && git config user.email lab@example.org &&
git add -A && git commit -q -m release && git tag v`+released)
	// The programs that make a release, as they are built here already: .goreleaser.yaml and its
	// archives are tested, not the compiler of GoReleaser.
	shell(t, "..", `mkdir -p "$0/tools/bin" && cp tools/bin/goreleaser tools/bin/h2lab-notices tools/bin/h2lab-sbom "$0/tools/bin"`, dir)
	return dir
}

func shell(t *testing.T, dir, script string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", append([]string{"-euc", script}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_AUTHOR_DATE="+releasedAt, "GIT_COMMITTER_DATE="+releasedAt)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", script, err, out)
	}
}

// dist makes the release and returns what it made for users.
func dist(t *testing.T, dir string, env []string) map[string][]byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "tools/release/dist.sh")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	began := time.Now()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("dist.sh: %v\n%s", err, out)
	}
	if strings.Contains(string(out), "snapshot") {
		t.Errorf("a tagged commit without changes made a snapshot:\n%s", out)
	}
	t.Logf("dist.sh took %v", time.Since(began).Round(time.Second))
	made := map[string][]byte{}
	found, _ := filepath.Glob(filepath.Join(dir, "dist", "h2lab_"+released+"_*"))
	for _, path := range found {
		made[filepath.Base(path)] = []byte(labtest.Read(t, path))
	}
	return made
}

func names(made map[string][]byte) (out []string) {
	for name := range made {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// cacheOfDependencies is a build cache with what the dependencies compile to, and nothing of the
// project's own. Its entries are those of the usual cache: NAME-a, whose name begins with a
// package's action id (the first half of its build id), and the NAME-d that it names
// (cmd/go/internal/cache).
func cacheOfDependencies(t *testing.T, dir string) string {
	t.Helper()
	cache := t.TempDir()
	copied := 0
	for _, goos := range []string{"linux", "windows"} {
		cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", "-export", "-trimpath", "-f",
			"{{if not (and .Module .Module.Main)}}{{.BuildID}} {{.Export}}{{end}}", "./cmd/h2lab")
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOOS="+goos, "GOARCH=amd64", "CGO_ENABLED=0")
		out, err := cmd.Output()
		labtest.Check(t, err)
		for _, line := range strings.Split(string(out), "\n") {
			id, object, found := strings.Cut(line, " ")
			action, _, _ := strings.Cut(id, "/")
			if found && object != "" {
				copied += copyEntry(t, cache, action, object)
			}
		}
	}
	if copied < 200 {
		t.Fatalf("only %d packages found in the build cache", copied)
	}
	return cache
}

// copyEntry copies the entry of a package and its object file, and returns the number of entries.
func copyEntry(t *testing.T, cache, action, object string) int {
	t.Helper()
	prefix := fmt.Sprintf("%x", decode(t, action))
	entries, _ := filepath.Glob(filepath.Join(filepath.Dir(filepath.Dir(object)), prefix[:2], prefix+"*-a"))
	for _, from := range append(entries, object) {
		to := filepath.Join(cache, filepath.Base(filepath.Dir(from)), filepath.Base(from))
		if _, err := os.Stat(to); err == nil {
			continue
		}
		labtest.WriteProgram(t, to, labtest.Read(t, from))
	}
	return len(entries)
}

func sumsAreRight(t *testing.T, made map[string][]byte) {
	t.Helper()
	sums := strings.TrimSpace(string(made["h2lab_"+released+"_SHA256SUMS"]))
	lines := strings.Split(sums, "\n")
	if len(lines) != len(made)-1 {
		t.Errorf("the sums are of %d files, there are %d:\n%s", len(lines), len(made)-1, sums)
	}
	for _, line := range lines {
		sum, name, _ := strings.Cut(line, "  ")
		if got := fmt.Sprintf("%x", sha256.Sum256(made[name])); got != sum {
			t.Errorf("%s: %s in the sums, it is %s", name, sum, got)
		}
	}
}

// listed finds the tree of an archive in docs/install.md.
var listed = regexp.MustCompile("(?s)```text\n(h2lab_VERSION_OS_ARCH/\n.*?)```")

// holdsWhatThePageSays compares an archive with docs/install.md.
func holdsWhatThePageSays(t *testing.T, files map[string]file) {
	t.Helper()
	m := listed.FindStringSubmatch(labtest.Read(t, "../docs/install.md"))
	if m == nil {
		t.Fatal("docs/install.md doesn't list an archive's files")
	}
	var want []string
	dir := ""
	for _, line := range strings.Split(strings.TrimSpace(m[1]), "\n")[1:] {
		name, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch {
		case strings.HasSuffix(name, "/"):
			dir = name
		case strings.HasPrefix(line, "    "):
			want = append(want, dir+name)
		default:
			want = append(want, name)
		}
	}
	var got []string
	for name, f := range files {
		got = append(got, strings.TrimSuffix(name, ".exe"))
		if f.modified != releasedAt || f.owner != "root/root 0/0" {
			t.Errorf("%s is of %s and belongs to %s", name, f.modified, f.owner)
		}
		if executable := strings.HasPrefix(name, "h2lab"); executable != (f.mode == 0o755) || !executable && f.mode != 0o644 {
			t.Errorf("%s has mode %o", name, f.mode)
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("in the archive are\n%q, docs/install.md lists\n%q", got, want)
	}
}

// isReleased checks the program, the notices and the SBOM of an archive.
func isReleased(t *testing.T, files map[string]file, root string, document []byte) {
	t.Helper()
	program := files["h2lab"].data
	if program == nil {
		program = files["h2lab.exe"].data
	} else {
		isStatic(t, program)
	}
	if len(program) > 40_000_000 {
		t.Errorf("the program has %d bytes, more than 40 MB", len(program))
	}
	if bytes.Contains(program, []byte(filepath.Dir(root))) {
		t.Errorf("the program contains the directory it was built in, %s", root)
	}
	info, err := buildinfo.Read(bytes.NewReader(program))
	labtest.Check(t, err)
	if info.Main.Version != "v"+released {
		t.Errorf("the program's version is %s", info.Main.Version)
	}
	notices := string(files["THIRD_PARTY_NOTICES"].data)
	bom := readBOM(t, document)
	if bom.Metadata.Timestamp != releasedAt {
		t.Errorf("the SBOM is of %s", bom.Metadata.Timestamp)
	}
	for _, m := range info.Deps {
		if !strings.Contains(notices, "\n"+m.Path+"@"+m.Version+" (") {
			t.Errorf("THIRD_PARTY_NOTICES lacks %s@%s", m.Path, m.Version)
		}
		if !bom.has(m.Path, m.Version) {
			t.Errorf("the SBOM lacks %s@%s, or its licence", m.Path, m.Version)
		}
	}
	if got := len(bom.Components); got != len(info.Deps)+1 { // and the standard library
		t.Errorf("the SBOM lists %d components, the program links %d modules", got, len(info.Deps))
	}
}

func isStatic(t *testing.T, program []byte) {
	t.Helper()
	f, err := elf.NewFile(bytes.NewReader(program))
	labtest.Check(t, err)
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP || p.Type == elf.PT_DYNAMIC {
			t.Errorf("the program isn't static: it has a segment %v", p.Type)
		}
	}
	path := filepath.Join(t.TempDir(), "h2lab")
	labtest.WriteProgram(t, path, string(program))
	out, err := exec.CommandContext(t.Context(), path, "version", "--json").Output()
	var said struct {
		Version, Date string
		Modified      *bool
	}
	if err == nil {
		err = json.Unmarshal(out, &said)
	}
	if err != nil || said.Version != "v"+released || said.Date != releasedAt || said.Modified == nil || *said.Modified {
		t.Errorf("%v: it says %s", err, out)
	}
}

func TestGoReleaserAcceptsItsConfiguration(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "tools/bin/goreleaser", "check")
	cmd.Dir, cmd.Env = "..", append(os.Environ(), "H2LAB_VERSION=0.0.0")
	if out, err := cmd.CombinedOutput(); err != nil || strings.Contains(string(out), "DEPRECATED") {
		t.Errorf("goreleaser check: %v\n%s", err, out)
	}
}
