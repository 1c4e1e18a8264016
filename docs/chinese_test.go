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
	codeSpan    = regexp.MustCompile("`[^`\n]+(?:\n[^`\n]+)?`")
	target      = regexp.MustCompile(`(?:\]\(|src="|srcset=")([^)"]+)`)
	// A comment that a program reads. The other comments are a speaker's notes, and translated.
	comment     = regexp.MustCompile(`<!-- (?:recorded|headline|end of|minutes|exercise) ?[^>]*-->`)
	figure      = regexp.MustCompile(`\d+(?:,\d{3})*(?:\.\d+)?`)
	headingLine = regexp.MustCompile(`(?m)^#+ `)
	tableLine   = regexp.MustCompile(`(?m)^\|`)
	fold        = regexp.MustCompile(`</?(?:details|summary)>`)
	// asEnglish removes from a target what distinguishes a translation's file from the English one.
	asEnglish = strings.NewReplacer(".zh.md", ".md", ".zh-light.", "-light.", ".zh-dark.", "-dark.",
		"workshop/zh/", "workshop/", "pictures/zh/", "pictures/", "../", "")
)

// shared returns what both pages must have in common, sorted where the order may differ.
func shared(page string, own ...string) map[string][]string {
	blocks := fencedBlock.FindAllString(page, -1)
	prose := fencedBlock.ReplaceAllString(page, "")
	var targets []string
	for _, m := range target.FindAllStringSubmatch(prose, -1) {
		if to := asEnglish.Replace(m[1]); !slices.Contains(own, to) {
			targets = append(targets, to)
		}
	}
	var spans []string
	for _, span := range codeSpan.FindAllString(prose, -1) {
		spans = append(spans, strings.ReplaceAll(span, "\n", " ")) // English lines are wrapped
	}
	figures := figure.FindAllString(strings.ReplaceAll(prose, ".zh.", "."), -1)
	slices.Sort(spans)
	slices.Sort(figures)
	slices.Sort(targets)
	return map[string][]string{"headings": headingLine.FindAllString(prose, -1), "code blocks": blocks, "code": spans,
		"links and pictures": targets,
		"figures":            figures, "rows of tables": tableLine.FindAllString(prose, -1),
		"folds":    fold.FindAllString(prose, -1),
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
			shared(chinese[i], "README.md"))
	}
}

func TestInstallSaysTheSameInChinese(t *testing.T) {
	english, chinese := sections(readPage(t, "install.md")), sections(readPage(t, "install.zh.md"))
	if len(english) != len(chinese) {
		t.Fatalf("install.md has %d sections, install.zh.md %d", len(english), len(chinese))
	}
	for i := range english {
		// The two pages link to each other.
		same(t, "install.zh.md, "+strings.SplitN(chinese[i], "\n", 2)[0], shared(english[i], "install.md"),
			shared(chinese[i], "install.md"))
	}
}

func TestLinksOfChinesePagesLeadToFiles(t *testing.T) {
	for _, page := range chinesePages(t) {
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
	terms     = regexp.MustCompile(`(?s)\n## 术语\n.*`)
	loneBreak = regexp.MustCompile(`\p{Han}\n\p{Han}`)
)

func TestNoEnglishSentenceIsLeftInChinesePages(t *testing.T) {
	for _, page := range chinesePages(t) {
		whole := readPage(t, page)
		text := cleared.ReplaceAllString(terms.ReplaceAllString(whole, "\n"), "¦")
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
	for _, page := range chinesePages(t) {
		if places := labtest.Misset(readPage(t, page)); places != nil {
			t.Errorf("%s: spaces or punctuation at %q", page, places)
		}
	}
}
