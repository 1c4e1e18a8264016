package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"h2lab/internal/base/labtest"
)

// What a page and its translation must have in common.
var (
	fencedBlock = regexp.MustCompile("(?s)```.*?\n```")
	codeSpan    = regexp.MustCompile("`[^`\n]+`")
	target      = regexp.MustCompile(`(?:\]\(|src="|srcset=")([^)"]+)`)
	comment     = regexp.MustCompile(`<!--.*?-->`)
	figure      = regexp.MustCompile(`\d+(?:,\d{3})*(?:\.\d+)?`)
	headingLine = regexp.MustCompile(`(?m)^#+ `)
	tableLine   = regexp.MustCompile(`(?m)^\|`)
)

// shared returns what both pages must have in common, sorted where the order may differ.
func shared(page string, own ...string) map[string][]string {
	blocks := fencedBlock.FindAllString(page, -1)
	prose := fencedBlock.ReplaceAllString(page, "")
	var targets []string
	for _, m := range target.FindAllStringSubmatch(prose, -1) {
		// A translation links to translations, where they exist.
		to := strings.TrimPrefix(strings.ReplaceAll(m[1], ".zh.md", ".md"), "../")
		if !slices.Contains(own, to) {
			targets = append(targets, to)
		}
	}
	spans, figures := codeSpan.FindAllString(prose, -1),
		figure.FindAllString(strings.ReplaceAll(prose, ".zh.", "."), -1)
	slices.Sort(spans)
	slices.Sort(figures)
	slices.Sort(targets)
	return map[string][]string{"headings": headingLine.FindAllString(prose, -1), "code blocks": blocks, "code": spans,
		"links and pictures": targets,
		"figures":            figures, "rows of tables": tableLine.FindAllString(prose, -1),
		"comments": comment.FindAllString(prose, -1)}
}

func same(t *testing.T, name string, english, chinese map[string][]string) {
	t.Helper()
	for what, want := range english {
		if diff := cmp.Diff(want, chinese[what]); diff != "" {
			t.Errorf("%s: %s differ (-English +Chinese):\n%s", name, what, diff)
		}
	}
}

func readPage(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// sections returns a page's parts, each from its heading to the next.
func sections(page string) []string { return strings.Split(page, "\n## ") }

func TestReadmeSaysTheSameInChinese(t *testing.T) {
	english, chinese := sections(readPage(t, "../README.md")), sections(readPage(t, "../README.zh.md"))
	last := len(chinese) - 1
	if !strings.HasPrefix(chinese[last], "术语\n") {
		t.Fatal("README.zh.md doesn't end with its glossary (## 术语)")
	}
	if len(english) != last {
		t.Fatalf("README.md has %d sections, README.zh.md %d and its glossary", len(english), last)
	}
	for i := range english {
		// The two pages link to each other.
		same(t, "README.zh.md, "+strings.SplitN(chinese[i], "\n", 2)[0], shared(english[i], "README.md"),
			shared(withoutChapters(chinese[i]), "README.md"))
	}
}

// withoutChapters removes the link to the translated chapters, which only the translation has.
func withoutChapters(page string) string {
	return strings.ReplaceAll(page, "](docs/workshop/zh/00-story.md)", "")
}

func TestChaptersSayTheSameInChinese(t *testing.T) {
	translated, _ := filepath.Glob("workshop/zh/*.md")
	if len(translated) == 0 {
		t.Fatal("no chapter in workshop/zh")
	}
	for _, zh := range translated {
		english, chinese := sections(readPage(t, filepath.Join("workshop", filepath.Base(zh)))),
			sections(readPage(t, zh))
		if len(english) != len(chinese) {
			t.Errorf("%s has %d parts, the English page %d", zh, len(chinese), len(english))
			continue
		}
		for i := range english {
			same(t, zh+", "+strings.SplitN(chinese[i], "\n", 2)[0], shared(english[i]), shared(chinese[i]))
		}
	}
}

func TestLinksOfChinesePagesLeadToFiles(t *testing.T) {
	pages, _ := filepath.Glob("workshop/zh/*.md")
	for _, page := range append(pages, "../README.zh.md") {
		for _, m := range relativeLink.FindAllStringSubmatch(readPage(t, page), -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), m[1])); err != nil {
				t.Errorf("%s links to %s, which isn't there", page, m[1])
			}
		}
	}
}

var (
	cleared   = regexp.MustCompile("(?s)```.*?\n```|<!--.*?-->|<[^>]+>|`[^`\n]+`|\\]\\([^)]*\\)")
	sentence  = regexp.MustCompile(`[A-Za-z'-]{2,}(?: [A-Za-z'-]+){3,}`)
	glossary  = regexp.MustCompile(`(?s)\n## 术语\n.*`)
	loneBreak = regexp.MustCompile(`\p{Han}\n\p{Han}`)
)

func TestNoEnglishSentenceIsLeftInChinesePages(t *testing.T) {
	pages, _ := filepath.Glob("workshop/zh/*.md")
	for _, page := range append(pages, "../README.zh.md") {
		whole := readPage(t, page)
		text := cleared.ReplaceAllString(glossary.ReplaceAllString(whole, "\n"), "¦")
		shown := strings.Join(fencedBlock.FindAllString(whole, -1), "") // a translation may quote what the page shows
		for _, m := range sentence.FindAllString(text, -1) {
			if !strings.Contains(shown, m) {
				t.Errorf("%s: %q is English", page, m)
			}
		}
		if m := loneBreak.FindString(text); m != "" {
			t.Errorf("%s: a line is broken within a Chinese sentence at %q, where browsers show a gap", page, m)
		}
	}
}

func TestChinesePagesAreSetLikeChinese(t *testing.T) {
	pages, _ := filepath.Glob("workshop/zh/*.md")
	for _, page := range append(pages, "../README.zh.md") {
		if places := labtest.Misset(readPage(t, page)); places != nil {
			t.Errorf("%s: spaces or punctuation at %q", page, places)
		}
	}
}
