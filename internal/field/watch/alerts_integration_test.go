//go:build integration

package watch

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
)

const (
	rulesFile = "h2-connections.rules.yml"
	testsFile = "h2-connections.test.yml"
)

// promtool runs the real promtool in a directory.
func promtool(t *testing.T, dir string, args ...string) (string, error) {
	t.Helper()
	made := filepath.Join(labtest.Root(t), "tools", "bin", "promtool")
	if _, err := exec.LookPath("promtool"); err != nil {
		if _, err := os.Stat(made); err != nil {
			t.Fatal("promtool is neither on PATH nor in tools/bin; get it with: tools/promtool.sh")
		}
	}
	cmd := exec.CommandContext(t.Context(), labtest.Program(t, "promtool"), args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func alertsDir(t *testing.T) string { return filepath.Join(labtest.Root(t), "docs", "alerts") }

func TestTheRulesAreRulesAndFireAsTested(t *testing.T) {
	if out, err := promtool(t, alertsDir(t), "check", "rules", rulesFile); err != nil ||
		strings.Contains(out, "duplicate") {
		t.Errorf("%v\n%s", err, out)
	}
	if out, err := promtool(t, alertsDir(t), "test", "rules", testsFile); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// Each change of a threshold must make the rules' tests fail.
func TestTheRulesTestsNotice(t *testing.T) {
	rules := labtest.Read(t, filepath.Join(alertsDir(t), rulesFile))
	for _, c := range [][2]string{
		{"ratio5m < 25 and h2", "ratio5m < 15 and h2"},
		{"ratio5m < 25 and h2", "ratio5m < 120 and h2"},
		{"rate5m > 2\n", "rate5m > 60\n"},
		{"ratio5m < 200", "ratio5m < 100"},
		{"ratio5m < 200", "ratio5m < 250"},
		{"[5m])) > 0.2\n", "[5m])) > 200\n"},
		{"[5m])) > 1\n", "[5m])) > 4\n"},
		{"> 0.05", "> 0.5"},
		{"> 0.01)", "> 0.03)"},
		{`envoy_http_conn_manager_prefix!="admin"}[5m]))
        labels: {server: envoy}`, `envoy_http_conn_manager_prefix=~".*"}[5m]))
        labels: {server: nginx}`},
	} {
		if !strings.Contains(rules, c[0]) {
			t.Errorf("%q is not in the rules any more; change this row", c[0])
			continue
		}
		dir := t.TempDir()
		write(t, filepath.Join(dir, rulesFile), strings.Replace(rules, c[0], c[1], 1))
		write(t, filepath.Join(dir, testsFile), labtest.Read(t, filepath.Join(alertsDir(t), testsFile)))
		if out, err := promtool(t, dir, "test", "rules", testsFile); err == nil {
			t.Errorf("%q → %q: the tests pass all the same\n%s", c[0], c[1], out)
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Every expression of the dashboard must be valid PromQL. promtool parses expressions only in
// rules, so each becomes a rule, with Grafana's variables replaced.
func TestTheDashboardsExpressionsAreRead(t *testing.T) {
	var found []string
	var board any
	if err := json.Unmarshal([]byte(labtest.Read(t, filepath.Join(alertsDir(t), "grafana-dashboard.json"))),
		&board); err != nil {
		t.Fatal(err)
	}
	expressions(board, &found)
	if len(found) < 20 {
		t.Fatalf("only %d expressions found", len(found))
	}
	fill := strings.NewReplacer("$__rate_interval", "5m", "$instance", ".*", "$job", ".*", "$limit", "1000")
	rules := "groups:\n- name: dashboard\n  rules:\n"
	for i, e := range found {
		filled := fill.Replace(e)
		if left := regexp.MustCompile(`\$\w+`).FindString(filled); left != "" {
			t.Errorf("%s: no such variable: %s", e, left)
		}
		rules += fmt.Sprintf("  - record: dashboard:%d\n    expr: %q\n", i, filled)
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "dashboard.yml"), rules)
	if out, err := promtool(t, dir, "check", "rules", "dashboard.yml"); err != nil ||
		!strings.Contains(out, fmt.Sprintf("%d rules found", len(found))) {
		t.Errorf("%v\n%s", err, out)
	}
	write(t, filepath.Join(dir, "broken.yml"), strings.Replace(rules, "sum by", "sum buy", 1))
	if out, err := promtool(t, dir, "check", "rules", "broken.yml"); err == nil {
		t.Errorf("a broken expression passes:\n%s", out)
	}
}

// expressions collects all values of "expr" keys, at any depth.
func expressions(v any, into *[]string) {
	switch v := v.(type) {
	case map[string]any:
		for key, below := range v {
			if text, ok := below.(string); ok && key == "expr" {
				*into = append(*into, text)
				continue
			}
			expressions(below, into)
		}
	case []any:
		for _, below := range v {
			expressions(below, into)
		}
	}
}
