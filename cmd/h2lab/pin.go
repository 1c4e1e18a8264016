package main

import (
	"fmt"
	"path/filepath"

	"h2lab/internal/base/exitstatus"
	"h2lab/internal/lab/compose"
)

type pinCmd struct{}

// Run writes the digest of every image into versions.env.
func (c *pinCmd) Run(a *app) error {
	if _, err := compose.Engine(a.ctx); err != nil {
		return exitstatus.Lacks(err)
	}
	pinned, err := compose.Pin(a.ctx, filepath.Join(a.root, "versions.env"))
	if err != nil {
		return err
	}
	for _, image := range pinned {
		fmt.Fprintf(a.stdout, "%s=%s\n", image.Variable, image.Name)
	}
	return nil
}
