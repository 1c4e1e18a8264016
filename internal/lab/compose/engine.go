package compose

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"syscall"

	"h2lab/internal/base/await"
	"h2lab/internal/base/child"
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
