package runs

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"

	"h2lab/internal/base/exitstatus"
	"h2lab/internal/lab/compose"
	"h2lab/internal/lab/podexec"
)

// inDocker builds an image for each ecosystem, starts servers and clients in one pod, and measures
// with an h2lab inside it.
func (m *clientsRun) inDocker(ctx context.Context, l *Lab) error {
	_, err := l.locked(func() (_ string, err error) {
		project, err := l.composed(ctx, m.Knobs, m.topologies())
		if err != nil {
			return "", err
		}
		defer func() { err = errors.Join(err, l.dismantle(ctx)) }()
		services, err := m.images(ctx, l, project.Project)
		if err != nil {
			return "", err
		}
		if err := project.Up(ctx, append(services, project.names()...)...); err != nil {
			return "", err
		}
		return "", l.runInside(ctx, m.Request, project, m.lacks)
	})
	return err
}

// images builds the images that can be built and returns the services to start.
func (m *clientsRun) images(ctx context.Context, l *Lab, project *compose.Project) (services []string, err error) {
	for _, e := range m.ecosystems {
		if !compose.HasImage(l.Root, e.Name) {
			continue // it runs beside the h2lab that measures
		}
		err := project.BuildClient(ctx, e.Name)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == nil {
			services = append(services, compose.ClientService(e.Name))
			continue
		}
		if m.named() {
			return nil, exitstatus.Lacks(fmt.Errorf("clients/%s: %w", e.Name, err))
		}
		l.message("h2lab: clients/%s is unsupported here: %v", e.Name, err)
		for _, c := range e.Clients {
			m.lacks[c.Name] = firstLine(err.Error())
		}
	}
	return services, nil
}

// reach replaces every program that has a container by `h2lab reach`, through which the container's
// `h2lab hand` runs it.
func (m *clientsRun) reach(l *Lab) error {
	maps.Copy(m.lacks, l.Order.Lacks)
	self, err := os.Executable()
	if err != nil {
		return err
	}
	for _, e := range m.ecosystems {
		if !compose.HasImage(l.Root, e.Name) {
			continue
		}
		for _, c := range e.Clients {
			argv := e.Argv(c)
			if rel, err := filepath.Rel(l.Root, argv[0]); err == nil && filepath.IsLocal(rel) && argv[0] != c.Run[0] {
				argv[0] = rel // the container's working directory is its own checkout
			}
			m.programs[c.Name] = append([]string{self, "reach", "--socket", podexec.Socket(e.Name), "--"}, argv...)
		}
	}
	return nil
}
