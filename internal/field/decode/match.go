package decode

import (
	"regexp"
	"slices"
	"sync"
)

// hints are words of HTTP/2's errors: a text without any of them is not about HTTP/2.
var hints = []string{
	"goaway", "go_away", "rst_stream", "refused_stream", "enhance_your_calm", "nghttp2_", "err_http2_", "http2 error",
	"http/2 error", "http2_error", "http2exception", "h2 protocol error", "last_stream_id", "laststreamid",
	"last-stream-id",
	"last_stream=", "last stream id", "http2 framing", "connectionterminated", "streamreset", "err_spdy_",
	"http/2 stream",
	"http2errorcode",
}

// book is the table of signatures, prepared for matching.
type book struct {
	scan  *scanner
	words int
	hints int // index of the first hint
	pages []page
	by    map[uint16][]int // from a term to the pages that need it
}

// page is a signature with its terms as numbers.
type page struct {
	*Signature
	all, any, none []uint16
	shape          *regexp.Regexp
}

// theBook is built once: the table doesn't change.
var theBook = sync.OnceValue(func() *book { return newBook(Known()) })

func newBook(known []Signature) *book {
	b := &book{by: map[uint16][]int{}}
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
	// Hints come last; a hint that is also a term has a second number.
	b.hints = len(list)
	b.words = len(list) + len(hints)
	b.scan = newScanner(append(list, hints...))
	return b
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
	for w := range uint16(b.hints) {
		if !hits.has(w) {
			continue
		}
		for _, i := range b.by[w] {
			p := &b.pages[i]
			if score, ok := p.opens(hits, text); ok && (score > most || found == nil) {
				found, most = p.Signature, score
			}
		}
	}
	return found
}

// hinted reports whether a text has a word of HTTP/2's errors.
func (b *book) hinted(hits terms) bool {
	for w := b.hints; w < b.words; w++ {
		if hits.has(uint16(w)) {
			return true
		}
	}
	return false
}

// Decoder decodes one text after another and reuses its buffers. It must not be used by several
// goroutines at once.
type Decoder struct {
	book *book
	norm normaliser
	hits terms
}

// NewDecoder returns a decoder for the known signatures.
func NewDecoder() *Decoder {
	b := theBook()
	return &Decoder{book: b, hits: make(terms, (b.words+63)/64)}
}

// Finding is the result for one text.
type Finding struct {
	// Signature is nil if the text is about HTTP/2 but matches no signature.
	Signature *Signature
	Kind      Kind
	Facts     Facts
	text      text
}

// find decodes one text of one or more lines, without the facts that decide nothing; nil means
// unknown.
func (d *Decoder) find(raw []byte) *Finding {
	normal := d.norm.normal(raw)
	clear(d.hits)
	if !d.book.scan.scan(normal, d.hits) {
		return nil
	}
	s := d.book.best(d.hits, normal)
	if s == nil && !d.book.hinted(d.hits) {
		return nil
	}
	f := &Finding{Signature: s, Kind: Looks, text: newText(normal)}
	f.Facts = f.text.facts()
	if s != nil {
		f.Kind = s.Kind
	} else if f.Facts.Frame == "" {
		return nil // a hint alone is no evidence of a frame
	}
	f.Kind = kindOf(f.Kind, f.Facts)
	return f
}
