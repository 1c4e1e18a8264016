package layout

import (
	"os"
	"path/filepath"
	"regexp"
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

func TestEveryConfigurationHasAServerAndEveryServerItsFile(t *testing.T) {
	planned := map[string]bool{}
	source := read(t, "internal/lab/plan/topologies.go") + read(t, "internal/lab/plan/topologies_story.go") +
		read(t, "internal/lab/plan/topologies_matters.go")
	for _, m := range regexp.MustCompile(`"((?:nginx|envoy)/[^"]+\.(?:conf|yaml))"`).FindAllStringSubmatch(source, -1) {
		planned[m[1]] = true
		if _, err := os.Stat(filepath.Join(root, m[1])); err != nil {
			t.Errorf("plan names %s: %v", m[1], err)
		}
	}
	for _, pattern := range []string{"nginx/*.conf", "envoy/*.yaml"} {
		files, _ := filepath.Glob(filepath.Join(root, pattern))
		if len(files) == 0 {
			t.Errorf("no %s", pattern)
		}
		for _, f := range files {
			rel, _ := filepath.Rel(root, f)
			if !planned[filepath.ToSlash(rel)] {
				t.Errorf("%s has no server in internal/lab/plan/topologies*.go", rel)
			}
		}
	}
}

// The servers of the story and of SWEEP=matters run natively only, so they are no services of Compose.
func TestEveryServerIsAServiceOfCompose(t *testing.T) {
	compose := read(t, "docker-compose.yml")
	for _, m := range regexp.MustCompile(`nginx\("([a-z0-9-]+)"|Name: "([a-z0-9-]+)"`).FindAllStringSubmatch(
		read(t, "internal/lab/plan/topologies.go"), -1) {
		name := m[1] + m[2]
		if name == "direct" || name == "nginx-100000" && m[2] != "" {
			continue // topologies, not servers
		}
		if !strings.Contains(compose, "\n  "+name+":\n") {
			t.Errorf("server %s is no service in docker-compose.yml", name)
		}
	}
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
