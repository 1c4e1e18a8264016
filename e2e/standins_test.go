//go:build e2e

package e2e_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
)

// imageOf is the name of an image for this run: run.sh exports those of stand-ins.
func imageOf(t *testing.T, variable string) string {
	t.Helper()
	if name := os.Getenv(variable); name != "" {
		return name
	}
	return assignments(t, "../versions.env")[variable]
}

// The images that are here, official or stand-ins, are as the lab assumes.
func TestImagesAreAsTheTableSays(t *testing.T) {
	for _, l := range likenesses {
		t.Run(l.variable, func(t *testing.T) {
			image := imageOf(t, l.variable)
			out, err := exec.Command("docker", "image", "inspect", "--format", "{{json .Config}}", image).Output()
			if err != nil {
				t.Fatalf("docker image inspect %s: %v", image, err)
			}
			var config struct {
				User       string
				Entrypoint []string
			}
			labtest.Check(t, json.Unmarshal(out, &config))
			if config.User != l.user || !slices.Equal(config.Entrypoint, l.entrypoint) {
				t.Errorf("%s: user %q, entrypoint %q, want %q and %q", image, config.User, config.Entrypoint, l.user,
					l.entrypoint)
			}
			got := inside(t, image, l)
			if want := append([]string{l.program}, l.needs...); !slices.Equal(got[:len(want)], want) {
				t.Errorf("%s has %q, want %q", image, got, want)
			}
			glibc := slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, "/ld-linux-") })
			if l.libc == "glibc" && !glibc {
				t.Errorf("%s has no loader of glibc: %q", image, got)
			}
		})
	}
}

// inside asks an image's shell where the program is, which of the needed programs it has, and for the
// loaders of glibc.
func inside(t *testing.T, image string, l likeness) []string {
	t.Helper()
	name := l.program[strings.LastIndex(l.program, "/")+1:]
	script := "command -v " + name + "; for p in " + strings.Join(l.needs, " ") +
		"; do command -v $p >/dev/null && echo $p || echo no $p; done; " +
		"for f in /lib64/ld-linux-* /lib/ld-linux-*; do [ ! -e $f ] || echo $f; done"
	out, err := exec.Command("docker", "run", "--rm", "--network", "none", "--entrypoint", "sh", image, "-c",
		script).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v: %s", image, err, out)
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}
