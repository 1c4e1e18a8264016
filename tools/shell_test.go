package tools_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
)

// labInputs are the files that tools/shell.sh reads.
var labInputs = []string{"tools/shell.sh", "tools/get.sh", "tools/envoy/requirements.txt", "tools/k6/go.mod",
	"tools/k6/go.sum", "docker/lab/Dockerfile", "docker/lab/enter.sh", "docker/lab/ca/README.md", "versions.env",
	"go.mod", "go.sum"}

// fakeEngine answers as an engine: $FAKE/about is what Docker's `info` prints, $FAKE/rootless podman's, $FAKE/container what inspecting the
// container prints, $FAKE/inputs the label of the image; a missing file is a failure. It logs other
// commands, one word a line.
const fakeEngine = `log() { printf '%s\n' "--- ${0##*/}" "$@" >>"$FAKE/log"; }
case $1:$2 in
info:*) case $3 in *Rootless*) cat "$FAKE/rootless" ;; *) cat "$FAKE/about" ;; esac ;;
image:inspect) cat "$FAKE/inputs" ;;
container:inspect) cat "$FAKE/container" ;;
build:*)
	log "$@"
	for word in "$@"; do case $word in h2lab.inputs=*) echo "${word#*=}" >"$FAKE/inputs" ;; esac; done
	;;
*) log "$@"; exit "${FAKE_STATUS:-0}" ;;
esac 2>/dev/null`

// lab is a checkout for tools/shell.sh, a PATH with a fake engine, and what the engine answers.
type lab struct{ root, path, fake string }

func newLab(t *testing.T, engine, about string) *lab {
	t.Helper()
	l := &lab{root: t.TempDir(), path: t.TempDir(), fake: t.TempDir()}
	parts, _ := filepath.Glob("../tools/get/*.sh")
	for _, name := range append(parts, labInputs...) {
		name = strings.TrimPrefix(name, "../")
		labtest.WriteProgram(t, filepath.Join(l.root, name), labtest.Read(t, filepath.Join("..", name)))
	}
	scripts := map[string]string{"uname": "echo Linux 6.1.0", "id": `[ "$1" = -u ] && echo 501 || echo 20`}
	if engine != "" {
		scripts[engine] = fakeEngine
	}
	programs(t, l.path, scripts, append(slices.Clone(utilities), "cksum")...)
	if about != "" {
		labtest.WriteProgram(t, filepath.Join(l.fake, "about"), about+"\n")
	}
	return l
}

func (l *lab) kernel(t *testing.T, name string) {
	t.Helper()
	labtest.WriteProgram(t, filepath.Join(l.path, "uname"), "#!/bin/sh\necho "+name+"\n")
}

// shell runs tools/shell.sh and returns its output, its exit status and the engine's log.
func (l *lab) shell(t *testing.T, env ...string) (said string, status int, log string) {
	t.Helper()
	_ = os.Remove(filepath.Join(l.fake, "log"))
	cmd := exec.CommandContext(t.Context(), filepath.Join(l.root, "tools", "shell.sh"))
	cmd.Env = append([]string{"PATH=" + l.path, "FAKE=" + l.fake}, env...)
	said, status = ended(t, cmd)
	text, _ := os.ReadFile(filepath.Join(l.fake, "log"))
	return said, status, string(text)
}

// words are the lines of the engine's log in one line, for comparisons.
func words(log string) string { return strings.ReplaceAll(log, "\n", " ") }

const plainDocker = "linux Debian GNU/Linux 12 (bookworm) [name=seccomp,profile=default name=cgroupns]"

func TestTheShellSaysWhatKeepsItFromStarting(t *testing.T) {
	f := labtest.NewFaults(t, labtest.Places)
	for _, c := range []struct {
		name, engine, about string
		env                 []string
		status              int
		says                string
	}{
		{"make shell without an engine's program", "", "", nil, 3, "neither docker nor podman is on the PATH; next: install Docker"},
		{"make shell with an engine that doesn't answer", "docker", "", nil, 3, "no engine answers docker; next: start it"},
		{"make shell with an engine for Windows containers", "docker", "windows Docker Desktop []", nil, 3,
			`next: choose "Switch to Linux containers"`},
		{"make shell WITH=jaav", "docker", plainDocker, []string{"WITH=jaav"}, 2, "WITH=jaav is unknown; next: make shell"},
	} {
		f.Try(c.name, func(t *testing.T) {
			l := newLab(t, c.engine, c.about)
			said, status, log := l.shell(t, c.env...)
			if status != c.status || !strings.Contains(said, c.says) || strings.Count(said, "\n") != 1 || log != "" {
				t.Errorf("status %d, want %d with one line %q: %s\n%s", status, c.status, c.says, said, log)
			}
		})
	}
	f.Try("make shell in a path with a colon", func(t *testing.T) {
		l := newLab(t, "docker", plainDocker)
		odd := filepath.Join(t.TempDir(), "a:b")
		labtest.Check(t, os.Rename(l.root, odd))
		l.root = odd
		if said, status, _ := l.shell(t); status != 1 || !strings.Contains(said, "the path has a colon") {
			t.Errorf("status %d: %s", status, said)
		}
	})
	f.Try("make shell while the lab container of another checkout runs", func(t *testing.T) {
		l := newLab(t, "docker", plainDocker)
		labtest.WriteProgram(t, filepath.Join(l.fake, "container"), "true h2lab-lab:local /elsewhere\n")
		said, status, log := l.shell(t)
		if status != 1 || !strings.Contains(said, "h2lab-lab:local /elsewhere; next: end its shell with exit, or: docker rm -f h2lab-lab") ||
			log != "" {
			t.Errorf("status %d: %s\n%s", status, said, log)
		}
	})
}

func TestTheShellIsTheUserWhoOwnsTheFiles(t *testing.T) {
	for _, c := range []struct{ name, engine, kernel, about, env, want string }{
		{"Docker on Linux", "docker", "Linux 6.1.0", plainDocker, "", "--user 501:20"},
		{"Docker without root", "docker", "Linux 6.1.0", "linux Ubuntu [name=seccomp name=rootless]", "", "--user 0:0"},
		{"Docker Desktop on a Mac", "docker", "Darwin 25.0.0", "linux Docker Desktop [name=seccomp]", "", "--user 0:0"},
		{"another engine on a Mac", "docker", "Darwin 25.0.0", "linux Alpine Linux v3.20 []", "", "--user 0:0"},
		{"Docker Desktop on Linux", "docker", "Linux 6.1.0", "linux Docker Desktop []", "", "--user 0:0"},
		{"Docker Desktop in WSL", "docker", "Linux 5.15.0-microsoft-standard-WSL2", "linux Docker Desktop []", "",
			"--user 501:20"},
		{"userns-remap", "docker", "Linux 6.1.0", "linux Debian [name=seccomp name=userns]", "", "--userns host"},
		{"podman without root", "podman", "Linux 6.1.0", "", "", "--user 0:0"},
		{"LAB_USER", "docker", "Linux 6.1.0", plainDocker, "LAB_USER=7:8", "--user 7:8"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newLab(t, c.engine, c.about)
			l.kernel(t, c.kernel)
			if c.engine == "podman" { // which has no field OSType
				labtest.WriteProgram(t, filepath.Join(l.fake, "rootless"), "true\n")
			}
			said, status, log := l.shell(t, c.env)
			if status != 0 || !strings.Contains(words(log), " "+c.want+" ") {
				t.Errorf("status %d, want %q: %s\n%s", status, c.want, said, words(log))
			}
		})
	}
}

func TestTheImageIsBuiltWhenItsInputsHaveChangedAndOnlyThen(t *testing.T) {
	l := newLab(t, "docker", plainDocker)
	built := func(env ...string) bool {
		t.Helper()
		said, status, log := l.shell(t, env...)
		if status != 0 {
			t.Fatalf("status %d: %s", status, said)
		}
		if log != "" && !strings.Contains(log, "\nrun\n") {
			t.Fatalf("nothing runs: %s", log)
		}
		return strings.Contains(log, "\nbuild\n")
	}
	if !built() {
		t.Error("the first time it isn't built")
	}
	if built() {
		t.Error("the second time it is built again")
	}
	for _, name := range []string{"docker/lab/Dockerfile", "docker/lab/enter.sh", "go.sum", "tools/get/deb.sh"} {
		path := filepath.Join(l.root, name)
		labtest.WriteProgram(t, path, labtest.Read(t, path)+"\n# changed\n")
		if !built() || built() {
			t.Errorf("after a change of %s it is not built once", name)
		}
	}
	labtest.WriteProgram(t, filepath.Join(l.root, "docker/lab/ca/company.crt"), "a certificate authority")
	if !built() || built() {
		t.Error("with a certificate authority of the network it is not built once")
	}
	path := filepath.Join(l.root, "versions.env")
	labtest.WriteProgram(t, path, strings.Replace(labtest.Read(t, path), "LAB_BASE=debian", "LAB_BASE=mirror/debian", 1))
	if !built() || built() {
		t.Error("after a change of LAB_BASE it is not built once")
	}
	if !built("LAB_BASE=other/debian") {
		t.Error("another LAB_BASE in the environment doesn't build it")
	}
	labtest.Write(t, filepath.Join(l.root, "README.md"), "changed")
	if built("LAB_BASE=other/debian") {
		t.Error("a file that is no input builds it")
	}
}

// A command reaches the container's shell unchanged, whatever is in it, and its status comes back.
func TestACommandReachesTheContainerAndItsStatusComesBack(t *testing.T) {
	for _, command := range []string{"make repro QUICK=1", `echo "a  b" 'c' $HOME; exit 7 | cat`, "a\nb", "--help", "*"} {
		l := newLab(t, "docker", plainDocker)
		said, status, log := l.shell(t, "CMD="+command, "FAKE_STATUS=7")
		if status != 7 || !strings.HasSuffix(log, "\nbash\n-c\n"+command+"\n") {
			t.Errorf("CMD=%q: status %d: %s\n%s", command, status, said, log)
		}
	}
}

func TestARunningContainerGetsASecondShellAndAStoppedOneIsRemoved(t *testing.T) {
	l := newLab(t, "docker", plainDocker)
	container := filepath.Join(l.fake, "container")
	for state, want := range map[string]string{
		"true":  "--- docker exec -i h2lab-lab bash ",
		"false": "--- docker rm -f h2lab-lab --- docker build ",
	} {
		_ = os.Remove(filepath.Join(l.fake, "inputs"))
		labtest.WriteProgram(t, container, fmt.Sprintf("%s h2lab-lab:local %s\n", state, l.root))
		if said, status, log := l.shell(t); status != 0 || !strings.HasPrefix(words(log), want) {
			t.Errorf("running %s: status %d, want %q: %s\n%s", state, status, want, said, words(log))
		}
	}
}

// The host's directories are there before the engine could make them as root, and the container gets no
// right that it doesn't need.
func TestTheContainerIsConfinedAndPublishesOnePortOnLoopback(t *testing.T) {
	l := newLab(t, "docker", plainDocker)
	_, status, log := l.shell(t, "WITH=java")
	for _, want := range []string{"--rm", "--volume " + l.root + ":/lab", "--publish 127.0.0.1:18190:18190",
		"--security-opt no-new-privileges", "h2lab-lab-java:local bash", "--target lab-java"} {
		if !strings.Contains(words(log), " "+want+" ") {
			t.Errorf("%q is missing in %s", want, words(log))
		}
	}
	for _, never := range []string{"--privileged", "--cap-add", "0.0.0.0", "docker.sock"} {
		if strings.Contains(log, never) {
			t.Errorf("it has %s: %s", never, words(log))
		}
	}
	if strings.Count(log, "--publish\n") != 1 || status != 0 {
		t.Errorf("status %d: %s", status, words(log))
	}
	for _, dir := range []string{"bin", "tools/bin", "var"} {
		if info, err := os.Stat(filepath.Join(l.root, dir)); err != nil || !info.IsDir() {
			t.Errorf("%s: %v", dir, err)
		}
	}
	_, status, log = l.shell(t, "WITH=distance")
	if want := " --user 0:0 "; status != 0 || !strings.Contains(words(log), want) ||
		!strings.Contains(words(log), " --cap-add NET_ADMIN --cap-add SYS_ADMIN --device /dev/net/tun h2lab-lab:local bash") {
		t.Errorf("with a distance: status %d: %s", status, words(log))
	}
	// On the host's own network a forwarder would listen on the host's addresses.
	_, _, log = l.shell(t, "LAB_NETWORK=host")
	if strings.Contains(log, "--publish\n") || !strings.Contains(words(log), " --env LAB_PUBLISH= ") {
		t.Errorf("on the host's network: %s", words(log))
	}
}
