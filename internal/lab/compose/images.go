package compose

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"h2lab/internal/base/await"
)

// versionsFile holds the images' names and versions, one NAME=VALUE a line.
const versionsFile = "versions.env"

// registryTimeout bounds the wait for a registry to report whether it has an image, on a slow line.
const registryTimeout = 30 * time.Second

// Image is one line of versions.env whose variable ends in _IMAGE, or in _BASE for the base images
// of client programs.
type Image struct {
	Variable string // such as NGINX_IMAGE
	Name     string // such as nginx:1.31.3, or with @sha256:… once pinned
}

// Images are the official images that every measurement runs: those in versions.env, unless the
// environment overrides them, as in Compose. The bases of client programs are not among them: a
// measurement of a topology does not need them, and a client without its base is only left out.
func Images(root string) ([]Image, error) {
	path := filepath.Join(root, versionsFile)
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("the images' versions: %w; run this in the project's directory", err)
	}
	var out []Image
	for _, line := range strings.Split(string(data), "\n") {
		if image, ok := parseImage(line); ok && !image.base() {
			if set := os.Getenv(image.Variable); set != "" {
				image.Name = set
			}
			out = append(out, image)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s names no image; restore it: git checkout %s", path, versionsFile)
	}
	return out, nil
}

// base reports whether the image is only a base for builds.
func (i Image) base() bool { return strings.HasSuffix(i.Variable, "_BASE") }

// parseImage reads NAME_IMAGE=VALUE or NAME_BASE=VALUE, quoted or not; false for
// any other line.
func parseImage(line string) (Image, bool) {
	name, value, found := strings.Cut(strings.TrimSpace(line), "=")
	name = strings.TrimSpace(strings.TrimPrefix(name, "export "))
	if !found || !strings.HasSuffix(name, "_IMAGE") && !strings.HasSuffix(name, "_BASE") ||
		strings.HasPrefix(name, "#") {
		return Image{}, false
	}
	value, _, _ = strings.Cut(value, " #")
	return Image{Variable: name, Name: strings.Trim(strings.TrimSpace(value), `"'`)}, true
}

// ImagesAvailable checks that every image is on this machine or can be pulled. It asks the registries
// about missing images only, about all of them at once, so that each has the whole time. Its error
// names the images that can't be had, with the last one's reason.
func ImagesAvailable(ctx context.Context, images []Image) error {
	problems := make([]error, len(images))
	var group await.Group
	for n, image := range images {
		group.Go(func() { problems[n] = available(ctx, image.Name) })
	}
	group.Wait()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var lacking []string
	var why error
	for n, err := range problems {
		if err != nil {
			lacking, why = append(lacking, images[n].Name), err
		}
	}
	if len(lacking) == 0 {
		return nil
	}
	return fmt.Errorf("%s is not available: it is not on this machine, and %w; try: docker pull %s",
		strings.Join(lacking, ", "), why, lacking[0])
}

// available is why one image can't be had, or nil.
func available(ctx context.Context, image string) error {
	if _, err := docker(ctx, os.Environ(), "image", "inspect", "--format", "{{.Id}}", image); err == nil {
		return nil
	}
	asking, cancel := context.WithTimeout(ctx, registryTimeout)
	defer cancel()
	_, err := docker(asking, os.Environ(), "manifest", "inspect", image)
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("the registry did not answer within %s", registryTimeout)
	}
	return err
}
