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

// interrupt stops a docker command.
var interrupt = syscall.SIGTERM

// composeMajor and composeMinor are the oldest Compose known to read docker-compose.yml correctly.
const composeMajor, composeMinor = 2, 20

// EngineInfo has the versions of Docker.
type EngineInfo struct {
	Engine  string // version of the server
	Compose string // version of the plugin
}

// Engine checks that the Docker runtime can work: a docker command, an engine that answers it, a
// compose plugin that is new enough. Its error has the reason and a next step.
func Engine(ctx context.Context) (EngineInfo, error) {
	var server, plugin string
	var serverErr, pluginErr error
	var group await.Group
	group.Go(func() { server, serverErr = question(ctx, "version", "--format", "{{.Server.Version}}") })
	group.Go(func() { plugin, pluginErr = question(ctx, "compose", "version", "--short") })
	group.Wait()
	if serverErr != nil {
		return EngineInfo{}, fmt.Errorf("no Docker engine answers (%w); start one (systemctl start docker), or "+
			"use RUNTIME=native", serverErr)
	}
	var hung *child.HungError
	if errors.As(pluginErr, &hung) {
		return EngineInfo{}, fmt.Errorf("docker's compose plugin does not answer (%w); or use RUNTIME=native",
			pluginErr)
	}
	if pluginErr != nil {
		return EngineInfo{}, fmt.Errorf("docker has no compose plugin; install it (Debian, Ubuntu: apt-get install "+
			"docker-compose-plugin) or build it: %s", buildPlugin)
	}
	info := EngineInfo{Engine: strings.TrimSpace(server), Compose: strings.TrimPrefix(strings.TrimSpace(plugin), "v")}
	if !newEnough(info.Compose) {
		return info, fmt.Errorf("the compose plugin is %s and %d.%d or newer is required; build one: %s",
			info.Compose, composeMajor, composeMinor, buildPlugin)
	}
	return info, nil
}

// buildPlugin builds the pinned Compose and installs it where docker looks for plugins.
const buildPlugin = "tools/compose/build.sh && install -D tools/bin/docker-compose ~/.docker/cli-plugins/docker-compose"

// newEnough compares the first two numbers of a version. It accepts a version that it can't parse
// (a build from source may print "dev").
func newEnough(version string) bool {
	v, known := versions.Of("docker compose", version)
	return !known || v.AtLeast(composeMajor, composeMinor)
}

// labUser is uid:gid for every process of the pod: the user who runs h2lab, since only that user
// can read the keys and delete the results. A rootless engine already maps root to that user.
func labUser(ctx context.Context) string {
	options, err := docker(ctx, os.Environ(), "info", "--format", "{{json .SecurityOptions}}")
	if err != nil || strings.Contains(options, "name=rootless") || os.Getuid() < 0 {
		return "0:0"
	}
	return fmt.Sprintf("%d:%d", os.Getuid(), os.Getgid())
}
