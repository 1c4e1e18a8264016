package compose_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/lab/compose"
)

func TestEngineSaysWhatKeepsDockerFromWorking(t *testing.T) {
	f := labtest.NewFaults(t, labtest.Programs)
	plugin := func(branch string) string {
		return strings.Replace(well, `"compose version"*) echo 2.40.3;;`, `"compose version"*) `+branch+";;", 1)
	}
	for _, c := range []struct {
		name, docker string
		says         []string
	}{
		{"no engine answers",
			`version*|info*) echo "Cannot connect to the Docker daemon at unix:///x.sock. Is it running?" >&2; exit 1;;`,
			[]string{"no Docker engine answers", "Cannot connect", "RUNTIME=native"}},
		{"the command has no compose plugin", plugin(`echo "docker: 'compose' is not a docker command." >&2; exit 1`),
			[]string{"no compose plugin", "tools/compose/build.sh"}},
		{"the compose plugin is too old", plugin("echo v2.19.1"),
			[]string{"2.19.1", "2.20 or newer", "tools/compose/build.sh"}},
		{"the compose plugin is podman-compose", plugin("echo podman-compose version 1.0.6"),
			[]string{"podman-compose", "pid: service:"}},
		{"the engine runs Windows containers",
			answers(strings.Replace(linuxServer, "linux", "windows", 1), `{"OperatingSystem":"x"}`),
			[]string{"windows containers", "Switch to Linux containers"}},
		{"the command is podman's", answers("null", `{"host":{"arch":"amd64"}}`),
			[]string{"podman", "DOCKER_HOST=unix://$XDG_RUNTIME_DIR/podman/podman.sock"}},
		{"the engine describes itself in another format than JSON", answers("28.2.2", linuxInfo), []string{"docker version"}},
	} {
		f.Try("docker: "+c.name, func(t *testing.T) {
			fakeDocker(t, c.docker)
			_, err := compose.Engine(context.Background())
			mustSay(t, err, c.says...)
		})
	}
}

// Every kind of engine with the user that its processes need to use the checkout's files.
func TestEngineRecognisesItsKind(t *testing.T) {
	self := fmt.Sprintf("%d:%d", os.Getuid(), os.Getgid())
	options := func(list string) string {
		return `{"OperatingSystem":"Ubuntu 24.04","SecurityOptions":[` + list + `],"CpuCfsQuota":true}`
	}
	podman := strings.Replace(linuxServer, `"Engine"`, `"Podman Engine"`, 1)
	for _, c := range []struct {
		name, server, info string
		want               compose.EngineInfo
	}{
		{"the distribution's", linuxServer, linuxInfo,
			compose.EngineInfo{Kind: compose.Rootful, Arch: "amd64", User: self, LimitsCPU: true}},
		{"on ARM", strings.Replace(linuxServer, "amd64", "arm64", 1), linuxInfo,
			compose.EngineInfo{Kind: compose.Rootful, Arch: "arm64", User: self, LimitsCPU: true}},
		{"on ARM, as uname says it", strings.Replace(linuxServer, "amd64", "aarch64", 1), linuxInfo,
			compose.EngineInfo{Kind: compose.Rootful, Arch: "arm64", User: self, LimitsCPU: true}},
		{"Docker Desktop", linuxServer, `{"OperatingSystem":"Docker Desktop","CpuCfsQuota":true}`,
			compose.EngineInfo{Kind: compose.Desktop, Arch: "amd64", User: "0:0", LimitsCPU: true, VM: true}},
		{"rootless, no cpu controller", linuxServer,
			strings.Replace(options(`"name=seccomp","name=rootless"`), "true", "false", 1),
			compose.EngineInfo{Kind: compose.Rootless, Arch: "amd64", User: "0:0"}},
		{"userns-remap", linuxServer, options(`"name=userns"`),
			compose.EngineInfo{Kind: compose.Remapping, Arch: "amd64", User: self, LimitsCPU: true}},
		{"podman", podman, options(""),
			compose.EngineInfo{Kind: compose.Podman, Arch: "amd64", User: self, LimitsCPU: true}},
		{"rootless podman", podman, options(`"name=rootless"`),
			compose.EngineInfo{Kind: compose.Podman, Arch: "amd64", User: "0:0", LimitsCPU: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			fakeDocker(t, answers(c.server, c.info))
			c.want.Engine, c.want.Compose = "28.2.2", "2.40.3"
			got, err := compose.Engine(context.Background())
			if err != nil || got != c.want {
				t.Fatalf("Engine() = %+v, %v, want %+v", got, err, c.want)
			}
		})
	}
}

func TestEngineWithoutADockerCommandSaysSo(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := compose.Engine(context.Background())
	mustSay(t, err, "not in PATH", "RUNTIME=native")
}

func TestEngineThatIsCancelledReturnsTheCancellation(t *testing.T) {
	fakeDocker(t, "version*) exec sleep 30;;")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := compose.Engine(ctx)
	mustSay(t, err, context.Canceled.Error())
}

// The messages are those of moby, crun, runc and Docker Desktop.
func TestUpOnAnEngineThatCannotDoItGivesTheNextStep(t *testing.T) {
	f := labtest.NewFaults(t, labtest.Limits)
	for _, c := range []struct{ name, message, says string }{
		{"Docker without a cpu controller refuses a budget",
			"NanoCPUs can not be set, as your kernel does not support CPU CFS scheduler or " +
				"the cgroup is not mounted", "CPUS=none"},
		{"crun without a cpu controller refuses a budget",
			"crun: the requested cgroup controller `cpu` is not available: OCI runtime error",
			"CPUS=none"},
		{"runc without a cpu controller refuses a budget",
			"runc: openat2 /sys/fs/cgroup/user.slice/cpu.max: no such file or directory",
			"CPUS=none"},
		{"Docker Desktop refuses to mount a directory that isn't shared",
			"Mounts denied: The path /data/lab is not shared from the host and is not known " +
				"to Docker.", "File sharing"},
		{"a port is taken", "Bind for 127.0.0.1:18101 failed: port is already allocated", "ss -ltnp"},
	} {
		f.Try(c.name, func(t *testing.T) {
			fakeDocker(t, well+`*" up "*) cat >&2 <<'END'
`+c.message+`
END
exit 1;;
"ps --all --quiet"*) ;;`)
			err := (&compose.Project{Root: project(t, versions)}).Up(context.Background())
			mustSay(t, err, c.message, c.says)
		})
	}
}

func TestABudgetIsRefusedWhereTheEngineHasNone(t *testing.T) {
	half := 0.5
	mustSay(t, compose.EngineInfo{Kind: compose.Rootless}.NoBudget(&half), "rootless Docker", "CPUS=0.5", "CPUS=none")
	if err := (compose.EngineInfo{}).NoBudget(nil); err != nil {
		t.Errorf("without a budget: %v", err)
	}
	if err := (compose.EngineInfo{LimitsCPU: true}).NoBudget(&half); err != nil {
		t.Errorf("with the controller: %v", err)
	}
}

// What Docker Desktop shows as the owner differs between systems and versions.
func TestProcessesInAVirtualMachineAreWhoeverOwnsTheCheckoutThere(t *testing.T) {
	for _, c := range []struct{ name, docker, want string }{
		{"root", `run*"--pull missing"*"stat -c"*) echo 0:0;;`, "0:0"},
		{"the user", `run*"--pull missing"*"stat -c"*) echo 501:20;;`, "501:20"},
		{"unknown", `run*) echo "sh: not found" >&2; exit 127;;`, "7:7"},
	} {
		t.Run(c.name, func(t *testing.T) {
			fakeDocker(t, c.docker)
			e, err := compose.EngineInfo{Kind: compose.Desktop, VM: true, User: "7:7"}.AsSeen(context.Background(),
				project(t, versions))
			if err != nil || e.User != c.want {
				t.Errorf("AsSeen() = %q, %v, want %q", e.User, err, c.want)
			}
		})
	}
}

func TestACheckoutThatTheEngineDoesNotSeeIsNamed(t *testing.T) {
	desktop := compose.EngineInfo{Kind: compose.Desktop, VM: true}
	for _, c := range []struct {
		name, docker string
		engine       compose.EngineInfo
		refused      bool
	}{
		{"an empty directory is mounted", `run*) exit 9;;`, desktop, true},
		{"the mount is refused", `run*) echo "Mounts denied: x is not shared" >&2; exit 125;;`, desktop, true},
		{"it is shared", `run*"--pull never"*) ;;`, desktop, false},
		{"no image is here to look with", `run*) echo "No such image: nginx:1.31.4" >&2; exit 125;;`, desktop, false},
		{"an engine on this machine is not asked", "", compose.EngineInfo{Kind: compose.Rootful}, false},
		{"an engine on another machine", `"context inspect"*) echo ssh://me@other;;
run*) exit 9;;`, compose.EngineInfo{Kind: compose.Rootful}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("NGINX_IMAGE", "")
			calls := fakeDocker(t, c.docker+"\n"+well)
			root := project(t, versions)
			err := compose.Shared(context.Background(), c.engine, root)
			if c.refused {
				mustSay(t, err, root, "share it")
			} else if err != nil {
				t.Error(err)
			}
			if c.docker == "" && anyCall(calls(), "run ") {
				t.Errorf("docker was called with %q", calls())
			}
		})
	}
}
