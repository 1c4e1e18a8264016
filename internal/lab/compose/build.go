package compose

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"h2lab/internal/base/child"
)

// inputsLabel is the label of an image with the hash of what it was built from.
const inputsLabel = "h2lab.inputs"

// build builds the image of a service where it is missing or was built from something else.
// `docker compose build` would ask the registry for the bases even where nothing has changed, and so
// fail without a network.
func (p *Project) build(ctx context.Context, service, image, dockerfile string) error {
	env := p.env(ctx)
	value, err := p.values(env)
	if err != nil {
		return err
	}
	want, err := inputs(p.Root, dockerfile, p.engine(ctx).Arch, value)
	if err != nil {
		return err
	}
	if builtFrom(ctx, image) == want {
		return nil
	}
	words := &progress{to: p.Log}
	_, err = command(ctx, child.Spec{Env: append(env, "LAB_INPUTS="+want), Stdout: words, Stderr: words},
		p.args("build", service)...)
	return err
}

// builtFrom is the hash in an image's label; empty without the image or the label.
func builtFrom(ctx context.Context, image string) string {
	said, err := docker(ctx, os.Environ(), "image", "inspect", "--format", "{{json .Config.Labels}}", image)
	var labels map[string]string
	if err != nil || json.Unmarshal([]byte(said), &labels) != nil {
		return ""
	}
	return labels[inputsLabel]
}

// values looks a variable up as Compose does: the environment first, then versions.env.
func (p *Project) values(env []string) (func(string) string, error) {
	data, err := os.ReadFile(filepath.Join(p.Root, versionsFile))
	if err != nil {
		return nil, err
	}
	found := map[string]string{}
	for line := range strings.Lines(string(data)) {
		if image, ok := parseImage(line); ok {
			found[image.Variable] = image.Name
		}
	}
	for _, line := range env {
		if name, value, _ := strings.Cut(line, "="); value != "" {
			found[name] = value
		}
	}
	return func(name string) string { return found[name] }, nil
}
