package decode

import (
	"regexp"
	"slices"
	"sync"
)

// book is the table of signatures, prepared for matching.
type book struct {
	scan  *scanner
	words int
	pages []page
	by    map[uint16][]int // from a term to the pages that need it
	// phraseScan finds the grammar's phrases in the words of a text, which has other terms.
	phraseScan *scanner
	byPhrase   [][]phrase // from a term to its phrases
	shapes     []shape
}

// page is a signature with its terms as numbers.
type page struct {
	*Signature
	all, any, none []uint16
	shape          *regexp.Regexp
}

// theBook is built once: the table doesn't change.
var theBook = sync.OnceValue(func() *book { return newBook(Known(), theGrammar()) })

func newBook(known []Signature, g grammar) *book {
	b := &book{by: map[uint16][]int{}, shapes: g.Shape}
	numbers, list := map[string]uint16{}, []string{}
	number := func(words []string) (out []uint16) {
		for _, w := range words {
			if _, ok := numbers[w]; !ok {
				numbers[w] = uint16(len(list))
				list = append(list, w)
			}
			out = append(out, numbers[w])
		}
		return out
	}
	for i := range known {
		s := &known[i]
		p := page{Signature: s, all: number(s.All), any: number(s.Any), none: number(s.None)}
		if s.Shape != "" {
			p.shape = regexp.MustCompile(s.Shape)
		}
		b.pages = append(b.pages, p)
		for _, w := range p.openers() {
			b.by[w] = append(b.by[w], i)
		}
	}
	number(g.Roots)
	b.words = len(list)
	b.scan = newScanner(list)
	b.readGrammar(g)
	return b
}

// readGrammar prepares the phrases.
func (b *book) readGrammar(g grammar) {
	numbers, list := map[string]int{}, []string{}
	for _, p := range g.phrases() {
		n, known := numbers[p.words]
		if !known {
			n = len(list)
			numbers[p.words] = n
			list = append(list, p.words)
			b.byPhrase = append(b.byPhrase, nil)
		}
		b.byPhrase[n] = append(b.byPhrase[n], p)
	}
	b.phraseScan = newScanner(list)
}

// openers are terms of which every text of the signature has at least one.
func (p *page) openers() []uint16 {
	if len(p.all) > 0 {
		return p.all[:1]
	}
	return p.any
}

// opens reports whether the terms and the text match the signature, and how closely: the score is
// the length of the required terms.
func (p *page) opens(hits terms, text []byte) (score int, ok bool) {
	for i, w := range p.all {
		if !hits.has(w) {
			return 0, false
		}
		score += len(p.All[i])
	}
	longest := 0
	for i, w := range p.any {
		if hits.has(w) {
			longest = max(longest, len(p.Any[i]))
		}
	}
	if len(p.any) > 0 && longest == 0 || slices.ContainsFunc(p.none, hits.has) {
		return 0, false
	}
	if p.shape != nil {
		if !p.shape.Match(text) {
			return 0, false
		}
		score += 4
	}
	if p.Wraps {
		score += 1000
	}
	if p.General {
		score -= 1000
	}
	return score + longest, true
}

// best is the signature that matches a text most closely, or nil.
func (b *book) best(hits terms, text []byte) *Signature {
	var found *Signature
	most := 0
	for w := range hits.all {
		for _, i := range b.by[w] {
			p := &b.pages[i]
			if score, ok := p.opens(hits, text); ok && (score > most || found == nil) {
				found, most = p.Signature, score
			}
		}
	}
	return found
}

// Decoder decodes one text after another and reuses its buffers. It must not be used by several
// goroutines at once.
type Decoder struct {
	book *book
	norm normaliser
	hits terms // the signatures' terms in a text
	said terms // the grammar's
	// phrases are those whose words are in the text.
	phrases []*phrase
	words   spelled
	// settled is set if the last text says something that is no failure of a connection.
	settled bool
	// signed is set if the last text has a sign of HTTP/2 or gRPC.
	signed bool
}

// NewDecoder returns a decoder for the known signatures.
func NewDecoder() *Decoder {
	b := theBook()
	return &Decoder{book: b, hits: newTerms(b.words), said: newTerms(len(b.byPhrase))}
}

// Finding is the result for one text.
type Finding struct {
	// Signature is nil if no library is known to write the text.
	Signature *Signature
	Kind      Kind
	proofs
	// dropped is set if the signature contradicts what the text proves: only its library counts.
	dropped bool
	size    int // of the normalised text
	text    text
}

// noFailure are events that say what else happened.
var noFailure = []Event{onNormal, onAnswered, onStatus, onTooLarge, onServerLine}

// find decodes one text of one or more lines, without the facts that decide nothing; nil means that
// it has nothing to do with HTTP/2, gRPC or connections.
func (d *Decoder) find(raw []byte) *Finding {
	normal := d.norm.normal(raw)
	clear(d.hits)
	d.settled, d.signed = false, false
	if !d.book.scan.scan(normal, d.hits) {
		return nil
	}
	return d.read(normal)
}

// read decodes a text that has words of interest.
func (d *Decoder) read(normal []byte) *Finding {
	s := d.book.best(d.hits, normal)
	f := &Finding{Signature: s, size: len(normal), text: newText(normal)}
	if f.proofs = d.prove(f.text); f.quiet(s) {
		d.settled = !f.operating || !exceptionText().MatchString(f.text.as)
		if !f.operating || f.Speaker != "server" || f.Event == onNormal {
			return nil
		}
		f.Kind, f.Signature = ServerLog, nil // a server logs what its clients do
		return f
	}
	d.signed = f.sign
	f.Kind, f.dropped = f.refine(s)
	d.settled = slices.Contains(noFailure, f.Event)
	if f.Kind == "" || f.Kind == Unclear && !failing().MatchString(f.text.as) {
		return nil
	}
	return f
}

// prove reads a text by the grammar.
func (d *Decoder) prove(t text) proofs {
	clear(d.said)
	d.words.spell(t.as)
	scan(d.book.phraseScan, d.words.words, d.said)
	d.phrases = d.phrases[:0]
	for w := range d.said.all {
		for i := range d.book.byPhrase[w] {
			d.phrases = append(d.phrases, &d.book.byPhrase[w][i])
		}
	}
	return d.book.prove(t, d.words, d.phrases)
}

// exceptionText matches an exception, which is a failure at any level of a log.
var exceptionText = lazily(`[A-Za-z](?:Exception|Error)\b(?:: |\s|$)`)
