package decode

import (
	"strings"
	"sync"
)

// People also explain a failure in whole sentences: a manual, a comment in code, a merge request. In English a third and more of the
// words of such a text are function words, and it has no time, no level and no exception. Nobody can list all openings of
// a sentence; the function words are few.

// functionWords are the most frequent ones, without the pronouns of people who report what they saw.
var functionWords = sync.OnceValue(func() map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq("the a an is are was were that this these those when which of to in on by and or if it its be been " +
		"has have had not they their can may must should will would for with from as at so because then than but do does did " +
		"only also all any each every other into about after before while since until there here some such what how why you your") {
		m[w] = true
	}
	return m
})

const (
	// leastWords and leastShare tell sentences from long errors: of the texts of the corpus that report a failure, three
	// have so many words of which so many are function words, and no sign of a record.
	leastWords = 20
	leastShare = 0.3
)

// witness matches the beginning of what people report of their own systems.
var witness = lazily(`\b(?:I|[Ww]e)\b(?: \w+)? (?:got|get|getting|saw|see|seeing|receiv\w+|notic\w+|observ\w+|hit|hitting|` +
	`fail\w*|try|tried|trying)\b`)

// narrates reports whether a text explains something in sentences.
func (t text) narrates() bool {
	words, function, known := 0, 0, functionWords()
	for w := range strings.FieldsSeq(t.low) {
		w = strings.Trim(w, ".,:;!?\"'`()[]*")
		if w == "" || w[0] < 'a' || w[0] > 'z' {
			continue
		}
		if words++; known[w] {
			function++
		}
	}
	return words >= leastWords && float64(function) >= leastShare*float64(words) &&
		!logging().MatchString(t.as) && !witness().MatchString(t.as)
}

// counsel matches what a manual tells its reader: no record of a failure speaks to "you" so.
var counsel = lazily(`\b(?:[Ii]f|[Ww]hen) you(?:'re| are|r|'ve| have)? .*\byou(?:'ll| will| may| might| can| could| should)\b|` +
	`\byou (?:will|may|might) (?:likely |probably |also |sometimes |then )?(?:see|get|receive|notice|encounter)\b`)

// explained reports whether a text that decode can't read may explain something: it reports no failure then.
func explained(raw []byte) bool {
	n := normaliser{}
	t := newText(n.normal(raw))
	return t.mayBeProse() || strings.Contains(t.low, "you") && counsel().MatchString(t.as) && !logged().MatchString(t.as)
}
