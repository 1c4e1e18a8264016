package e2e_test

import (
	"fmt"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
)

// likeness is what the lab relies on in an official image. The stand-ins that e2e/images.sh and
// e2e/bases.sh make without a registry share it, and a test compares whichever image is there: a
// difference between the lab's assumptions and an official image fails where the official one is
// pulled, and one between a stand-in and the table fails everywhere else.
type likeness struct {
	variable   string   // in versions.env
	user       string   // the image's own; "" is root
	entrypoint []string // nil is none
	program    string   // what the lab runs or copies, found by the image's PATH
	libc       string   // glibc, or static for a program that needs none
	needs      []string // other programs that the lab runs in it
	source     string
}

var likenesses = []likeness{
	{variable: "NGINX_IMAGE", entrypoint: []string{"/docker-entrypoint.sh"}, program: "/usr/sbin/nginx", libc: "glibc",
		needs: []string{"sh", "stat"}, source: "nginx/docker-nginx, mainline/debian/Dockerfile: debian:trixie-slim, no USER"},
	{variable: "ENVOY_IMAGE", entrypoint: []string{"/docker-entrypoint.sh"}, program: "/usr/local/bin/envoy",
		libc: "glibc", needs: []string{"sh"},
		source: "envoyproxy/envoy, distribution/docker/Dockerfile-envoy: ubuntu:22.04, no USER, envoy 0755"},
	{variable: "K6_IMAGE", user: "12345", entrypoint: []string{"k6"}, program: "/usr/bin/k6", libc: "static",
		needs: []string{"sh"}, source: "grafana/k6, Dockerfile: CGO_ENABLED=0, alpine, USER 12345"},
	{variable: "GO_BASE", program: "/usr/local/go/bin/go", libc: "glibc", needs: []string{"sh", "openssl", "stat"},
		source: "docker-library/golang, on buildpack-deps:bookworm-scm, whose ca-certificates bring openssl"},
	{variable: "PYTHON_BASE", program: "/usr/local/bin/python3", libc: "glibc", needs: []string{"sh"},
		source: "docker-library/python, 3.11/bookworm/Dockerfile"},
}

// row is the likeness as docs/docker.md has it.
func (l likeness) row() string {
	or := func(s, none string) string {
		if s == "" {
			return none
		}
		return "`" + s + "`"
	}
	return fmt.Sprintf("| `%s` | %s | %s | `%s` | %s | `%s` | %s |", l.variable, or(l.user, "root"),
		or(strings.Join(l.entrypoint, " "), "none"), l.program, l.libc, strings.Join(l.needs, "`, `"), l.source)
}

func TestDocsShowTheTableOfStandIns(t *testing.T) {
	page := labtest.Read(t, "../docs/docker.md")
	for _, l := range likenesses {
		if !strings.Contains(page, l.row()+"\n") {
			t.Errorf("docs/docker.md lacks the row\n%s", l.row())
		}
	}
}
