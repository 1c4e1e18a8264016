package tools_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
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
	write(t, filepath.Join(root, "tools", "servers.sh"), read(t, "servers.sh"))
	for name, script := range made {
		write(t, filepath.Join(root, "tools", name), "#!/bin/sh\n"+script+"\n")
	}
	cmd := exec.CommandContext(t.Context(), filepath.Join(root, "tools", "servers.sh"), args...)
	cmd.Env = []string{"PATH=" + path}
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return root, string(out), cmd.ProcessState.ExitCode()
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

func TestAServerThatDoesNotRunIsNotMovedIn(t *testing.T) {
	root, said, status := servers(t, fakePackage("usr/bin/h2o", "echo broken; exit 7"), nil, "h2o")
	if status != 1 || !strings.Contains(said, "the unpacked h2o does not run on this machine: broken; next: ") {
		t.Errorf("exit status %d:\n%s", status, said)
	}
	if left, _ := filepath.Glob(filepath.Join(root, "tools", "servers", "*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// Each program that the integration test looks for must be one that servers.sh makes.
func TestEveryServerOfTheIntegrationTestCanBeHad(t *testing.T) {
	list := read(t, "get/servers_list.sh")
	asked := regexp.MustCompile(`program: "([a-z0-9-]+)"|(?:nginx|haproxy)\("([a-z0-9-]+)"`)
	names := map[string]bool{}
	for _, file := range []string{"servers_configs_integration_test.go", "servers_integration_test.go"} {
		for _, m := range asked.FindAllStringSubmatch(read(t, filepath.Join("../cmd/h2lab", file)), -1) {
			names[m[1]+m[2]] = true
		}
	}
	if len(names) < 8 {
		t.Fatalf("only %d programs found: %v", len(names), names)
	}
	for name := range names {
		if !strings.Contains(list, "\n"+name+" ") {
			t.Errorf("%s is no line of tools/get/servers_list.sh", name)
		}
	}
}
