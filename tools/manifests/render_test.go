package manifests

import (
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/yannh/kubeconform/pkg/resource"
	"github.com/yannh/kubeconform/pkg/validator"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

const root = "../.."

// overlays are the directories of deploy/ that a user applies.
var overlays = []string{"k6-operator/shared-pool", "k6-operator/connection-per-vu", "k6-operator/open-loop",
	"k6-operator/lab", "kubernetes"}

var built = map[string]resmap.ResMap{}

// render is kustomize build, with kustomize's own restriction: no file from above a kustomization's directory.
func render(t *testing.T, overlay string) resmap.ResMap {
	t.Helper()
	if m := built[overlay]; m != nil {
		return m
	}
	m, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(),
		filepath.Join(root, "deploy", overlay))
	if err != nil {
		t.Fatalf("deploy/%s: %v", overlay, err)
	}
	built[overlay] = m
	return m
}

func TestTheOverlaysAreAllThatCanBeApplied(t *testing.T) {
	var found []string
	err := filepath.WalkDir(filepath.Join(root, "deploy"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == "kustomization.yaml" && filepath.Base(filepath.Dir(path)) != "base" {
			rel, _ := filepath.Rel(filepath.Join(root, "deploy"), filepath.Dir(path))
			found = append(found, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil || len(found) != len(overlays) {
		t.Errorf("deploy/ has the overlays %v, the tests know %v: %v", found, overlays, err)
	}
}

// conform validates manifests against the schemas of a directory and returns what is wrong with them.
func conform(t *testing.T, schemas string, yaml []byte) (wrong []string) {
	t.Helper()
	v, err := validator.New([]string{filepath.Join(schemas, "{{ .ResourceKind }}{{ .KindSuffix }}.json")},
		validator.Opts{Strict: true})
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, doc := range strings.Split(string(yaml), "\n---\n") {
		count++
		r := v.ValidateResource(resource.Resource{Path: "rendered", Bytes: []byte(doc)})
		if r.Status != validator.Valid {
			sig, _ := r.Resource.Signature()
			wrong = append(wrong, strings.Join([]string{sig.Kind, sig.Name, r.Err.Error()}, " "))
		}
	}
	if count == 0 {
		t.Fatal("nothing was rendered")
	}
	return wrong
}

func rendered(t *testing.T, overlay string) []byte {
	t.Helper()
	b, err := render(t, overlay).AsYaml()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestEveryManifestConformsToItsSchema(t *testing.T) {
	for _, overlay := range overlays {
		if wrong := conform(t, "testdata/schemas", rendered(t, overlay)); len(wrong) > 0 {
			t.Errorf("deploy/%s: %s", overlay, strings.Join(wrong, "\n"))
		}
	}
}

// TestTheSchemasRefuse shows that a schema refuses what the API server would refuse.
func TestTheSchemasRefuse(t *testing.T) {
	for name, c := range map[string]struct{ overlay, old, new string }{
		"an unknown field of a TestRun":    {"k6-operator/shared-pool", "separate: true", "seperate: true"},
		"a wrong type in a TestRun":        {"k6-operator/shared-pool", "parallelism: 4", `parallelism: "4"`},
		"a TestRun without a script":       {"k6-operator/shared-pool", "localFile: /scripts/shared-pool.js", "{}"},
		"a number as a knob":               {"k6-operator/open-loop", `value: "8000"`, "value: 8000"},
		"an unknown field of a pod":        {"kubernetes", "enableServiceLinks: false", "enableServiceLink: false"},
		"an unknown field of a mount":      {"kubernetes", "mountPath: /lab/var", "path: /lab/var"},
		"a port that is no number":         {"kubernetes", "port: 18101", "port: https"},
		"a kind of which nothing is known": {"kubernetes", "kind: Deployment", "kind: Deployments"},
	} {
		before := string(rendered(t, c.overlay))
		after := strings.Replace(before, c.old, c.new, 1)
		if after == before {
			t.Errorf("%s: deploy/%s has no %q", name, c.overlay, c.old)
		} else if wrong := conform(t, "testdata/schemas", []byte(after)); len(wrong) == 0 {
			t.Errorf("%s is valid", name)
		}
	}
}
