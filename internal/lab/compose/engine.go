package compose

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"

	"h2lab/internal/base/await"
	"h2lab/internal/base/child"
	"h2lab/internal/base/versions"
)

// interrupt asks a docker command to stop.
var interrupt = syscall.SIGTERM

// composeMajor and composeMinor are the oldest Compose that is known to read
// docker-compose.yml as it is meant.
const composeMajor, composeMinor = 2, 20

// EngineInfo is which engine answers.
type EngineInfo struct {
	Engine  string // version of the server
	Compose string // version of the plugin
}

// Engine asks whether the Docker runtime can work at all: a docker command, an
// engine that answers it, a compose plugin that is new enough. Its error is a
// clear reason with a next step.
func Engine(ctx context.Context) (EngineInfo, error) {
	var server, plugin string
	var serverErr, pluginErr error
	var group await.Group
	group.Go(func() { server, serverErr = question(ctx, "version", "--format", "{{.Server.Version}}") })
	group.Go(func() { plugin, pluginErr = question(ctx, "compose", "version", "--short") })
	group.Wait()
	if serverErr != nil {
		return EngineInfo{}, fmt.Errorf("no Docker engine answers (%w); start one (systemctl start docker), or use RUNTIME=native", serverErr)
	}
	var hung *child.HungError
	if errors.As(pluginErr, &hung) {
		return EngineInfo{}, fmt.Errorf("docker's compose plugin does not answer (%w); or use RUNTIME=native", pluginErr)
	}
	if pluginErr != nil {
		return EngineInfo{}, fmt.Errorf("docker has no compose plugin; install it (Debian, Ubuntu: apt-get install docker-compose-plugin) "+
			"or build it: %s", buildPlugin)
	}
	info := EngineInfo{Engine: strings.TrimSpace(server), Compose: strings.TrimPrefix(strings.TrimSpace(plugin), "v")}
	if !newEnough(info.Compose) {
		return info, fmt.Errorf("the compose plugin is %s and %d.%d or newer is needed; build one: %s",
			info.Compose, composeMajor, composeMinor, buildPlugin)
	}
	return info, nil
}

// buildPlugin builds the pinned Compose and puts it where docker looks.
const buildPlugin = "tools/compose/build.sh && install -D tools/bin/docker-compose ~/.docker/cli-plugins/docker-compose"

// newEnough compares the first two numbers of a version. One that can't be
// read (a build from source may say "dev") is given the benefit of the doubt.
func newEnough(version string) bool {
	v, known := versions.Of("docker compose", version)
	return !known || v.AtLeast(composeMajor, composeMinor)
}

// labUser is uid:gid for every process of the pod: whoever runs h2lab, since
// the keys are readable and the results removable by that user alone. An engine
// without root maps root to its owner already.
func labUser(ctx context.Context) string {
	options, err := docker(ctx, os.Environ(), "info", "--format", "{{json .SecurityOptions}}")
	if err != nil || strings.Contains(options, "name=rootless") || os.Getuid() < 0 {
		return "0:0"
	}
	return fmt.Sprintf("%d:%d", os.Getuid(), os.Getgid())
}
