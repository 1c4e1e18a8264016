package layout

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestEveryRuleHasAFileOfItsNameAndEveryFileARule(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(root, "internal/judge/runverdicts/rule_*.go"))
	if len(files) < 10 {
		t.Fatalf("only %d rule files found", len(files))
	}
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		id := strings.ReplaceAll(strings.TrimSuffix(strings.TrimPrefix(filepath.Base(f), "rule_"), ".go"), "_", "-")
		src, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(src), `"`+id) &&
			!strings.Contains(string(src), `"`+strings.TrimSuffix(id, "-gone")) {
			t.Errorf("%s has no rule with the id %s", f, id)
		}
	}
}
