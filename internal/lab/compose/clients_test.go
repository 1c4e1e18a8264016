package compose_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/lab/compose"
)

func TestBuildClientBuildsOneServiceAndSaysWhyItCannot(t *testing.T) {
	calls := fakeDocker(t, `*" build client-java") echo "#3 ERROR: failed to solve: maven:3: no such host" >&2; exit 1;;
`+well)
	p := &compose.Project{Root: project(t, versions)}
	labtest.Check(t, p.BuildClient(context.Background(), "go"))
	if !anyCall(calls(), "--env-file", "build client-go") {
		t.Errorf("docker was called with %q", calls())
	}
	mustSay(t, p.BuildClient(context.Background(), "java"), "image", "maven:3", "no such host")
}

func TestAnEcosystemHasAnImageWhenItHasADockerfile(t *testing.T) {
	root := t.TempDir()
	labtest.Check(t, os.MkdirAll(filepath.Join(root, "clients", "go"), 0o755))
	if compose.HasImage(root, "go") {
		t.Error("it has one without a Dockerfile")
	}
	labtest.Write(t, filepath.Join(root, "clients", "go", "Dockerfile"), "")
	if !compose.HasImage(root, "go") {
		t.Error("it has none with a Dockerfile")
	}
}
