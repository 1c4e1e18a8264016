package translations

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
)

func TestEveryTextOfTheLivePageIsTranslated(t *testing.T) {
	said := map[string]bool{}
	for file, pattern := range map[string]*regexp.Regexp{
		"../../lab/live/live.html": regexp.MustCompile(`\{\{say "([^"]+)"\}\}`),
		"../../lab/live/live.js":   regexp.MustCompile(`say\('([^']+)'`),
	} {
		page := labtest.Read(t, file)
		found := pattern.FindAllStringSubmatch(page, -1)
		if len(found) < 10 {
			t.Fatalf("only %d texts found in %s: the search is broken", len(found), file)
		}
		for _, m := range found {
			said[m[1]] = true
		}
	}
	words := LivePage()
	for english := range said {
		if words[english] == "" {
			t.Errorf("the live page says %q, which isn't translated", english)
		}
		if want, got := labtest.Verbs(english), labtest.Verbs(words[english]); !slices.Equal(want, got) {
			t.Errorf("%q has other values than %q", words[english], english)
		}
	}
	for english, chinese := range words {
		if !said[english] {
			t.Errorf("a translation of %q, which the live page doesn't say", english)
		}
		if places := labtest.Misset(strings.TrimPrefix(labtest.Verb.ReplaceAllString(chinese, "值"), "，")); places != nil {
			t.Errorf("spaces or punctuation at %q", places)
		}
	}
}

// plainText matches text of the page between tags, and in its script between quotes.
var plainText = regexp.MustCompile(`>[^<{]*[a-z]{3,}[^<{]*<|aria-label="[^"{]*[a-z]{3}`)

func TestTheLivePageHasNoTextOutsideItsWords(t *testing.T) {
	b := labtest.Read(t, "../../lab/live/live.html")
	body := regexp.MustCompile(`(?s)<code>.*?</code>|\{\{[^}]*\}\}`).ReplaceAllString(b, "")
	if found := plainText.FindAllString(body, -1); found != nil {
		t.Errorf("not in say: %q", found)
	}
}
