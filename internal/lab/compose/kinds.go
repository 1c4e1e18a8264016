package compose

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"

	"h2lab/internal/base/platform"
)

// EngineInfo is what a Docker engine says about itself, and what follows from it
// (docs/docker.md has a section for each kind).
type EngineInfo struct {
	Engine  string // version of the server
	Compose string // version of the plugin
	Kind    Kind
	Arch    string // of the machine that runs the containers, as Go names it
	// User is uid:gid for every process that uses the checkout's files; AsSeen knows better for a VM.
	User string
	// LimitsCPU is whether the engine can limit a container's processor time.
	LimitsCPU bool
	// VM is whether containers run in a virtual machine, which sees only the directories that are shared
	// with it.
	VM bool
}

// Kind is a kind of engine that differs in what the lab needs.
type Kind string

// The kinds of engines.
const (
	Rootful   Kind = "Docker"
	Rootless  Kind = "rootless Docker"
	Desktop   Kind = "Docker Desktop"
	Remapping Kind = "Docker with userns-remap"
	Podman    Kind = "podman"
)

// String describes the engine in a few words.
func (e EngineInfo) String() string {
	return fmt.Sprintf("%s %s, linux/%s, Compose %s", e.Kind, e.Engine, e.Arch, e.Compose)
}

// serverVersion has the fields of `docker version` that are used here.
type serverVersion struct {
	Version, Os, Arch string
	Components        []struct{ Name string }
}

// serverInfo has the fields of `docker info` that are used here.
type serverInfo struct {
	OperatingSystem string
	SecurityOptions []string
	CPUCfsQuota     *bool `json:"CpuCfsQuota"` // nil where the engine doesn't say
}

// judge decides what kind of engine it is, and whether the lab's containers can run on it.
func judge(v serverVersion, i serverInfo) (EngineInfo, error) {
	if v.Version == "" {
		return EngineInfo{}, errors.New("docker describes no engine, as podman's own docker command does; use Docker's " +
			"command with podman's socket (systemctl --user start podman.socket; export " +
			"DOCKER_HOST=unix://$XDG_RUNTIME_DIR/podman/podman.sock), or RUNTIME=native")
	}
	if v.Os != "linux" {
		return EngineInfo{}, fmt.Errorf("the engine runs %s containers, and the lab's are for Linux; switch it: "+
			"Docker Desktop's menu, Switch to Linux containers", v.Os)
	}
	e := EngineInfo{Engine: v.Version, Kind: kindOf(v, i), Arch: goArch(v.Arch), User: "0:0",
		LimitsCPU: i.CPUCfsQuota == nil || *i.CPUCfsQuota}
	e.VM = e.Kind == Desktop || platform.NoNative(runtime.GOOS) != nil
	if !i.rootless() && e.Kind != Desktop && os.Getuid() >= 0 {
		e.User = fmt.Sprintf("%d:%d", os.Getuid(), os.Getgid())
	}
	return e, nil
}

func kindOf(v serverVersion, i serverInfo) Kind {
	switch {
	case len(v.Components) > 0 && v.Components[0].Name == "Podman Engine":
		return Podman
	case strings.HasPrefix(i.OperatingSystem, "Docker Desktop"):
		return Desktop
	case i.rootless():
		return Rootless
	case i.option("userns"):
		return Remapping
	}
	return Rootful
}

// rootless reports that the engine maps root to its own user, so that root owns the user's files
// (docs.docker.com/engine/security/rootless/uid-gid-mapping).
func (i serverInfo) rootless() bool { return i.option("rootless") }

// option reports whether a security option is set, with whatever parameters.
func (i serverInfo) option(name string) bool {
	return slices.ContainsFunc(i.SecurityOptions, func(o string) bool {
		first, _, _ := strings.Cut(o, ",")
		return first == "name="+name || first == name // podman leaves name= out in some versions
	})
}

// goArch is an architecture as Go names it; engines use Go's names, some tools in front of them uname's.
func goArch(arch string) string {
	switch arch {
	case "x86_64":
		return "amd64"
	case "aarch64":
		return "arm64"
	}
	return arch
}
