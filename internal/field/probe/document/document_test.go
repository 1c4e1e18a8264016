package document

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
)

var update = flag.Bool("update", false, "write the golden files")

// The text for each kind of endpoint, from recordings of real servers.
func TestTheFactsOfAnEndpointAreDrawnAsBefore(t *testing.T) {
	recorded, err := filepath.Glob("testdata/*.json")
	if err != nil || len(recorded) < 5 {
		t.Fatalf("%d recorded endpoints, %v", len(recorded), err)
	}
	for _, name := range recorded {
		var d struct {
			Endpoint facts.Endpoint `json:"endpoint"`
		}
		if err := json.Unmarshal([]byte(labtest.Read(t, name)), &d); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got := strings.Join(factLines(d.Endpoint), "\n") + "\n"
		golden := strings.TrimSuffix(name, ".json") + ".txt"
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(labtest.Read(t, golden), got); diff != "" {
			t.Errorf("%s (go test ./internal/field/probe/document -update):\n%s", golden, diff)
		}
	}
}
