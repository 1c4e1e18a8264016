package envoyconf

import (
	"encoding/json"
	"os"
	"testing"

	"h2lab/internal/field/lint"
)

// Lint must handle a dump with hundreds of listeners and clusters in one pass: no check may go through
// all of them for each of them.
func TestALargeDumpIsJudgedOnceThrough(t *testing.T) {
	data, err := os.ReadFile("testdata/corpus/config_dump.json")
	if err != nil {
		t.Fatal(err)
	}
	const times = 300
	for name, marshal := range map[string]func(any) ([]byte, error){
		"indented": func(v any) ([]byte, error) { return json.MarshalIndent(v, "", "  ") }, "one line": json.Marshal,
	} {
		t.Run(name, func(t *testing.T) {
			large, err := marshal(repeated(t, data, times))
			if err != nil {
				t.Fatal(err)
			}
			r, err := Lint([]lint.File{{Name: "dump.json", Data: large}}, lint.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Listeners) != times {
				t.Errorf("%d listeners, not %d", len(r.Listeners), times)
			}
		})
	}
}

// repeated is a dump with each of its static listeners and clusters n times.
func repeated(t *testing.T, data []byte, n int) map[string]any {
	t.Helper()
	var dump map[string]any
	if err := json.Unmarshal(data, &dump); err != nil {
		t.Fatal(err)
	}
	for _, section := range dump["configs"].([]any) {
		section := section.(map[string]any)
		for _, key := range []string{"static_listeners", "static_clusters"} {
			if one, there := section[key].([]any); there {
				var all []any
				for range n {
					all = append(all, one...)
				}
				section[key] = all
			}
		}
	}
	return dump
}
