package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"h2lab/internal/base/exitstatus"
	"h2lab/internal/lab/compose"
)

// The runtimes. runtimePod is the runtime of an h2lab inside the pod, which adopts the servers that
// run there; users can't choose it.
const (
	runtimeAuto   = "auto"
	runtimeNative = "native"
	runtimeDocker = "docker"
	runtimePod    = "pod"
)

// knownRuntime rejects a name that is no runtime.
func knownRuntime(asked string) error {
	switch asked {
	case runtimeAuto, runtimeNative, runtimeDocker:
		return nil
	}
	return exitstatus.WrongUsage(fmt.Errorf("RUNTIME=%s is unknown: choose from docker, native, auto", asked))
}

// chooseRuntime resolves RUNTIME and returns the reason for the choice.
func chooseRuntime(a *app, asked string) (runtime, why string, err error) {
	switch asked {
	case runtimeNative:
		return asked, "as asked", nil
	case runtimeDocker:
		if reason := dockerLacks(a.ctx, a.root); reason != nil {
			return "", "", exitstatus.Lacks(fmt.Errorf("RUNTIME=docker: %w", reason))
		}
		return asked, "as asked", nil
	case runtimeAuto:
		if reason := dockerLacks(a.ctx, a.root); reason != nil {
			return runtimeNative, "auto, since " + reason.Error(), nil
		}
		return runtimeDocker, "auto: its engine answers and the images can be had", nil
	}
	return "", "", knownRuntime(asked)
}

// dockerLacks returns what keeps the Docker runtime from working, or nil.
func dockerLacks(ctx context.Context, root string) error {
	if abs, err := filepath.Abs(root); err == nil && strings.Contains(abs, ":") {
		return fmt.Errorf("the path %s has a colon, so Docker can't mount it: move the checkout", abs)
	}
	ctx, cancel := context.WithTimeout(ctx, 90*time.Second)
	defer cancel()
	if _, err := compose.Engine(ctx); err != nil {
		return err
	}
	images, err := compose.Images(root)
	if err != nil {
		return err
	}
	return compose.ImagesAvailable(ctx, images)
}
