package compose

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"h2lab/internal/base/child"
)

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
