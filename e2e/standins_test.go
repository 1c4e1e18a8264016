//go:build e2e

package e2e_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
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

// commandImage is the image that this test builds and removes.
const commandImage = "h2lab-e2e:command"

// inImage runs a container of the command's image, without a network.
func inImage(t *testing.T, stdin string, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "docker", append([]string{"run", "--rm", "-i", "--network", "none"}, args...)...)
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// The image is built from the program that `make build` makes with the flags of a release: static, so
// that it runs in an empty image.
func TestTheCommandRunsInAnImageOfItsOwn(t *testing.T) {
	if status := run(t, "docker/h2lab/build.sh", "bin/h2lab", commandImage); status != 0 {
		t.Fatalf("building the image ended with status %d", status)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("docker", "image", "rm", commandImage).CombinedOutput(); err != nil {
			t.Errorf("removing the image: %v: %s", err, out)
		}
	})
	const goaway = "http2: server sent GOAWAY and closed the connection; LastStreamID=1999, ErrCode=NO_ERROR, debug=\"\"\n"
	if out, said, status := inImage(t, goaway, commandImage, "decode"); status != 0 || !strings.Contains(out, "GOAWAY") {
		t.Errorf("decode ended with %d: %s%s", status, out, said)
	}
	if out, said, status := inImage(t, "", commandImage, "--help"); status != 0 || !strings.Contains(out, "Something fails now") {
		t.Errorf("--help ended with %d: %s%s", status, out, said)
	}
	dir := t.TempDir()
	labtest.Check(t, os.Chmod(dir, 0o755))
	labtest.Write(t, filepath.Join(dir, "nginx.conf"),
		"events {}\nhttp { keepalive_requests 100; server { listen 443 ssl http2; } }\n")
	out, said, status := inImage(t, "", "-v", dir+":/work:ro", commandImage, "lint", "--json", "nginx.conf")
	if (status != 0 && status != 4) || !json.Valid([]byte(out)) {
		t.Errorf("lint ended with %d: %s%s", status, out, said)
	}
	// A verb that needs the checkout says so, and the probe runs.
	if _, said, status := inImage(t, "", commandImage, "repro"); status != 3 || strings.Count(said, "\n") != 1 {
		t.Errorf("repro ended with %d: %s", status, said)
	}
	if _, said, status := inImage(t, "", commandImage, "probe", "https://127.0.0.1:1/"); status != 1 || !strings.Contains(said, "127.0.0.1:1") {
		t.Errorf("probe ended with %d: %s", status, said)
	}
	isSmallAndUnprivileged(t)
}

func isSmallAndUnprivileged(t *testing.T) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "docker", "image", "inspect", "--format", "{{json .}}", commandImage).Output()
	labtest.Check(t, err)
	var image struct {
		Size   int64
		Config struct {
			User       string
			Entrypoint []string
		}
	}
	labtest.Check(t, json.Unmarshal(out, &image))
	if image.Size > 45<<20 || image.Config.User != "65534:65534" || len(image.Config.Entrypoint) != 1 {
		t.Errorf("the image has %d bytes, user %q, entry point %q", image.Size, image.Config.User, image.Config.Entrypoint)
	}
}
