package decode

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// phrase is a part of a text that states something.
type phrase struct {
	words       string
	notAfter    []string
	left, right bool // the edge of a word is required there
	rank        int
	event       Event
	speaker     string
	never       bool // the request was not processed, by these words alone
	alone       bool // only programs of this field write it: no other sign is needed
	sign        bool
	// beside are parts of words: the phrase states the event only if the text has one of them.
	beside []string
	guard  *guard // what the words take weight from
}

// shape is an expression that texts without a phrase may match.
type shape struct {
	Name  Event
	Rank  int
	Never bool
	Match string
	re    func() *expression
}

// guard is a class of texts whose words prove less than they say: data/evidence.toml. Of a "silent" one nothing is said, what another one
// states is one reading of several.
type guard struct {
	Name   string
	Effect string
	// Proved is set if an error code or a frame doesn't overrule the guard.
	Proved bool
	Says   Words
	// Kinds are the other readings.
	Kinds []Kind
	Words []string
}

// grammar is data/grammar.toml and data/evidence.toml, prepared for matching.
type grammar struct {
	// Roots are parts of words: a text without any of them is not read.
	Roots   []string
	Shape   []shape
	Signs   []string
	Speaker []struct {
		Who   string
		Words []string
	}
	Guard []guard
	Event []struct {
		Name  Event
		Rank  int
		Never bool
		Alone bool
		// Beside are parts of words of which one must be in the text: the words alone name a thing that a
		// working program has too.
		Beside []string
		Words  []string
	}
	index   *termIndex // of the phrases' words, in a spelled text
	phrases [][]phrase // of each term
}

// theGrammar is read once.
var theGrammar = sync.OnceValue(func() *grammar {
	g := &grammar{}
	mustRead("grammar.toml", g)
	mustRead("evidence.toml", g)
	for i, s := range g.Shape {
		g.Shape[i].re = sync.OnceValue(func() *expression { return compiled(s.Match) })
		g.Shape[i].Rank = cmp.Or(s.Rank, rankShape)
	}
	terms := numbered{}
	for p := range g.all {
		n := terms.of(p.words)[0]
		if int(n) == len(g.phrases) {
			g.phrases = append(g.phrases, nil)
		}
		g.phrases[n] = append(g.phrases[n], p)
	}
	g.index = newTermIndex(terms.words)
	return g
})

// all are the phrases of the grammar, as their words are spelled.
func (g *grammar) all(yield func(phrase) bool) {
	var spelling spelled
	add := func(p phrase, words ...string) {
		for _, w := range words {
			for _, w := range expanded(w) {
				p.words, p.left = strings.CutPrefix(w, "|")
				parts := strings.Split(p.words, "~")
				p.words, p.notAfter = parts[0], parts[1:]
				p.words, p.right = strings.CutSuffix(p.words, "|")
				spelling.spell(p.words)
				p.words = spelling.words
				yield(p)
			}
		}
	}
	add(phrase{sign: true}, g.Signs...)
	for i := range g.Guard {
		add(phrase{guard: &g.Guard[i]}, g.Guard[i].Words...)
	}
	for i, s := range g.Speaker {
		add(phrase{speaker: s.Who, rank: len(g.Speaker) - i}, s.Words...)
	}
	for _, e := range g.Event {
		add(phrase{event: e.Name, rank: e.Rank, never: e.Never, alone: e.Alone, beside: e.Beside}, e.Words...)
	}
}

// expanded are the phrases of one that has alternatives: "[[read,wrote]] settings".
func expanded(words string) (out []string) {
	before, rest, found := strings.Cut(words, "[[")
	if !found {
		return []string{words}
	}
	list, after, _ := strings.Cut(rest, "]]")
	for _, tail := range expanded(after) {
		for _, w := range strings.Split(list, ",") {
			out = append(out, before+w+tail)
		}
	}
	return out
}

// next is where a phrase stands in a text's words after an index.
func (p *phrase) next(low string, from int) (at span, ok bool) {
	for {
		i := strings.Index(low[from:], p.words)
		if i < 0 {
			return span{}, false
		}
		at = span{from + i, from + i + len(p.words)}
		after := slices.ContainsFunc(p.notAfter, func(w string) bool { return strings.HasSuffix(low[:at.from], w) })
		if !after && !(p.left && at.from > 0 && wordByte(low[at.from-1])) &&
			!(p.right && at.to < len(low) && wordByte(low[at.to])) {
			return at, true
		}
		from = at.to
	}
}

// stands reports whether the words that the phrase needs beside it are in the text; | is the edge of a word there too.
func (p *phrase) stands(low string) bool {
	return len(p.beside) == 0 || slices.ContainsFunc(p.beside, func(w string) bool {
		bare, whole := strings.CutPrefix(w, "|")
		if !whole {
			return strings.Contains(low, w)
		}
		word := phrase{words: strings.TrimSuffix(bare, "|"), left: true, right: strings.HasSuffix(bare, "|")}
		_, ok := word.next(low, 0)
		return ok
	})
}

// Signature is one known error text, by the parts of it that don't vary: data/signatures.
type Signature struct {
	ID       string
	Library  Words
	Versions Words
	// All terms and one of Any must be in the text, and none of None. They are in lower case, with
	// white space as one blank.
	All, Any, None []string
	// Shape is an expression that must match as well, where the terms alone would match too much.
	Shape string
	// Wraps is set if the text quotes another library's error; it then has priority over the quoted
	// text.
	Wraps bool
	// General is set if every closer signature has priority.
	General bool
	// Kind is what this library means by the text, where the text alone doesn't prove it.
	Kind Kind
	// Maybe are the other kinds that have the same text.
	Maybe []Kind
	// Means is what the library's semantics add.
	Means Words
	// Executed overrides what follows from the kind; Why is the reason.
	Executed Answer
	Why      Words
	// Seen are the rows of docs/clients.md whose callers got this text.
	Seen    []string
	Changes []string
	changes []Change
	Links   []string
	// Example is the text as its library writes it, for --list.
	Example string
}

// Known are all signatures, by ecosystem.
var Known = sync.OnceValue(func() (out []Signature) {
	files, _ := data.ReadDir("data/signatures")
	changes := map[string]Change{}
	for _, f := range files {
		var l struct {
			Change    map[string]Change
			Signature []Signature
		}
		mustRead("signatures/"+f.Name(), &l)
		for name, c := range l.Change {
			if _, twice := changes[name]; twice {
				panic("decode: two changes are called " + name)
			}
			changes[name] = c
		}
		out = append(out, l.Signature...)
	}
	for i := range out {
		for _, name := range out[i].Changes {
			c, ok := changes[name]
			if !ok {
				panic("decode: " + out[i].ID + " names no change: " + name)
			}
			out[i].changes = append(out[i].changes, c)
		}
	}
	return out
})

// signatureIndex is the table of signatures, prepared for matching.
type signatureIndex struct {
	terms    *termIndex // of the signatures, and the grammar's roots
	compiled []compiledSignature
	by       map[uint16][]int // from a term to the signatures that need it
}

// compiledSignature is a signature with its terms as numbers.
type compiledSignature struct {
	*Signature
	all, any, none []uint16
	shape          func() *regexp.Regexp
}

// theSignatures are prepared once: the table doesn't change.
var theSignatures = sync.OnceValue(func() *signatureIndex {
	x, terms, known := &signatureIndex{by: map[uint16][]int{}}, numbered{}, Known()
	for i := range known {
		s := &known[i]
		c := compiledSignature{Signature: s, all: terms.of(s.All...), any: terms.of(s.Any...), none: terms.of(s.None...)}
		c.shape = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(s.Shape) })
		openers := c.any // every text of the signature has one of them
		if len(c.all) > 0 {
			openers = c.all[:1]
		}
		for _, w := range openers {
			x.by[w] = append(x.by[w], i)
		}
		x.compiled = append(x.compiled, c)
	}
	terms.of(theGrammar().Roots...)
	x.terms = newTermIndex(terms.words)
	return x
})

// matches reports whether the terms and the text match the signature, and how closely: the score is
// the length of the required terms.
func (c *compiledSignature) matches(hits *termSet, text []byte) (score int, ok bool) {
	has := func(w uint16) bool { return hits.has[w] }
	for i, w := range c.all {
		if !has(w) {
			return 0, false
		}
		score += len(c.All[i])
	}
	longest := 0
	for i, w := range c.any {
		if has(w) {
			longest = max(longest, len(c.Any[i]))
		}
	}
	if len(c.any) > 0 && longest == 0 || slices.ContainsFunc(c.none, has) || c.Shape != "" && !c.shape().Match(text) {
		return 0, false
	}
	if c.Shape != "" {
		score += 4
	}
	if c.Wraps {
		score += 1000
	}
	if c.General {
		score -= 1000
	}
	return score + longest, true
}

// closest is the signature that matches a text most closely, or nil.
func (x *signatureIndex) closest(hits *termSet, text []byte) *Signature {
	var found *Signature
	most := 0
	for _, w := range slices.Sorted(slices.Values(hits.list)) {
		for _, i := range x.by[w] {
			if score, ok := x.compiled[i].matches(hits, text); ok && (score > most || found == nil) {
				found, most = x.compiled[i].Signature, score
			}
		}
	}
	return found
}
