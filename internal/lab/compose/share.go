package compose

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"h2lab/internal/base/child"
)

// Shared checks that containers see the checkout, as far as can be known without a download: with the
// nginx image, if it is here.
func Shared(ctx context.Context, e EngineInfo, root string) error {
	_, err := owner(ctx, e, root, "never")
	return err
}

// AsSeen is the engine with the user who owns the checkout inside its containers. An engine in a virtual
// machine shows the files of this machine's user as root's or as that user's, depending on its system
// and version (docker/docs#21232), so AsSeen looks.
func (e EngineInfo) AsSeen(ctx context.Context, root string) (EngineInfo, error) {
	user, err := owner(ctx, e, root, "missing")
	if user != "" {
		e.User = user
	}
	return e, err
}

// uidGid is the answer of owner's script.
var uidGid = regexp.MustCompile(`^\d+:\d+$`)

// owner is the user who owns the checkout in a container, or empty where that is unknown. On this
// machine it is not asked. An engine in a virtual machine or on another machine sees only what is shared
// with it, and may mount an empty directory for anything else. The image's own shell answers.
func owner(ctx context.Context, e EngineInfo, root, pull string) (string, error) {
	if !e.VM && !elsewhere(ctx) {
		return "", nil
	}
	abs, err := filepath.Abs(root)
	if err != nil {
		return "", err
	}
	image, err := imageOf(root, "NGINX_IMAGE")
	if err != nil {
		return "", err
	}
	args := []string{"run", "--rm", "--pull", pull, "--network", "none", "--volume", abs + ":" + Checkout + ":ro",
		"--entrypoint", "sh", image, "-c", "test -e " + Checkout + "/" + versionsFile + " || exit 9; stat -c %u:%g " +
			Checkout + "/" + versionsFile}
	r, err := command(ctx, child.Spec{}, args...)
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil && (r.Status == 9 || hint(errors.New(r.Stderr)) != "") {
		return "", fmt.Errorf("%s runs containers in a virtual machine or on another machine, which doesn't see %s; %s",
			e.Kind, abs, share)
	}
	said := strings.TrimSpace(r.Stdout)
	if err != nil || !uidGid.MatchString(said) {
		return "", nil
	}
	return said, nil
}

// elsewhere reports whether the docker command talks to an engine by the network.
func elsewhere(ctx context.Context) bool {
	host, err := question(ctx, "context", "inspect", "--format", "{{.Endpoints.docker.Host}}")
	host = strings.TrimSpace(host)
	return err == nil && (strings.HasPrefix(host, "ssh://") || strings.HasPrefix(host, "tcp://"))
}
