package compose

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"h2lab/internal/base/child"
)

// HasImage reports whether an ecosystem's programs run in an image of their
// own: those with a Dockerfile in their folder. Others, such as k6, are in the
// lab's own image and run beside the h2lab that measures.
func HasImage(root, ecosystem string) bool {
	_, err := os.Stat(filepath.Join(root, "clients", ecosystem, "Dockerfile"))
	return err == nil
}

// ClientService is the service of docker-compose.yml that an ecosystem's
// programs run in. Up starts it by this name, profile or not.
func ClientService(ecosystem string) string { return "client-" + ecosystem }

// BuildClient makes the image of one ecosystem: its official base is pulled, and
// what its lock files pin is fetched. Its error is why its programs can't run
// here; those of the others can.
func (p *Project) BuildClient(ctx context.Context, ecosystem string) error {
	args := p.args("build", ClientService(ecosystem))
	words := &progress{to: p.Log}
	if _, err := command(ctx, child.Spec{Env: p.env(ctx), Stdout: words, Stderr: words}, args...); err != nil {
		return fmt.Errorf("its image can't be built: %w", err)
	}
	return nil
}
