package manifests

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/kustomize/api/resource"
	"sigs.k8s.io/yaml"
)

// mostBytes is the API server's limit for a ConfigMap.
const mostBytes = 1 << 20

// ofKind finds a rendered object by kind and the beginning of its name.
func ofKind(t *testing.T, overlay, kind, name string) *resource.Resource {
	t.Helper()
	for _, r := range render(t, overlay).Resources() {
		if r.GetKind() == kind && strings.HasPrefix(r.GetName(), name) {
			return r
		}
	}
	t.Fatalf("deploy/%s has no %s %s", overlay, kind, name)
	return nil
}

func source(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func as[T any](t *testing.T, r *resource.Resource) (v T) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(r.MustYaml()), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// The types have what the tests read of the objects.
type (
	env     struct{ Name, Value string }
	keyPath struct{ Key, Path string }
	volume  struct {
		Name      string
		ConfigMap struct {
			Name  string
			Items []keyPath
		}
	}
	container struct {
		Name, Image   string
		Command, Args []string
		Resources     struct{ Limits map[string]string }
	}
	testRun struct {
		Metadata struct{ Name string }
		Spec     struct {
			Parallelism int
			Separate    bool
			Script      struct{ LocalFile string }
			Runner      struct {
				Image        string
				Env          []env
				Volumes      []volume
				VolumeMounts []struct{ Name, MountPath string }
			}
		}
	}
	deployment struct {
		Spec struct {
			Template struct {
				Spec struct{ Containers []container }
			}
		}
	}
)

// TestAPodSeesTheScriptsAsTheyAre mounts the ConfigMap as kubelet does.
func TestAPodSeesTheScriptsAsTheyAre(t *testing.T) {
	for _, overlay := range overlays[:4] {
		run := as[testRun](t, ofKind(t, overlay, "TestRun", ""))
		data := ofKind(t, overlay, "ConfigMap", "h2lab-k6").GetDataMap()
		seen := map[string]string{}
		for _, v := range run.Spec.Runner.Volumes {
			for _, i := range v.ConfigMap.Items {
				seen[i.Path] = data[i.Key]
			}
			if v.Name == "scripts" && v.ConfigMap.Name != "h2lab-k6" {
				t.Errorf("%s mounts the ConfigMap %s", overlay, v.ConfigMap.Name)
			}
		}
		size := 0
		for _, pattern := range []string{"*.js", "lib/*.js"} {
			files, _ := filepath.Glob(filepath.Join(root, "k6", pattern))
			for _, f := range files {
				rel, _ := filepath.Rel(filepath.Join(root, "k6"), f)
				if seen[filepath.ToSlash(rel)] != source(t, filepath.Join("k6", rel)) {
					t.Errorf("deploy/%s: the pod doesn't see k6/%s as it is: list it in k6/Kustomization and in "+
						"deploy/k6-operator/base/testrun.yaml", overlay, rel)
				}
				size += len(seen[filepath.ToSlash(rel)])
			}
		}
		script := path.Base(run.Spec.Script.LocalFile)
		if size == 0 || size > mostBytes || seen[script] == "" || run.Spec.Script.LocalFile != "/scripts/"+script ||
			run.Spec.Runner.VolumeMounts[0].MountPath != "/scripts" {
			t.Errorf("deploy/%s runs %s of %d bytes", overlay, run.Spec.Script.LocalFile, size)
		}
	}
}

var knob = regexp.MustCompile(`(?:text|whole|oneOf|milliseconds|url|number|share|rate)\('([A-Z0-9_]+)'`)

// TestATestRunSetsKnobsOfTheScripts: a misspelt variable would be passed over.
func TestATestRunSetsKnobsOfTheScripts(t *testing.T) {
	known := []string{"SSL_CERT_FILE"}
	for _, m := range knob.FindAllStringSubmatch(source(t, "k6/lib/knobs.js"), -1) {
		known = append(known, m[1])
	}
	for _, overlay := range overlays[:4] {
		run := as[testRun](t, ofKind(t, overlay, "TestRun", ""))
		values := map[string]string{}
		for _, e := range run.Spec.Runner.Env {
			values[e.Name] = e.Value
			if !slices.Contains(known, e.Name) {
				t.Errorf("deploy/%s sets %s, which k6/lib/knobs.js doesn't know", overlay, e.Name)
			}
		}
		if values["TALLY"] != "log" || values["TARGET"] == "" {
			t.Errorf("deploy/%s has the knobs %v", overlay, values)
		}
		if p := values["POOLS"]; p != "" && p != fmt.Sprint(run.Spec.Parallelism) {
			t.Errorf("deploy/%s has POOLS=%s for %d runners", overlay, p, run.Spec.Parallelism)
		}
		if run.Spec.Separate != (overlay != "k6-operator/lab") {
			t.Errorf("deploy/%s: separate is %t", overlay, run.Spec.Separate)
		}
		if run.Spec.Runner.Image != version(t, "K6_IMAGE") {
			t.Errorf("deploy/%s runs %s, versions.env has %s", overlay, run.Spec.Runner.Image, version(t, "K6_IMAGE"))
		}
	}
}

func version(t *testing.T, name string) string {
	t.Helper()
	for line := range strings.Lines(source(t, "versions.env")) {
		if v, ok := strings.CutPrefix(strings.TrimSpace(line), name+"="); ok {
			return v
		}
	}
	t.Fatalf("versions.env has no %s", name)
	return ""
}

func TestTheTopologiesUseTheLabsOwnFiles(t *testing.T) {
	for _, dir := range []string{"nginx", "envoy"} {
		data := ofKind(t, "kubernetes", "ConfigMap", "h2lab-"+dir).GetDataMap()
		for name, text := range data {
			if text != source(t, filepath.Join(dir, name)) {
				t.Errorf("the ConfigMap's %s differs from %s/%s", name, dir, name)
			}
		}
		for _, c := range as[deployment](t, ofKind(t, "kubernetes", "Deployment", "h2lab")).Spec.Template.Spec.Containers {
			for _, word := range c.Command {
				if file, ok := strings.CutPrefix(word, dir+"/"); ok && data[file] == "" {
					t.Errorf("%s reads %s, which the ConfigMap lacks", c.Name, word)
				}
			}
		}
	}
}

// TestTheServersRunAsInDocker compares the pod with docker-compose.yml: the same programs, arguments and budgets.
func TestTheServersRunAsInDocker(t *testing.T) {
	var compose struct {
		Services map[string]struct {
			Command    any
			Entrypoint any
			Image      string
			Profiles   []string
		}
	}
	if err := yaml.Unmarshal([]byte(source(t, "docker-compose.yml")), &compose); err != nil {
		t.Fatal(err)
	}
	containers := map[string]container{}
	for _, c := range as[deployment](t, ofKind(t, "kubernetes", "Deployment", "h2lab")).Spec.Template.Spec.Containers {
		containers[c.Name] = c
		if c.Name != "lab" && c.Resources.Limits["cpu"] != "500m" {
			t.Errorf("%s has the budget %v", c.Name, c.Resources.Limits)
		}
	}
	given := regexp.MustCompile(`\$\{[A-Z0-9_]+:-([^}]*)\}`)
	for name, s := range compose.Services {
		c, here := containers[name]
		kind, _, _ := strings.Cut(name, "-")
		server := kind == "nginx" || kind == "envoy" || name == "backend"
		if wanted := server && !slices.Contains(s.Profiles, "clients"); !wanted {
			continue
		}
		if !here {
			t.Errorf("the pod has no container %s", name)
			continue
		}
		want := given.ReplaceAllString(fmt.Sprint(s.Command), "$1")
		got := fmt.Sprint(append(slices.Clone(c.Command), c.Args...)[1:])
		if got != want {
			t.Errorf("%s runs with %s, in Docker with %s", name, got, want)
		}
		if image := strings.ToUpper(kind) + "_IMAGE"; kind != "backend" && c.Image != version(t, image) {
			t.Errorf("%s is %s, versions.env has %s", name, c.Image, version(t, image))
		}
	}
}

var dnsName = regexp.MustCompile(`(?m)^DNS\.\d+ = (\S+)$`)

// TestEveryFrontHasAServiceThatItsCertificateNames: no client skips verification.
func TestEveryFrontHasAServiceThatItsCertificateNames(t *testing.T) {
	var names []string
	for _, m := range dnsName.FindAllStringSubmatch(source(t, "certs/openssl.cnf"), -1) {
		names = append(names, m[1])
	}
	services := 0
	for _, r := range render(t, "kubernetes").Resources() {
		if r.GetKind() != "Service" {
			continue
		}
		services++
		if !slices.Contains(names, r.GetName()) {
			t.Errorf("no certificate names the Service %s", r.GetName())
		}
	}
	published := regexp.MustCompile(`--publish=([0-9,]+)`).FindStringSubmatch(source(t, "deploy/kubernetes/lab.yaml"))
	if want := len(strings.Split(published[1], ",")); services != want {
		t.Errorf("%d Services, %d published fronts", services, want)
	}
}
