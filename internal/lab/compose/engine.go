package compose

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"h2lab/internal/base/await"
	"h2lab/internal/base/child"
	"h2lab/internal/base/system"
	"h2lab/internal/base/versions"
)

// interrupt stops a docker command.
var interrupt = syscall.SIGTERM

// composeMajor and composeMinor are the oldest Compose known to read docker-compose.yml correctly:
// 2.20 knows depends_on.required.
const composeMajor, composeMinor = 2, 20

// Engine checks that the Docker runtime can work: a docker command, an engine for Linux containers
// that answers it, a compose plugin that is new enough. Its error has the reason and a next step.
func Engine(ctx context.Context) (EngineInfo, error) {
	var info EngineInfo
	var plugin string
	var err, pluginErr error
	var group await.Group
	group.Go(func() { info, err = describe(ctx) })
	group.Go(func() { plugin, pluginErr = question(ctx, "compose", "version", "--short") })
	group.Wait()
	if err != nil {
		return EngineInfo{}, err
	}
	if err := goodPlugin(plugin, pluginErr); err != nil {
		return info, err
	}
	info.Compose = strings.TrimPrefix(strings.TrimSpace(plugin), "v")
	return info, nil
}

// describe asks the engine about itself.
func describe(ctx context.Context) (EngineInfo, error) {
	var version, info string
	var versionErr, infoErr error
	var group await.Group
	group.Go(func() { version, versionErr = question(ctx, "version", "--format", "{{json .Server}}") })
	group.Go(func() { info, infoErr = question(ctx, "info", "--format", "{{json .}}") })
	group.Wait()
	if versionErr != nil {
		return EngineInfo{}, fmt.Errorf("no Docker engine answers (%w); start one (systemctl start docker), or "+
			"use RUNTIME=native", versionErr)
	}
	if infoErr != nil {
		return EngineInfo{}, fmt.Errorf("the Docker engine doesn't describe itself (%w); ask it: docker info", infoErr)
	}
	var v serverVersion
	var i serverInfo
	if err := errors.Join(json.Unmarshal([]byte(version), &v), json.Unmarshal([]byte(info), &i)); err != nil {
		return EngineInfo{}, fmt.Errorf("the Docker engine doesn't describe itself in JSON (%w); ask it: docker version", err)
	}
	return judge(v, i)
}

// goodPlugin is why the compose plugin is of no use, or nil.
func goodPlugin(said string, err error) error {
	var hung *child.HungError
	switch {
	case errors.As(err, &hung):
		return fmt.Errorf("docker's compose plugin does not answer (%w); or use RUNTIME=native", err)
	case err != nil:
		return fmt.Errorf("docker has no compose plugin; install it (Debian, Ubuntu: apt-get install "+
			"docker-compose-plugin) or build it: %s", buildPlugin)
	case strings.Contains(said, "podman-compose"):
		return fmt.Errorf("docker compose is podman-compose here, which ignores `pid: service:` "+
			"(containers/podman-compose#554); put Docker's plugin first: %s", buildPlugin)
	}
	plugin := strings.TrimPrefix(strings.TrimSpace(said), "v")
	// A version that can't be parsed is accepted: a build from source may print "dev".
	if v, known := versions.Of("docker compose", plugin); known && !v.AtLeast(composeMajor, composeMinor) {
		return fmt.Errorf("the compose plugin is %s and %d.%d or newer is required; build one: %s",
			plugin, composeMajor, composeMinor, buildPlugin)
	}
	return nil
}

// buildPlugin builds the pinned Compose and installs it where docker looks for plugins.
const buildPlugin = "tools/compose/build.sh && install -D tools/bin/docker-compose ~/.docker/cli-plugins/docker-compose"

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
	e.VM = e.Kind == Desktop || system.NoNative(runtime.GOOS) != nil
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

// Shared checks that containers see the checkout, as far as can be known without a download: with the
// nginx image, if it is here.
func Shared(ctx context.Context, e EngineInfo, root string) error {
	_, err := owner(ctx, e, root, "never")
	return err
}

// AsSeen is the engine with the user who owns the checkout inside its containers. An engine in a virtual
// machine shows the files of this machine's user as root's or as that user's, depending on its system
// and version (docker/docs#21232), so AsSeen looks.
func (e EngineInfo) AsSeen(ctx context.Context, root string) (EngineInfo, error) {
	user, err := owner(ctx, e, root, "missing")
	if user != "" {
		e.User = user
	}
	return e, err
}

// uidGid is the answer of owner's script.
var uidGid = regexp.MustCompile(`^\d+:\d+$`)

// owner is the user who owns the checkout in a container, or empty where that is unknown. On this
// machine it is not asked. An engine in a virtual machine or on another machine sees only what is shared
// with it, and may mount an empty directory for anything else. The image's own shell answers.
func owner(ctx context.Context, e EngineInfo, root, pull string) (string, error) {
	if !e.VM && !elsewhere(ctx) {
		return "", nil
	}
	abs, err := filepath.Abs(root)
	if err != nil {
		return "", err
	}
	image, err := imageOf(root, "NGINX_IMAGE")
	if err != nil {
		return "", err
	}
	args := []string{"run", "--rm", "--pull", pull, "--network", "none", "--volume", abs + ":" + Checkout + ":ro",
		"--entrypoint", "sh", image, "-c", "test -e " + Checkout + "/" + versionsFile + " || exit 9; stat -c %u:%g " +
			Checkout + "/" + versionsFile}
	r, err := command(ctx, child.Spec{}, args...)
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil && (r.Status == 9 || hint(errors.New(r.Stderr)) != "") {
		return "", fmt.Errorf("%s runs containers in a virtual machine or on another machine, which doesn't see %s; %s",
			e.Kind, abs, share)
	}
	said := strings.TrimSpace(r.Stdout)
	if err != nil || !uidGid.MatchString(said) {
		return "", nil
	}
	return said, nil
}

// elsewhere reports whether the docker command talks to an engine by the network.
func elsewhere(ctx context.Context) bool {
	host, err := question(ctx, "context", "inspect", "--format", "{{.Endpoints.docker.Host}}")
	host = strings.TrimSpace(host)
	return err == nil && (strings.HasPrefix(host, "ssh://") || strings.HasPrefix(host, "tcp://"))
}

// container has the fields of `docker inspect` that are used here.
type container struct {
	Name  string
	State struct {
		Status   string // running, exited, …
		ExitCode int
		Health   *struct {
			Status string
			Log    []struct{ Output string }
		}
	}
	HostConfig struct {
		NanoCpus  int64
		CpuQuota  int64
		CpuPeriod int64
	}
	Config struct{ Labels map[string]string }
}

func (c container) service() string { return c.Config.Labels["com.docker.compose.service"] }

// ill reports whether a container is not in the state that `up --wait` requires.
func (c container) ill() bool {
	return c.State.Status != "running" || c.State.Health != nil && c.State.Health.Status != "healthy"
}

// containers are the project's containers, including stopped ones.
func containers(ctx context.Context) ([]container, error) {
	ids, err := docker(ctx, os.Environ(), "ps", "--all", "--quiet", "--filter", projectLabel)
	if err != nil || strings.TrimSpace(ids) == "" {
		return nil, err
	}
	text, err := docker(ctx, os.Environ(),
		append([]string{"inspect", "--type", "container"}, strings.Fields(ids)...)...)
	if err != nil {
		return nil, err
	}
	var out []container
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		return nil, fmt.Errorf("docker inspect did not answer with JSON: %w", err)
	}
	return out, nil
}

// ReadBack asks the engine for the actual CPU limit of each service; nil is unlimited.
func ReadBack(ctx context.Context, services ...string) (map[string]*float64, error) {
	all, err := containers(ctx)
	if err != nil {
		return nil, err
	}
	found := map[string]*float64{}
	for _, c := range all {
		found[c.service()] = c.cpus()
	}
	out := map[string]*float64{}
	for _, name := range services {
		cpus, ok := found[name]
		if !ok {
			return nil, fmt.Errorf("service %s has no container; start it: docker compose up --wait %s", name, name)
		}
		out[name] = cpus
	}
	return out, nil
}

func (c container) cpus() *float64 {
	var cpus float64
	switch h := c.HostConfig; {
	case h.NanoCpus > 0:
		cpus = float64(h.NanoCpus) / 1e9
	case h.CpuQuota > 0 && h.CpuPeriod > 0:
		cpus = float64(h.CpuQuota) / float64(h.CpuPeriod)
	default:
		return nil
	}
	return &cpus
}

// troubles describes every container that is not healthy: its state, the output of its last health
// check, and its last log lines.
func (p *Project) troubles(ctx context.Context) string {
	all, err := containers(ctx)
	if err != nil {
		return ""
	}
	var b strings.Builder
	for _, c := range all {
		if !c.ill() || c.State.Status == "created" {
			continue
		}
		fmt.Fprintf(&b, "\n%s is %s", c.service(), c.State.Status)
		if c.State.Status == "exited" {
			fmt.Fprintf(&b, " with status %d", c.State.ExitCode)
		}
		if h := c.State.Health; h != nil {
			fmt.Fprintf(&b, ", %s", h.Status)
			if n := len(h.Log); n > 0 {
				fmt.Fprintf(&b, "; its health check: %s", lastLines(h.Log[n-1].Output, 2))
			}
		}
		if logs := p.logs(ctx, c.service()); logs != "" {
			fmt.Fprintf(&b, "; its last output:\n%s", logs)
		}
	}
	return b.String()
}

// logs are a service's last log lines.
func (p *Project) logs(ctx context.Context, service string) string {
	text, err := p.compose(ctx, "logs", "--no-color", "--no-log-prefix", "--tail", "20", service)
	if err != nil {
		return ""
	}
	return lastLines(text, 20)
}

// Exec runs a program in a running service, as the service's user: nginx -v and nginx -T, which the
// lab's own image does not have. The engine may enter every container, whoever asks it.
func (p *Project) Exec(ctx context.Context, service string, argv ...string) (stdout, stderr string, err error) {
	args := p.args(append([]string{"exec", "-T", service}, argv...)...)
	r, err := command(ctx, child.Spec{Env: p.env(ctx)}, args...)
	return r.Stdout, r.Stderr, err
}
