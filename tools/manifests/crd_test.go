//go:build crd

package manifests

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// TestTheOperatorsOwnDefinition checks the TestRuns against the definition of an operator that a user has
// installed or is about to install:
//
//	kubectl get crd testruns.k6.io -o yaml > crd.yaml
//	cd tools/manifests && K6_OPERATOR_CRD="$PWD/crd.yaml" go test -count=1 -tags crd .
func TestTheOperatorsOwnDefinition(t *testing.T) {
	b, err := os.ReadFile(os.Getenv("K6_OPERATOR_CRD"))
	if err != nil {
		t.Fatalf("K6_OPERATOR_CRD names the definition's file: %v", err)
	}
	var crd struct {
		Spec struct {
			Versions []struct {
				Name   string
				Schema struct{ OpenAPIV3Schema map[string]any }
			}
		}
	}
	if err := yaml.Unmarshal(b, &crd); err != nil || len(crd.Spec.Versions) == 0 {
		t.Fatalf("no definition: %v", err)
	}
	dir := t.TempDir()
	for _, v := range crd.Spec.Versions {
		b, err := json.Marshal(closed(v.Schema.OpenAPIV3Schema))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "testrun-k6-"+v.Name+".json"), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, overlay := range overlays[:4] {
		for _, r := range render(t, overlay).Resources() {
			if r.GetKind() != "TestRun" {
				continue
			}
			if wrong := conform(t, dir, []byte(r.MustYaml())); len(wrong) > 0 {
				t.Errorf("deploy/%s: %s", overlay, strings.Join(wrong, "\n"))
			}
		}
	}
}

// closed allows no unknown field, as the API server with fieldValidation=Strict.
func closed(v any) any {
	switch v := v.(type) {
	case map[string]any:
		if v["x-kubernetes-int-or-string"] == true {
			return map[string]any{"type": []string{"integer", "string"}}
		}
		out := map[string]any{}
		for k, x := range v {
			out[k] = closed(x)
		}
		if _, is := v["properties"].(map[string]any); is && v["additionalProperties"] == nil {
			out["additionalProperties"] = false
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = closed(x)
		}
		return out
	}
	return v
}
