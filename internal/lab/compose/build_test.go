package compose_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/lab/compose"
)

// remembering is an engine that gives an image the label it was built with.
const remembering = `*" build client-go") printf '%s' "$LAB_INPUTS" >"$FAKE_LABEL";;
"image inspect --format {{json .Config.Labels}} h2lab-client-go:local")
	printf '{"h2lab.inputs":"%s"}' "$(cat "$FAKE_LABEL")";;
`

// builds returns a function that asks for the image of Go's clients and reports whether it was built.
func builds(t *testing.T, root string) func() bool {
	t.Helper()
	t.Setenv("GO_BASE", "")
	t.Setenv("FAKE_LABEL", filepath.Join(t.TempDir(), "label"))
	calls := fakeDocker(t, remembering+well)
	before := 0
	return func() bool {
		t.Helper()
		labtest.Check(t, (&compose.Project{Root: root}).BuildClient(context.Background(), "go"))
		n := strings.Count(strings.Join(calls(), "\n"), " build client-go")
		defer func() { before = n }()
		return n > before
	}
}

func TestAnImageIsBuiltWhenItIsMissingOrChangedAndNeverOtherwise(t *testing.T) {
	for _, c := range []struct {
		name   string
		files  map[string]string
		change func(t *testing.T, root string)
		built  bool
	}{
		{name: "nothing changed"},
		{name: "a source changed", files: map[string]string{"clients/go/main.go": "package other"}, built: true},
		{name: "a source is new", files: map[string]string{"clients/go/more.go": "package main"}, built: true},
		{name: "the Dockerfile changed", files: map[string]string{"clients/go/Dockerfile": "ARG GO_BASE\nFROM ${GO_BASE}\n" +
			"COPY clients/go clients/go\nRUN true\n"}, built: true},
		{name: "the base changed", files: map[string]string{"versions.env": versions + "GO_BASE=golang:1.99\n"}, built: true},
		{name: "the environment names another base", built: true,
			change: func(t *testing.T, _ string) { t.Setenv("GO_BASE", "mine:1") }},
		{name: "a source became executable", built: true, change: func(t *testing.T, root string) {
			labtest.Check(t, os.Chmod(filepath.Join(root, "clients/go/main.go"), 0o755))
		}},
		{name: "a source disappeared", built: true, change: func(t *testing.T, root string) {
			labtest.Check(t, os.Remove(filepath.Join(root, "clients/go/main.go")))
		}},
		{name: "only a test changed", files: map[string]string{"clients/go/main_test.go": "package main"}},
		{name: "only what was built here changed", files: map[string]string{"clients/go/out/go-client": "x"}},
		{name: "only test data changed", files: map[string]string{"clients/go/testdata/x": "x"}},
		{name: "another image's source changed", files: map[string]string{"clients/java/pom.xml": "x"}},
		{name: "the way to the registries changed",
			change: func(t *testing.T, _ string) { t.Setenv("GOPROXY", "https://proxy.example") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := project(t, versions)
			build := builds(t, root)
			if !build() {
				t.Fatal("a missing image was not built")
			}
			write(t, root, c.files)
			if c.change != nil {
				c.change(t, root)
			}
			if got := build(); got != c.built {
				t.Errorf("it was built again: %t, want %t", got, c.built)
			}
		})
	}
}

func TestAnImageWithoutItsFilesNamesThem(t *testing.T) {
	fakeDocker(t, well)
	root := project(t, versions)
	labtest.Check(t, os.RemoveAll(filepath.Join(root, "bin")))
	mustSay(t, (&compose.Project{Root: root}).Up(context.Background()), "bin/linux/amd64")
}
