package tools_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
)

// servers runs tools/servers.sh in a separate checkout and returns its output and exit status.
func servers(t *testing.T, scripts map[string]string, made map[string]string,
	args ...string) (root, said string, status int) {
	t.Helper()
	root, path := checkout(t, scripts)
	for _, name := range []string{"find", "ldd", "ln", "xargs"} {
		if at, err := exec.LookPath(name); err == nil && scripts[name] == "" {
			_ = os.Symlink(at, filepath.Join(path, name))
		}
	}
	labtest.WriteProgram(t, filepath.Join(root, "tools", "servers.sh"), labtest.Read(t, "servers.sh"))
	programs(t, filepath.Join(root, "tools"), made)
	cmd := exec.CommandContext(t.Context(), filepath.Join(root, "tools", "servers.sh"), args...)
	cmd.Env = []string{"PATH=" + path}
	said, status = ended(t, cmd)
	return root, said, status
}

func TestServersSayWhatToDoNext(t *testing.T) {
	apt := map[string]string{"apt-get": "echo 'Could not resolve host' >&2; exit 100", "dpkg-deb": "exit 1",
		"ldd": "exit 0"}
	for name, c := range map[string]struct {
		scripts map[string]string
		args    []string
		status  int
		want    string
	}{
		"an unknown server": {nil, []string{"iis"}, 2, "unknown server 'iis'; next: use one of: nginx "},
		"two servers": {nil, []string{"h2o", "caddy"}, 2,
			"one server at most, not 2; next: tools/servers.sh all"},
		"no apt": {nil, []string{"h2o"}, 3,
			"there is no apt-get to unpack the package of h2o with; next: run the integration tests on Debian"},
		"apt without a network": {apt, []string{"caddy"}, 1, "Could not resolve host; next: look at the network"},
		"unstable and no Debian": {map[string]string{"apt-get": "exit 0", "dpkg-deb": "exit 0", "ldd": "exit 0"},
			[]string{"haproxy-current"}, 3, "has no mirror of Debian; next: name one: DEBIAN_MIRROR="},
		"a server that doesn't run": {fakePackage("usr/bin/h2o", "echo broken; exit 7"), []string{"h2o"}, 1,
			"the unpacked h2o does not run on this machine: broken; next: "},
		"a tool that get.sh lacks": {nil, []string{"nginx"}, 3,
			"there is no apt-get to unpack a package with; next: install nginx"},
	} {
		t.Run(name, func(t *testing.T) {
			root, said, status := servers(t, c.scripts, nil, c.args...)
			if !strings.Contains(said, c.want) || status != c.status {
				t.Errorf("exit status %d, want %d with %q:\n%s", status, c.status, c.want, said)
			}
			for _, pattern := range []string{"servers/*", "bin/.new.*"} {
				if left, _ := filepath.Glob(filepath.Join(root, "tools", pattern)); len(left) > 0 {
					t.Errorf("left behind: %q", left)
				}
			}
		})
	}
}

// fakePackage is a fake apt and dpkg-deb with one package, whose program prints a line.
func fakePackage(program, script string) map[string]string {
	return map[string]string{
		"apt-get": `for last; do :; done; case "$*" in *download*) : >"${last}_1_all.deb" ;; esac`,
		"dpkg-deb": "[ \"$1\" = -x ] || exit 0\nmkdir -p \"$3/$(dirname " + program +
			")\"\nprintf '#!/bin/sh\\n%s\\n' '" + script + "' >\"$3/" + program + "\"\nchmod 755 \"$3/" +
			program + "\"",
		"ldd": "exit 0",
	}
}

func TestAServerIsUnpackedAndThenLeftAlone(t *testing.T) {
	root, said, status := servers(t, fakePackage("usr/bin/h2o", "echo h2o version 2.2.5"), nil, "h2o")
	if status != 0 || !strings.Contains(said, "h2o is in tools/servers now, made in") {
		t.Fatalf("exit status %d:\n%s", status, said)
	}
	again := exec.CommandContext(t.Context(), filepath.Join(root, "tools", "servers.sh"), "h2o")
	out, err := again.CombinedOutput()
	if err != nil || len(out) != 0 {
		t.Errorf("asked again: %v, %q; want silence", err, out)
	}
	ran, err := exec.CommandContext(t.Context(), filepath.Join(root, "tools", "servers", "bin", "h2o"),
		"--version").Output()
	if err != nil || string(ran) != "h2o version 2.2.5\n" {
		t.Errorf("the launcher: %v, %q", err, ran)
	}
}

func TestAServerOfTwoPackagesHasBoth(t *testing.T) {
	scripts := fakePackage("usr/sbin/lighttpd", "echo lighttpd/1.4.69")
	scripts["dpkg-deb"] = `[ "$1" = -x ] || exit 0
case $2 in
*/lighttpd_*) mkdir -p "$3/usr/sbin"; printf '#!/bin/sh\necho lighttpd/1.4.69\n' >"$3/usr/sbin/lighttpd"; chmod 755 "$3/usr/sbin/lighttpd" ;;
*) mkdir -p "$3/usr/lib/lighttpd"; : >"$3/usr/lib/lighttpd/mod_openssl.so" ;;
esac`
	root, said, status := servers(t, scripts, nil, "lighttpd")
	if status != 0 {
		t.Fatalf("exit status %d:\n%s", status, said)
	}
	for _, name := range []string{"usr/sbin/lighttpd", "usr/lib/lighttpd/mod_openssl.so"} {
		if _, err := os.Stat(filepath.Join(root, "tools", "servers", "lighttpd", name)); err != nil {
			t.Error(err)
		}
	}
}

func TestAServerThatIsBuiltRunsItsBuild(t *testing.T) {
	build := "../internal/field/systems/servers/java/build.sh"
	root, said, status := servers(t, nil, map[string]string{build: "echo built >>\"$0.ran\""}, "java")
	ran := labtest.Read(t, filepath.Join(root, "tools", build+".ran"))
	if status != 0 || said != "" || ran != "built\n" {
		t.Errorf("exit status %d, it ran %q; want silence and one run:\n%s", status, ran, said)
	}
	_, said, status = servers(t, nil, map[string]string{build: "echo 'no Maven' >&2; exit 1"}, "java")
	if status != 1 || !strings.Contains(said, "no Maven\ntools: java could not be built; next: ") {
		t.Errorf("exit status %d:\n%s", status, said)
	}
}
