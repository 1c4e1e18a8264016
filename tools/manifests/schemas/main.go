// Command schemas writes the JSON Schemas in testdata/schemas: what the manifests in deploy/ need of the
// Kubernetes API, without descriptions, closed to unknown fields.
//
//	cd tools/manifests && go run ./schemas "$(go mod download -json k8s.io/kubernetes@v1.36.3 | jq -r .Dir)/api/openapi-spec/swagger.json"
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// kinds are the manifests' kinds, by kubeconform's name of their file.
var kinds = map[string]string{
	"deployment-apps-v1": "io.k8s.api.apps.v1.Deployment",
	"service-v1":         "io.k8s.api.core.v1.Service",
	"configmap-v1":       "io.k8s.api.core.v1.ConfigMap",
}

const (
	dir  = "testdata/schemas"
	file = "definitions.json"
)

type schema = map[string]any

func main() {
	if err := write(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "schemas:", err)
		os.Exit(1)
	}
}

func write(args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("give the swagger.json of k8s.io/kubernetes")
	}
	b, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	var api struct{ Definitions map[string]schema }
	if err := json.Unmarshal(b, &api); err != nil {
		return err
	}
	used := map[string]any{}
	for name, of := range kinds {
		if err := save(name+".json", schema{"$ref": file + "#/definitions/" + of}); err != nil {
			return err
		}
		if err := collect(api.Definitions, of, used); err != nil {
			return err
		}
	}
	return save(file, schema{"definitions": used})
}

func save(name string, s schema) error {
	b, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, name), append(b, '\n'), 0o644)
}

// collect adds a definition and all that it refers to.
func collect(all map[string]schema, name string, used map[string]any) error {
	if used[name] != nil {
		return nil
	}
	d, ok := all[name]
	if !ok {
		return fmt.Errorf("no definition of %s", name)
	}
	used[name] = true // being made
	made, err := closed(d, func(ref string) error { return collect(all, ref, used) })
	used[name] = made
	if strings.HasSuffix(name, ".resource.Quantity") { // the API server reads a number, too
		used[name] = schema{"type": []any{"string", "number"}}
	}
	return err
}

// closed is a schema that allows no unknown field, as the API server with fieldValidation=Strict.
func closed(s schema, refer func(string) error) (schema, error) {
	if s["format"] == "int-or-string" {
		return schema{"type": []any{"string", "integer"}}, nil
	}
	out := schema{}
	for key, v := range s {
		if key == "description" || strings.HasPrefix(key, "x-kubernetes-") || key == "format" || key == "default" {
			continue
		}
		made, err := value(key, v, refer)
		if err != nil {
			return nil, err
		}
		out[key] = made
	}
	if out["properties"] != nil && out["additionalProperties"] == nil {
		out["additionalProperties"] = false
	}
	return out, nil
}

func value(key string, v any, refer func(string) error) (any, error) {
	switch v := v.(type) {
	case string:
		if key != "$ref" {
			return v, nil
		}
		name := strings.TrimPrefix(v, "#/definitions/")
		return file + "#/definitions/" + name, refer(name)
	case schema:
		if key != "properties" {
			return closed(v, refer)
		}
		out := schema{}
		for name, p := range v {
			made, err := closed(p.(schema), refer)
			if err != nil {
				return nil, err
			}
			out[name] = made
		}
		return out, nil
	}
	return v, nil
}
