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

// chinesePages returns the Chinese pages that people wrote. Programs write docs/*.zh.md.
func chinesePages(t *testing.T) []string {
	t.Helper()
	pages, _ := filepath.Glob("workshop/zh/*.md")
	if len(pages) == 0 {
		t.Fatal("no page in workshop/zh")
	}
	return append(pages, "../README.zh.md", "install.zh.md")
}

// names returns the file names of pages.
func names(pattern string) []string {
	found, _ := filepath.Glob(pattern)
	for i := range found {
		found[i] = filepath.Base(found[i])
	}
	return found
}

func TestEveryPageOfTheWorkshopIsInChinese(t *testing.T) {
	if diff := cmp.Diff(names("workshop/*.md"), names("workshop/zh/*.md")); diff != "" {
		t.Errorf("the pages differ (-workshop +workshop/zh):\n%s", diff)
	}
}

// The pages whose translations have another form.
const (
	slides   = "slides.md"   // a diagram may have Chinese words: only its arrows and numbers are compared
	glossary = "glossary.md" // a column of its own has the English terms
)

// parts returns the parts of a workshop's page, as its translation must have them.
func parts(name, page string) []string {
	switch {
	case name == glossary && strings.Contains(page, chineseTerms):
		return sections(regexp.MustCompile(`(?m)^(\| [^|]+ \|) [^|]+ \|`).ReplaceAllString(page, "$1"))
	case name != slides:
		return sections(page)
	}
	words := regexp.MustCompile(`[\p{L}\p{P} ]+`)
	page = regexp.MustCompile("(?s)```text\n.*?\n```").ReplaceAllStringFunc(page, func(block string) string {
		return "```\n" + words.ReplaceAllString(strings.Trim(block, "`"), "") + "\n```"
	})
	return strings.Split(page, "\n---\n")
}

// translations maps each translated page to the English one.
func translations() map[string]string {
	out := map[string]string{"../README.zh.md": "../README.md", "install.zh.md": "install.md"}
	for _, name := range names("workshop/zh/*.md") {
		out[filepath.Join("workshop/zh", name)] = filepath.Join("workshop", name)
	}
	return out
}

func TestChinesePagesSayTheSame(t *testing.T) {
	for zh, en := range translations() {
		name := filepath.Base(en)
		english, chinese := parts(name, labtest.Read(t, en)), parts(name, labtest.Read(t, zh))
		if last := len(chinese) - 1; zh == "../README.zh.md" && strings.HasPrefix(chinese[last], "术语\n") {
			chinese = chinese[:last] // its glossary
		}
		if len(english) != len(chinese) {
			t.Errorf("%s has %d parts, the English page %d", zh, len(chinese), len(english))
			continue
		}
		for i := range english {
			// The two pages link to each other.
			own := []string{"README.md", "zh/README.md", "install.md"}
			same(t, zh+", "+firstLine(chinese[i]), shared(english[i], own...), shared(chinese[i], own...))
		}
	}
}

// A chapter's part has the same title in every chapter.
func TestEachTitleOfAPartHasOneTranslation(t *testing.T) {
	known := map[string]string{}
	for _, name := range names("workshop/[0-9]*.md") {
		english, chinese := sections(labtest.Read(t, filepath.Join("workshop", name))),
			sections(labtest.Read(t, filepath.Join("workshop/zh", name)))
		for i := 1; i < min(len(english), len(chinese)); i++ {
			title, translated := firstLine(english[i]), firstLine(chinese[i])
			if before, ok := known[title]; ok && before != translated {
				t.Errorf("%s: %q is %q here and %q before", name, title, translated, before)
			}
			known[title] = translated
		}
	}
}

func firstLine(s string) string { return strings.SplitN(s, "\n", 2)[0] }

// links returns the files that a page links to.
func links(t *testing.T, page string) []string {
	t.Helper()
	var out []string
	for _, m := range relativeLink.FindAllStringSubmatch(labtest.Read(t, page), -1) {
		out = append(out, strings.TrimPrefix(filepath.Join(filepath.Dir(page), m[1]), "../docs/"))
	}
	return out
}

// inChinese returns where the Chinese text of a page would be.
func inChinese(page string) []string {
	return []string{strings.TrimSuffix(page, ".md") + ".zh.md", filepath.Join(filepath.Dir(page), "zh", filepath.Base(page))}
}

func TestChinesePagesLinkToChinesePages(t *testing.T) {
	for _, page := range chinesePages(t) {
		for _, to := range links(t, page) {
			for _, zh := range inChinese(to) {
				if zh == page {
					continue // the choice of a language
				}
				if _, err := os.Stat(zh); err == nil && strings.HasSuffix(to, ".md") {
					t.Errorf("%s links to %s, which exists in Chinese: %s", page, to, zh)
				}
			}
		}
	}
}

// Somebody who begins with README.zh.md reaches every page of the workshop and reads no English page on the way.
func TestChinesePagesLeadToEveryChinesePage(t *testing.T) {
	all := chinesePages(t)
	seen, next := map[string]bool{}, []string{"../README.zh.md"}
	for len(next) > 0 {
		page := next[0]
		next = next[1:]
		if seen[page] || !slices.Contains(all, page) {
			continue
		}
		seen[page] = true
		next = append(next, links(t, page)...)
	}
	for _, page := range all {
		if !seen[page] {
			t.Errorf("no Chinese page links to %s", page)
		}
	}
}
