package docs

import (
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

// sections returns a page's parts, each from its heading to the next.
func sections(page string) []string { return strings.Split(page, "\n## ") }

var (
	cleared   = regexp.MustCompile("(?s)```.*?\n```|<!--.*?-->|<[^>]+>|`[^`\n]+`|\\]\\([^)]*\\)")
	sentence  = regexp.MustCompile(`[A-Za-z'-]{2,}(?: [A-Za-z'-]+){3,}`)
	terms     = regexp.MustCompile(`(?s)\n## 术语\n.*`)
	loneBreak = regexp.MustCompile(`\p{Han}\n\p{Han}`)
)

func TestChinesePagesHaveNoEnglishSentenceAndAreSetLikeChinese(t *testing.T) {
	for _, page := range chinesePages(t) {
		whole := labtest.Read(t, page)
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
		if places := labtest.Misset(whole); places != nil {
			t.Errorf("%s: spaces or punctuation at %q", page, places)
		}
	}
}
