package envoy_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"h2lab/internal/base/labtest"
)

// file is one configuration with the names, ports and limit that internal/lab/plan gives it.
type file struct {
	front    string // port
	counters string // port
	limit    string // "" is none
	upstream string // port
	h1       bool   // HTTP/1.1 to the upstream
}

var files = map[string]file{
	"unlimited.yaml":         {"18121", "18122", "", "18443", false},
	"unlimited-envoy.yaml":   {"18251", "18252", "", "18121", true},
	"unlimited-scg.yaml":     {"18281", "18282", "", "18221", true},
	"max-requests-100.yaml":  {"18191", "18192", "100", "18443", false},
	"max-requests-1000.yaml": {"18131", "18132", "1000", "18443", false},
}

var rules = labtest.Rules[file]{Pattern: "*.yaml", Rows: files, Problems: problems}

// flat maps the path of every value of a document to the value: sequences by index, an empty
// sequence as "[]", an empty mapping as "{}". Paths leave out the typed_config levels.
func flat(t testing.TB, text string) map[string]string {
	t.Helper()
	var document any
	if err := yaml.Unmarshal([]byte(text), &document); err != nil {
		t.Fatalf("not YAML: %v", err)
	}
	out := map[string]string{}
	walk(document, "", out)
	return out
}

func walk(v any, path string, out map[string]string) {
	switch v := v.(type) {
	case map[string]any:
		if len(v) == 0 {
			out[path] = "{}"
		}
		for key, inner := range v {
			at := strings.TrimPrefix(path+"/"+key, "/")
			if key == "typed_config" {
				at = path
			}
			walk(inner, at, out)
		}
	case []any:
		if len(v) == 0 {
			out[path] = "[]"
		}
		for i, inner := range v {
			walk(inner, fmt.Sprintf("%s/%d", path, i), out)
		}
	default:
		out[path] = fmt.Sprint(v)
	}
}

// ending returns the values whose path ends with a suffix, in the order of their paths.
func ending(values map[string]string, end string) []string {
	var paths, out []string
	for path := range values {
		if path == end || strings.HasSuffix(path, "/"+end) {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	for _, path := range paths {
		out = append(out, values[path])
	}
	return out
}
