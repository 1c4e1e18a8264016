package compose

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// HasImage reports whether an ecosystem's programs run in an image of their own, that is, have a
// Dockerfile in their folder. Others, such as k6, are in the lab's own image and run in the
// container of the h2lab that measures.
func HasImage(root, ecosystem string) bool {
	_, err := os.Stat(filepath.Join(root, "clients", ecosystem, "Dockerfile"))
	return err == nil
}

// ClientService is the service in docker-compose.yml that runs an ecosystem's programs. Up starts
// it by this name, whatever profiles are active.
func ClientService(ecosystem string) string { return "client-" + ecosystem }

// FarHold is the command of the container whose network the clients of a run with a distance have
// (docker/distance.yml).
var FarHold = []string{"h2lab", "hold"}

// BuildClient builds the image of one ecosystem where it is missing or out of date: it pulls the
// official base and downloads the dependencies in the lock files. Its error is why this ecosystem's
// programs can't run here; other ecosystems are not affected.
func (p *Project) BuildClient(ctx context.Context, ecosystem string) error {
	service := ClientService(ecosystem)
	if err := p.build(ctx, service, ProjectName+"-"+service+":local", "clients/"+ecosystem+"/Dockerfile"); err != nil {
		return fmt.Errorf("its image can't be built: %w", err)
	}
	return nil
}
