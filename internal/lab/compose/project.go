package compose

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"h2lab/internal/base/child"
)

// ProjectName is the lab's Compose project name, which is a label of all its containers and
// networks.
const ProjectName = "h2lab"

// Checkout is where the containers have the checkout.
const Checkout = "/lab"

const projectLabel = "label=com.docker.compose.project=" + ProjectName

// Project is docker-compose.yml in a root directory, with its variables. Use one Project from Up to
// Down: Compose recreates services when their variables change.
type Project struct {
	Root string
	// Variables override the environment for docker-compose.yml: see the function Variables.
	Variables map[string]string
	// Log gets progress lines of slow steps (pulls, builds); nil discards them.
	Log io.Writer
	// Distance gives the lab container what a delay line needs (docker/distance.yml).
	Distance bool
	// Engine is what Engine returned; the zero value asks the engine when it is needed.
	Engine EngineInfo
}

// Variables are the variables of docker-compose.yml for a CPU limit (nil is none) and, by server,
// other configurations than its own.
func Variables(cpus *float64, configs map[string]string) map[string]string {
	out := map[string]string{"CPUS": "0"}
	if cpus != nil {
		out["CPUS"] = strconv.FormatFloat(*cpus, 'f', -1, 64)
	}
	for server, config := range configs {
		name := strings.ToUpper(strings.ReplaceAll(server, "-", "_")) + "_CONF"
		out[name] = filepath.ToSlash(config)
	}
	return out
}

// engine is what the engine said of itself. One that doesn't answer makes the next docker command fail,
// with the reason.
func (p *Project) engine(ctx context.Context) EngineInfo {
	if p.Engine.Arch == "" {
		if e, err := describe(ctx); err == nil {
			p.Engine = e
		}
	}
	return p.Engine
}

// env is docker's environment.
func (p *Project) env(ctx context.Context) []string {
	env := os.Environ()
	if os.Getenv("LAB_USER") == "" {
		env = append(env, "LAB_USER="+p.engine(ctx).User)
	}
	env = append(env, "LAB_PROGRAMS=given") // tools/build.sh has made them
	// COMPOSE_PROFILES and COMPOSE_FILE in the user's shell are for other projects.
	env = append(env, "COMPOSE_PROFILES=", "COMPOSE_IGNORE_ORPHANS=true")
	for _, name := range slices.Sorted(maps.Keys(p.Variables)) {
		env = append(env, name+"="+p.Variables[name])
	}
	return env
}

// args are the arguments of a compose command.
func (p *Project) args(words ...string) []string {
	root := p.Root
	if abs, err := filepath.Abs(root); err == nil {
		root = abs
	}
	args := []string{"compose", "--project-directory", root, "--file", filepath.Join(root, "docker-compose.yml")}
	if p.Distance {
		args = append(args, "--file", filepath.Join(root, "docker", "distance.yml"))
	}
	args = append(args, "--env-file", filepath.Join(root, versionsFile), "--progress", "plain", "--ansi", "never")
	return append(args, words...)
}

// compose runs a compose command and returns its stdout.
func (p *Project) compose(ctx context.Context, words ...string) (string, error) {
	return docker(ctx, p.env(ctx), p.args(words...)...)
}

// Up builds the lab's own image where it is missing or out of date, starts services (with pod and
// backend) and waits until each is healthy. Its error has the logs of unhealthy services; the caller's
// Down removes those that did start.
func (p *Project) Up(ctx context.Context, services ...string) error {
	for _, dir := range []string{"var", "results"} { // else the engine creates them, as root
		if err := os.MkdirAll(filepath.Join(p.Root, dir), 0o755); err != nil {
			return fmt.Errorf("a directory for the containers: %w", err)
		}
	}
	if err := p.build(ctx, "pod", "h2lab:local", "docker/Dockerfile"); err != nil {
		return err
	}
	args := p.args(append([]string{"up", "--detach", "--no-build", "--wait", "--wait-timeout", "120"}, services...)...)
	words := &progress{to: p.Log}
	if _, err := command(ctx, child.Spec{Env: p.env(ctx), Stdout: words, Stderr: words}, args...); err != nil {
		if ctx.Err() != nil {
			return err
		}
		return fmt.Errorf("%w%s%s", err, p.troubles(ctx), hint(err))
	}
	return nil
}

// Down removes the containers, networks and volumes of the project in root, whatever variables they
// were started with. Call it with a context that has not ended.
func Down(ctx context.Context, root string) error {
	// Without this, Compose would read CPUS=none from the environment, a value only h2lab accepts.
	p := &Project{Root: root, Variables: Variables(nil, nil)}
	_, err := p.compose(ctx, "--profile", "lab", "--profile", "h2-upstream", "--profile", "clients", "--profile", "plain",
		"down", "--remove-orphans", "--volumes", "--timeout", "5")
	left, lookErr := Orphans(ctx)
	if err == nil && lookErr == nil && len(left) > 0 {
		err = fmt.Errorf("left after docker compose down: %s; remove them with: docker rm -f NAME, docker "+
			"network rm NAME", strings.Join(left, ", "))
	}
	return errors.Join(err, lookErr)
}

// Orphans lists what the engine still has of the project: containers (including stopped ones),
// networks and volumes, by kind and name.
func Orphans(ctx context.Context) ([]string, error) {
	var out []string
	for _, kind := range []struct {
		name string
		args []string
	}{
		{"container", []string{"ps", "--all", "--filter", projectLabel, "--format", "{{.Names}}"}},
		{"network", []string{"network", "ls", "--filter", projectLabel, "--format", "{{.Name}}"}},
		{"volume", []string{"volume", "ls", "--filter", projectLabel, "--format", "{{.Name}}"}},
	} {
		names, err := docker(ctx, os.Environ(), kind.args...)
		if err != nil {
			return out, err
		}
		for _, name := range strings.Fields(names) {
			out = append(out, kind.name+" "+name)
		}
	}
	return out, nil
}
