package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
)

// relativeLink finds the target of a markdown or HTML link that isn't a URL
// or a place in the same page.
var relativeLink = regexp.MustCompile(`(?:\]\(|src="|srcset=")([^)"#:]+)(?:#[^)"]*)?[)"]`)

func TestEveryRelativeLinkLeadsToAFile(t *testing.T) {
	pages := []string{"../README.md", "../CONTRIBUTING.md", "../tools/README.md", "../CHANGELOG.md", "../SECURITY.md"}
	for _, pattern := range []string{"*.md", "decisions/*.md", "workshop/*.md", "workshop/zh/*.md", "../README.zh.md"} {
		found, _ := filepath.Glob(pattern)
		pages = append(pages, found...)
	}
	checked := 0
	for _, page := range pages {
		b := labtest.Read(t, page)
		for _, m := range relativeLink.FindAllStringSubmatch(b, -1) {
			checked++
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), m[1])); err != nil {
				t.Errorf("%s links to %s, which isn't there", page, m[1])
			}
		}
	}
	if checked < 10 {
		t.Errorf("only %d links found: the pattern is broken", checked)
	}
}

func TestEveryMakeTargetIsExplained(t *testing.T) {
	b := labtest.Read(t, "../Makefile")
	for _, m := range regexp.MustCompile(`(?m)^([a-z0-9]+):(.*)$`).FindAllStringSubmatch(b, -1) {
		if m[1] != "build" && m[1] != "help" && !strings.Contains(m[2], "## ") {
			t.Errorf("make %s has no line of help", m[1])
		}
	}
}
