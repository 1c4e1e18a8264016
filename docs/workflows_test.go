package docs

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"

	"go.yaml.in/yaml/v3"
)

// A workflow is what these tests read of one.
type workflow struct {
	Permissions yaml.Node `yaml:"permissions"`
	Concurrency yaml.Node `yaml:"concurrency"`
	Jobs        map[string]struct {
		Timeout int `yaml:"timeout-minutes"`
		Steps   []struct {
			Uses string `yaml:"uses"`
		} `yaml:"steps"`
	} `yaml:"jobs"`
}

// pinned is an action at a commit, with the version as a comment. A tag can be moved to other code
// (GitHub's "Security hardening for GitHub Actions").
var pinned = regexp.MustCompile(`^\s*(?:- )?uses: [\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+(\.\d+)*$`)

// faultsOf returns what is wrong with a workflow's text.
func faultsOf(text string) (out []string) {
	var w workflow
	if err := yaml.Unmarshal([]byte(text), &w); err != nil {
		return []string{err.Error()}
	}
	if w.Permissions.IsZero() || strings.Contains(w.Permissions.Value, "write-all") {
		out = append(out, "no permissions, so that the token may do everything")
	}
	if w.Concurrency.IsZero() {
		out = append(out, "no concurrency")
	}
	if len(w.Jobs) == 0 {
		out = append(out, "no jobs")
	}
	uses := 0
	for name, job := range w.Jobs {
		if job.Timeout == 0 {
			out = append(out, fmt.Sprintf("job %s has no timeout-minutes", name))
		}
		for _, s := range job.Steps {
			if s.Uses != "" {
				uses++
			}
		}
	}
	for _, line := range strings.Split(text, "\n") {
		if !regexp.MustCompile(`^\s*(- )?["']?uses["']?\s*:`).MatchString(line) {
			continue
		}
		uses--
		if !pinned.MatchString(line) {
			out = append(out, "not pinned by a commit with its version beside it: "+strings.TrimSpace(line))
		}
	}
	if uses != 0 {
		out = append(out, "a uses: that doesn't stand on a line of its own")
	}
	return out
}

func TestWorkflowsPinTheirActionsAndMayDoLittle(t *testing.T) {
	files, _ := filepath.Glob("../.github/workflows/*.y*ml")
	if len(files) < 2 {
		t.Fatalf("workflows: %q", files)
	}
	for _, f := range files {
		b := labtest.Read(t, f)
		for _, fault := range faultsOf(b) {
			t.Errorf("%s: %s", f, fault)
		}
	}
}

func TestFaultsOfWorkflowsAreFound(t *testing.T) {
	const good = `on: push
permissions: {contents: read}
concurrency: x
jobs:
  a:
    timeout-minutes: 5
    steps:
      - uses: actions/checkout@08c6903cd8c0fde910a37f88322edcfb5dd907a8 # v5.0.0
`
	if faults := faultsOf(good); len(faults) > 0 {
		t.Errorf("a good one has %q", faults)
	}
	for _, c := range []struct{ from, to, want string }{
		{"@08c6903cd8c0fde910a37f88322edcfb5dd907a8 # v5.0.0", "@v5", "not pinned"},
		{"@08c6903cd8c0fde910a37f88322edcfb5dd907a8 # v5.0.0", "@08c6903", "not pinned"},
		{" # v5.0.0", "", "not pinned"},
		{"- uses:", "- \"uses\":", "not pinned"},
		{"- uses: actions/checkout@08c6903cd8c0fde910a37f88322edcfb5dd907a8 # v5.0.0", "- {uses: actions/checkout@main}",
			"on a line of its own"},
		{"permissions: {contents: read}\n", "", "no permissions"},
		{"permissions: {contents: read}", "permissions: write-all", "no permissions"},
		{"concurrency: x\n", "", "no concurrency"},
		{"    timeout-minutes: 5\n", "", "no timeout-minutes"},
		{"jobs:\n", "job:\n", "no jobs"},
		{"on: push", "on: [", "yaml"},
	} {
		text := strings.Replace(good, c.from, c.to, 1)
		if found := strings.Join(faultsOf(text), "; "); text == good || !strings.Contains(found, c.want) {
			t.Errorf("with %q the faults are %q, want %q", c.to, found, c.want)
		}
	}
}

// Forms ask for what a report must have.
func TestIssueFormsAskForTheVersionAndTheDecodedError(t *testing.T) {
	files, _ := filepath.Glob("../.github/ISSUE_TEMPLATE/*.yml")
	forms := 0
	for _, f := range files {
		if filepath.Base(f) == "config.yml" {
			continue
		}
		forms++
		b, err := os.ReadFile(f)
		labtest.Check(t, err)
		var form struct {
			Name, Description string
			Body              []struct {
				Type, ID    string
				Attributes  struct{ Label, Description string }
				Validations struct{ Required bool }
			}
		}
		if err := yaml.Unmarshal(b, &form); err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		asks := map[string]bool{}
		for _, field := range form.Body {
			if field.Validations.Required {
				for _, want := range []string{"h2lab version", "h2lab decode"} {
					asks[want] = asks[want] || strings.Contains(field.Attributes.Description, want)
				}
			}
		}
		if form.Name == "" || form.Description == "" || !asks["h2lab version"] || !asks["h2lab decode"] {
			t.Errorf("%s: name %q, description %q, asks for %v", f, form.Name, form.Description, asks)
		}
	}
	if forms < 3 {
		t.Errorf("only %d forms found", forms)
	}
}
