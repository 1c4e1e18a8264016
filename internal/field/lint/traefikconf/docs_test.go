package traefikconf

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

func TestTheDocsListEveryRule(t *testing.T) {
	page, err := os.ReadFile("../../../../docs/lint-others.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range Rules {
		if row := fmt.Sprintf("| `%s` | %s | %s |\n",
			r.ID, r.Severity, r.Title); strings.Count(string(page), row) != 1 {
			t.Errorf("docs/lint-others.md has not this row: %s", row)
		}
		if r.Help == "" || r.Docs == "" || !strings.HasSuffix(r.Help, ".") && !strings.HasSuffix(r.Help, ")") {
			t.Errorf("%s has no help or source", r.ID)
		}
	}
	if own := strings.Count(string(page), "| `"+strings.Split(Rules[0].ID, "/")[0]+"/"); own != len(Rules) {
		t.Errorf("docs/lint-others.md has %d rows, and there are %d rules", own, len(Rules))
	}
}
