package compose

import (
	"context"
	"fmt"

	"h2lab/internal/base/child"
	"h2lab/internal/base/versions"
	"h2lab/internal/facts"
)

// ImageRuns says why the image of an nginx server is too old for its configuration, or is empty
// when it isn't. It runs the program in the image, since a tag may name any version.
func ImageRuns(ctx context.Context, root string, s facts.Server) (reason string) {
	if s.MinVersion == "" {
		return ""
	}
	image, err := imageOf(root, "NGINX_IMAGE")
	if err != nil {
		return err.Error()
	}
	args := []string{"run", "--rm", "--network", "none", "--entrypoint", "nginx", image, "-v"}
	r, err := command(ctx, child.Spec{}, args...)
	if err != nil {
		return fmt.Sprintf("%s doesn't print its version: %v", image, err)
	}
	said := r.Stdout + r.Stderr // nginx -v prints to stderr
	found, is := versions.Of("nginx", said)
	if !is {
		return fmt.Sprintf("%s doesn't print its version: %q", image, said)
	}
	if least, err := versions.Parse(s.MinVersion); err != nil || found.Less(least) {
		return fmt.Sprintf("%s needs nginx %s or newer, the image %s has %s", s.Config, s.MinVersion, image, found.Text)
	}
	return ""
}

// imageOf is the name of one image.
func imageOf(root, variable string) (string, error) {
	images, err := Images(root)
	if err != nil {
		return "", err
	}
	for _, i := range images {
		if i.Variable == variable {
			return i.Name, nil
		}
	}
	return "", fmt.Errorf("%s is not in versions.env; restore it: git checkout versions.env", variable)
}
