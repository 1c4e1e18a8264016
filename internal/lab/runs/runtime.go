package runs

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"h2lab/internal/base/exitstatus"
	"h2lab/internal/base/platform"
	"h2lab/internal/base/rooted"
	"h2lab/internal/lab/compose"
	"h2lab/internal/lab/plan"
)

// The runtimes. pod is the runtime of an h2lab inside the pod, which adopts the servers that run
// there; users can't choose it.
const (
	Auto   = "auto"
	Native = "native"
	Docker = "docker"
	pod    = "pod"
)

// knownRuntime rejects a name that is no runtime.
func knownRuntime(asked string) error {
	switch asked {
	case Auto, Native, Docker:
		return nil
	}
	return exitstatus.WrongUsage(fmt.Errorf("RUNTIME=%s is unknown: choose from docker, native, auto", asked))
}

// chooseRuntime resolves RUNTIME and returns the reason for the choice.
func (l *Lab) chooseRuntime(ctx context.Context, asked string, k plan.Knobs) (runtime, why string, err error) {
	if err := knownRuntime(asked); err != nil {
		return "", "", err
	}
	noNative := platform.NoNative(l.system())
	if asked == Native {
		return asked, "as asked", noNative
	}
	engine, reason := DockerLacks(ctx, l.Root)
	if cpus, err := k.CPUBudget(); reason == nil && err == nil {
		reason = engine.NoBudget(cpus)
	}
	switch {
	case noNative != nil && reason != nil:
		return "", "", exitstatus.Lacks(fmt.Errorf("on %s the lab requires Docker, and %s", platform.Name(l.system()),
			withoutNative(reason)))
	case noNative != nil && asked == Auto:
		return Docker, "auto: the native runtime requires Linux", nil
	case asked == Docker && reason != nil:
		return "", "", exitstatus.Lacks(fmt.Errorf("RUNTIME=docker: %w", reason))
	case asked == Docker:
		return asked, "as asked", nil
	case reason != nil:
		return Native, "auto, since " + reason.Error(), nil
	}
	return Docker, "auto: its engine answers and the images can be had", nil
}

// orNative is advice that only Linux has a use for.
var orNative = regexp.MustCompile(`[;,] or use RUNTIME=native`)

// withoutNative is the reason against Docker without the advice to use the native runtime.
func withoutNative(reason error) string { return orNative.ReplaceAllString(reason.Error(), "") }

// runtimeFile has the runtime that the user last chose for `up`; it is relative to the root.
const runtimeFile = "var/runtime"

// remember stores the runtime of an `up`. It is a convenience: if it can't be stored, `up` works.
func (l *Lab) remember(runtime string) {
	_ = rooted.WriteFile(filepath.Join(l.Root, runtimeFile), []byte(runtime+"\n"))
}

// farUp is why `up` with a distance requires the native runtime.
const farUp = "a distance (RTT, JITTER, LOSS, BANDWIDTH) of `up` is for commands that `h2lab delay` runs beside the servers"

// runtimeOfUp resolves RUNTIME for `up`: without one it is the runtime that the user chose last, so that
// `make down; make up` in a terminal without `export RUNTIME=native` starts the same servers again.
func (l *Lab) runtimeOfUp(ctx context.Context, asked string, k plan.Knobs) (runtime, why string, err error) {
	if k.Line().Any() {
		return Native, "because " + farUp, l.outsideThePod(asked, farUp)
	}
	if asked == Auto {
		text, _ := os.ReadFile(filepath.Join(l.Root, runtimeFile))
		last := strings.TrimSpace(string(text))
		if last == Native || last == Docker {
			if runtime, _, err := l.chooseRuntime(ctx, last, k); err == nil {
				return runtime, "auto: the last `up` with RUNTIME had it; RUNTIME changes it", nil
			}
		}
	}
	return l.chooseRuntime(ctx, asked, k)
}

// DockerLacks returns the engine, and what keeps the Docker runtime from working, or nil.
func DockerLacks(ctx context.Context, root string) (compose.EngineInfo, error) {
	if abs, err := filepath.Abs(root); err == nil && strings.Contains(abs[len(filepath.VolumeName(abs)):], ":") {
		return compose.EngineInfo{}, fmt.Errorf("the path %s has a colon, so Docker can't mount it: move the checkout", abs)
	}
	ctx, cancel := context.WithTimeout(ctx, 90*time.Second)
	defer cancel()
	engine, err := compose.Engine(ctx)
	if err != nil {
		return engine, err
	}
	images, err := compose.Images(root)
	if err != nil {
		return engine, err
	}
	if err := compose.ImagesAvailable(ctx, images); err != nil {
		return engine, err
	}
	return engine, compose.Shared(ctx, engine, root)
}
