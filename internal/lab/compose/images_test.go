package compose_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"h2lab/internal/base/labtest"
	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
	"h2lab/internal/lab/compose"
)

const versions = `# the official images
NGINX_IMAGE=nginx:1.31.4
ENVOY_IMAGE="envoyproxy/envoy:v1.40.0"
K6_IMAGE=grafana/k6:1.8.1@sha256:0000 # pinned
NGINX_VERSION=1.22.1
NODE_BASE=node:20
`

func TestImagesAreThoseOfVersionsEnvUnlessTheEnvironmentSaysOtherwise(t *testing.T) {
	t.Setenv("NGINX_IMAGE", "")
	t.Setenv("K6_IMAGE", "")
	t.Setenv("ENVOY_IMAGE", "envoy:local")
	got, err := compose.Images(project(t, versions))
	labtest.Check(t, err)
	want := []compose.Image{
		{Variable: "NGINX_IMAGE", Name: "nginx:1.31.4"},
		{Variable: "ENVOY_IMAGE", Name: "envoy:local"},
		{Variable: "K6_IMAGE", Name: "grafana/k6:1.8.1@sha256:0000"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestImagesWithoutVersionsEnvSaysWhereToBe(t *testing.T) {
	_, err := compose.Images(t.TempDir())
	mustSay(t, err, "versions.env", "project's directory")
	_, err = compose.Images(project(t, "# nothing\n"))
	mustSay(t, err, "names no image", "git checkout versions.env")
}

func TestImagesAvailableNamesTheOnesThatCannotBeHad(t *testing.T) {
	fakeDocker(t, `"image inspect"*nginx:1) echo sha256:1;;
"image inspect"*) echo "No such image" >&2; exit 1;;
"manifest inspect envoy:1") echo "{}";;
"manifest inspect"*) echo "no such host" >&2; exit 1;;`)
	images := []compose.Image{{Name: "nginx:1"}, {Name: "envoy:1"}}
	if err := compose.ImagesAvailable(context.Background(), images); err != nil {
		t.Fatalf("one is here and the other in the registry: %v", err)
	}
	err := compose.ImagesAvailable(context.Background(), append(images, compose.Image{Name: "k6:1"}))
	mustSay(t, err, "k6:1 is not available", "no such host", "docker pull k6:1")
	if strings.Contains(err.Error(), "envoy:1") {
		t.Errorf("the error names an image that can be had: %v", err)
	}
}

func TestPinWritesEveryDigestAndKeepsTheRest(t *testing.T) {
	fakeDocker(t, `"pull nginx:"*) printf '1.31.4: Pulling from library/nginx\nDigest: sha256:aaaa\nStatus: up to date\n';;
"pull envoy"*) echo Digest: sha256:bbbb;;
"pull grafana/k6:"*) echo Digest: sha256:cccc;;
"pull node:"*) echo Digest: sha256:dddd;;`)
	path := filepath.Join(project(t, versions), "versions.env")
	if _, err := compose.Pin(context.Background(), path); err != nil {
		t.Fatal(err)
	}
	got := labtest.Read(t, path)
	want := `# the official images
NGINX_IMAGE=nginx:1.31.4@sha256:aaaa
ENVOY_IMAGE="envoyproxy/envoy:v1.40.0@sha256:bbbb"
K6_IMAGE=grafana/k6:1.8.1@sha256:cccc # pinned
NGINX_VERSION=1.22.1
NODE_BASE=node:20@sha256:dddd
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	plain, err := os.ReadFile(filepath.Join(filepath.Dir(path), ".env"))
	labtest.Check(t, err)
	want = "COMPOSE_PROFILES=plain\nNGINX_IMAGE=nginx:1.31.4@sha256:aaaa\nNODE_BASE=node:20@sha256:dddd\n"
	if diff := cmp.Diff(want, string(plain)); diff != "" {
		t.Errorf(".env: %s", diff)
	}
}

// Each registry is asked while the others are: the fake answers for one image only when it has been
// asked for the other.
func TestRegistriesAreAskedAtTheSameTime(t *testing.T) {
	t.Setenv("FAKE_ASKED", filepath.Join(t.TempDir(), "asked-"))
	fakeDocker(t, `"image inspect"*) exit 1;;
"manifest inspect a:1") : >"${FAKE_ASKED}a"; while [ ! -e "${FAKE_ASKED}b" ]; do sleep 0.02; done;;
"manifest inspect b:1") : >"${FAKE_ASKED}b"; while [ ! -e "${FAKE_ASKED}a" ]; do sleep 0.02; done;;`)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if err := compose.ImagesAvailable(ctx, []compose.Image{{Name: "a:1"}, {Name: "b:1"}}); err != nil {
		t.Error(err)
	}
}

func TestPinThatCannotPinAllTouchesNothing(t *testing.T) {
	for _, c := range []struct {
		name, docker string
		says         []string
	}{
		{"no registry", `"pull nginx"*) echo Digest: sha256:aaaa;;
"pull "*) echo "no such host" >&2; exit 1;;`, []string{"ENVOY_IMAGE", "no such host", "is unchanged"}},
		{"an image made here", `"pull "*) echo a line;;`, []string{"NGINX_IMAGE", "no digest", "docker pull nginx:1.31.4"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			fakeDocker(t, c.docker)
			path := filepath.Join(project(t, versions), "versions.env")
			_, err := compose.Pin(context.Background(), path)
			mustSay(t, err, c.says...)
			if got, _ := os.ReadFile(path); string(got) != versions {
				t.Errorf("versions.env was changed:\n%s", got)
			}
		})
	}
}

func TestImageRunsAsksTheProgramInTheImage(t *testing.T) {
	t.Setenv("NGINX_IMAGE", "")
	server := facts.Server{Name: "nginx-1000-h2-upstream", Kind: facts.Nginx, MinVersion: "1.29.4"}
	for _, c := range []struct{ name, docker, says string }{
		{"new enough", `run*nginx:1.31.4*) echo "nginx version: nginx/1.29.10" >&2;;`, ""},
		{"too old", `run*) echo "nginx version: nginx/1.22.1" >&2;;`,
			"needs nginx 1.29.4 or newer, the image nginx:1.31.4 has 1.22.1"},
		{"does not run", `run*) echo "exec format error" >&2; exit 1;;`, "exec format error"},
	} {
		t.Run(c.name, func(t *testing.T) {
			fakeDocker(t, c.docker)
			got := texts.English.In(compose.ImageRuns(context.Background(), project(t, versions), server))
			if !strings.Contains(got, c.says) || (c.says == "") != (got == "") {
				t.Errorf("ImageRuns() = %q, want %q", got, c.says)
			}
		})
	}
	if got := compose.ImageRuns(context.Background(), "nowhere", facts.Server{Kind: facts.Nginx}); !got.IsZero() {
		t.Errorf("a server that runs on any version: %q", got)
	}
}

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
