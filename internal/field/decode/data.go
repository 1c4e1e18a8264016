package decode

import (
	"embed"
	"fmt"
	"iter"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/BurntSushi/toml"

	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
)

// Phrases, expressions, names and texts are data: this file reads them. Each file is read when it is first needed.

//go:embed data
var data embed.FS

// mustRead reads one of the program's own data files; a test reads every one.
func mustRead(name string, into any) {
	b, err := data.ReadFile("data/" + name)
	if err == nil {
		var meta toml.MetaData
		if meta, err = toml.Decode(string(b), into); err == nil && len(meta.Undecoded()) > 0 {
			err = fmt.Errorf("unknown keys: %v", meta.Undecoded())
		}
	}
	if err != nil {
		panic("decode: " + name + ": " + err.Error())
	}
}

// Words are a text in a data file: in English and Chinese, a key of the catalogue, or the same in both languages.
type Words struct{ facts.Text }

// UnmarshalTOML reads the text.
func (w *Words) UnmarshalTOML(value any) error {
	switch v := value.(type) {
	case string:
		w.Text = facts.Verbatim(v)
		if strings.HasPrefix(v, "decode.") {
			w.Text = facts.T(v)
		}
	case map[string]any:
		w.Text = facts.Both(fmt.Sprint(v["en"]), fmt.Sprint(v["zh"]))
	}
	return nil
}

// MarshalJSON writes the English text.
func (w Words) MarshalJSON() ([]byte, error) { return texts.Sentence(w.Text).MarshalJSON() }

// UnmarshalJSON reads the English text.
func (w *Words) UnmarshalJSON(b []byte) error { return (*texts.Sentence)(&w.Text).UnmarshalJSON(b) }

func verbatim(s string) Words { return Words{facts.Verbatim(s)} }

// with is the text with arguments.
func (w Words) with(args ...any) facts.Text {
	return facts.Text{Key: w.Key, Args: append(slices.Clone(w.Args), args...)}
}

// nameTables are data/names.toml.
type nameTables struct {
	Before    []string
	OfHTTP2   []string `toml:"of_http2"`
	Introduce []string
	// FunctionWords are the most frequent ones of English, without the pronouns of people who report what they saw.
	FunctionWords []string `toml:"function_words"`
	Ways          map[string][]string
	Lines         map[string][]string
	Flags         map[Event][]string
	Code          []struct {
		Name  string
		Means Words
	}
	Spoken []struct{ Words, Code string }
	Debug  map[string]struct {
		Means Words
		Class Class
		Named bool // the data name the cause, which is no setting
	}
	Event map[Event]struct {
		Means Words
		Scope string
	}
	Gateway []struct {
		Status []string
		Says   Words
	}
	Wrapper []struct {
		Match string
		Look  Words
	}
	TitleVerbs []string `toml:"title_verbs"`
	TitleNouns []string `toml:"title_nouns"`
	Silent     []struct{ Match, Unless string }
	Advice     map[string]struct{ For, Where, Why, Line Words }

	camel  map[string]string // the codes' names in camel case, in lower case here: internalerror, noerror
	events map[string]Event  // of Envoy's flags
}

var theNames = sync.OnceValue(func() *nameTables {
	n := &nameTables{}
	mustRead("names.toml", n)
	n.camel, n.events = map[string]string{}, map[string]Event{}
	for _, c := range n.Code {
		n.camel[strings.ToLower(strings.ReplaceAll(c.Name, "_", ""))] = c.Name
	}
	for e, flags := range n.Flags {
		for _, f := range flags {
			n.events[f] = e
		}
	}
	return n
})

// rule is what a kind means for the request, and the source of that: data/kinds.toml describes the fields.
type rule struct {
	Title, Happened Words
	Executed        Answer
	Why             Words
	Again           Again
	Retry           Words
	Allows          []Class
	Offers          string
	Alike, Likely   []Kind
	Codes           []string
	Event           Event
}

var rules = sync.OnceValue(func() (out map[Kind]rule) {
	mustRead("kinds.toml", &out)
	for k, r := range out {
		if at := slices.Index(r.Allows, "renewal"); at >= 0 {
			r.Allows = slices.Concat(r.Allows[:at], renewals, r.Allows[at+1:])
			out[k] = r
		}
	}
	return out
})

// kindOfEvent is the kind of an event that needs no error code.
var kindOfEvent = sync.OnceValue(func() map[Event]Kind {
	out := map[Event]Kind{}
	for k, r := range rules() {
		if r.Event != "" {
			out[r.Event] = k
		}
	}
	return out
})

// expressions are data/expressions.toml.
var expressions = sync.OnceValue(func() map[string]func() *expression {
	var all map[string][]string
	mustRead("expressions.toml", &all)
	out := map[string]func() *expression{}
	for name, alternatives := range all {
		out[name] = sync.OnceValue(func() *expression {
			lines := strings.Split(strings.Join(alternatives, "|"), "\n")
			for i := range lines[1:] {
				lines[i+1] = strings.TrimLeft(lines[i+1], " ")
			}
			return compiled(strings.ReplaceAll(strings.Join(lines, ""), "FLAGS", flagList()))
		})
	}
	return out
})

// re is an expression by its name.
func re(name string) *expression { return expressions()[name]() }

// expression is a regular expression. Of a log with many texts it is taken apart into alternatives of which each has parts that every match
// of it has: most texts have none of the parts, and to look for them costs a tenth of a match.
type expression struct {
	whole        func() *regexp.Regexp
	alternatives func() []alternative
	asked        atomic.Int32
}

// fewTexts is how many texts an expression is held against as a whole: to take it apart costs more than it saves them. So is a long
// text, of which no second copy in lower case is made.
const (
	fewTexts = 32
	longText = 8 << 10
)

type alternative struct {
	re    func() *regexp.Regexp
	parts []string // in lower case; nil for those of which a match can do without any
}

func compiled(source string) *expression {
	return &expression{whole: sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(source) }),
		alternatives: sync.OnceValue(func() []alternative { return apart(source) })}
}

// apart takes an expression apart. Those alternatives that need no part are one.
func apart(source string) (out []alternative) {
	tree, err := syntax.Parse(source, syntax.Perl)
	if err != nil {
		panic(err) // whole would not have compiled
	}
	add := func(branch *syntax.Regexp, parts []string) {
		re := sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(branch.String()) })
		out = append(out, alternative{re, parts})
	}
	var others []*syntax.Regexp
	for _, branch := range branches(tree) {
		if parts := required(branch); shortest(parts) > 1 {
			add(branch, parts)
		} else {
			others = append(others, branch)
		}
	}
	if len(others) > 0 {
		add(&syntax.Regexp{Op: syntax.OpAlternate, Sub: others}, nil)
	}
	return out
}

// branches are the alternatives of an expression, also behind a common beginning.
func branches(tree *syntax.Regexp) (out []*syntax.Regexp) {
	switch {
	case tree.Op == syntax.OpAlternate:
		for _, sub := range tree.Sub {
			out = append(out, branches(sub)...)
		}
		return out
	case tree.Op == syntax.OpConcat && len(tree.Sub) == 2 && tree.Sub[1].Op == syntax.OpAlternate:
		for _, sub := range tree.Sub[1].Sub {
			out = append(out, &syntax.Regexp{Op: syntax.OpConcat, Flags: tree.Flags, Sub: []*syntax.Regexp{tree.Sub[0], sub}})
		}
		return out
	}
	return []*syntax.Regexp{tree}
}

// required are parts of which every match of an expression has one, nil if there are none. Of several in a row the longest tell most.
func required(tree *syntax.Regexp) (parts []string) {
	switch tree.Op {
	case syntax.OpLiteral:
		return []string{strings.ToLower(string(tree.Rune))}
	case syntax.OpCapture, syntax.OpPlus:
		return required(tree.Sub[0])
	case syntax.OpRepeat:
		if tree.Min > 0 {
			return required(tree.Sub[0])
		}
	case syntax.OpAlternate:
		for _, sub := range tree.Sub {
			one := required(sub)
			if one == nil {
				return nil
			}
			parts = append(parts, one...)
		}
	case syntax.OpConcat:
		for _, sub := range tree.Sub {
			if one := required(sub); shortest(one) > shortest(parts) {
				parts = one
			}
		}
	}
	return parts
}

// shortest is the length of the shortest part, 0 if there is none.
func shortest(parts []string) (n int) {
	for i, part := range parts {
		if i == 0 || len(part) < n {
			n = len(part)
		}
	}
	return n
}

// often reports whether an expression is asked so often that it is held against a text by its alternatives.
func (e *expression) often(s string) bool { return e.asked.Add(1) > fewTexts && len(s) <= longText }

// candidates are the alternatives that may match a text.
func (e *expression) candidates(s string) iter.Seq[alternative] {
	return func(yield func(alternative) bool) {
		low := strings.ToLower(s)
		for _, a := range e.alternatives() {
			if containsAny(low, a.parts) && !yield(a) {
				return
			}
		}
	}
}

// MatchString and the methods below are those of regexp.Regexp.
func (e *expression) MatchString(s string) bool {
	if !e.often(s) {
		return e.whole().MatchString(s)
	}
	for a := range e.candidates(s) {
		if a.re().MatchString(s) {
			return true
		}
	}
	return false
}

func (e *expression) Match(b []byte) bool { return e.whole().Match(b) }

func (e *expression) FindStringIndex(s string) []int {
	if !e.MatchString(s) {
		return nil
	}
	return e.whole().FindStringIndex(s)
}

func (e *expression) FindStringSubmatchIndex(s string) []int {
	if !e.MatchString(s) {
		return nil
	}
	return e.whole().FindStringSubmatchIndex(s)
}

// all are the matches, of each alternative if it is asked often.
func (e *expression) all(s string) (out [][]int) {
	if !e.often(s) {
		return e.whole().FindAllStringIndex(s, -1)
	}
	for a := range e.candidates(s) {
		out = append(out, a.re().FindAllStringIndex(s, -1)...)
	}
	return out
}

// flagList matches a list of Envoy's flags.
var flagList = sync.OnceValue(func() string {
	var all []string
	for f := range theNames().events {
		all = append(all, f)
	}
	slices.Sort(all)
	flags := strings.Join(all, "|")
	return `((?:` + flags + `)(?:,(?:` + flags + `))*)(?:[ ,;"')\]}|]|$)`
})

// gramSize is how many bytes of a term are looked up.
const gramSize = 3

// termIndex finds which of many terms a text has, ignoring case. Each term is filed under three of its bytes, those that the fewest
// other terms have; most places of a text have no bytes under which there is a term.
type termIndex struct {
	terms []string
	first [1 << 16]uint16 // of a hash of three bytes: 0, or the number of a list, which begins at 1
	lists [][]filed
	short []uint16 // terms of two bytes
}

// filed is a term, and where in it the bytes are.
type filed struct {
	term uint16
	at   int
}

var lowered = func() (t [256]byte) {
	for c := range t {
		t[c] = byte(c)
		if upper(byte(c)) {
			t[c] += 'a' - 'A'
		}
	}
	return t
}()

func gramHash(a, b, c byte) uint32 {
	return (uint32(a) | uint32(b)<<8 | uint32(c)<<16) * 2654435761 >> 16
}

// newTermIndex files terms, which are lower case and not empty.
func newTermIndex(terms []string) *termIndex {
	x := &termIndex{terms: terms, lists: make([][]filed, 1)}
	for i, w := range terms {
		if len(w) < gramSize {
			x.short = append(x.short, uint16(i))
			continue
		}
		best, fewest := 0, len(terms)
		for at := range len(w) - gramSize + 1 {
			if n := len(x.lists[x.first[gramHash(w[at], w[at+1], w[at+2])]]); n < fewest {
				best, fewest = at, n
			}
		}
		h := gramHash(w[best], w[best+1], w[best+2])
		if x.first[h] == 0 {
			x.first[h] = uint16(len(x.lists))
			x.lists = append(x.lists, nil)
		}
		x.lists[x.first[h]] = append(x.lists[x.first[h]], filed{uint16(i), best})
	}
	return x
}

// each calls found with each term's number and place until it returns false.
func (x *termIndex) each(text []byte, found func(term uint16, at int) bool) {
	var a, b byte
	for i := range text {
		c := lowered[text[i]]
		for _, s := range x.short {
			if w := x.terms[s]; i > 0 && w[0] == b && w[1] == c && !found(s, i-1) {
				return
			}
		}
		if i >= 2 {
			if list := x.first[gramHash(a, b, c)]; list != 0 {
				for _, f := range x.lists[list] {
					if at := i - 2 - f.at; at >= 0 && begins(text[at:], x.terms[f.term]) && !found(f.term, at) {
						return
					}
				}
			}
		}
		a, b = b, c
	}
}

// begins reports whether a text begins with a term, whatever its case.
func begins(text []byte, term string) bool {
	if len(text) < len(term) {
		return false
	}
	for i := range len(term) {
		if lowered[text[i]] != term[i] {
			return false
		}
	}
	return true
}

// termSet is a set of terms' numbers.
type termSet struct {
	has  []bool
	list []uint16
}

func (s *termSet) add(term uint16) {
	if !s.has[term] {
		s.has[term] = true
		s.list = append(s.list, term)
	}
}

func (s *termSet) clear() {
	for _, i := range s.list {
		s.has[i] = false
	}
	s.list = s.list[:0]
}

// fill sets the set to the terms of a text, and reports whether there are any.
func (s *termSet) fill(x *termIndex, text []byte) bool {
	if s.has == nil {
		s.has = make([]bool, len(x.terms))
	}
	s.clear()
	x.each(text, func(term uint16, _ int) bool {
		s.add(term)
		return true
	})
	return len(s.list) > 0
}

// numbered gives words numbers, each word once.
type numbered struct {
	words   []string
	numbers map[string]uint16
}

func (n *numbered) of(words ...string) (out []uint16) {
	if n.numbers == nil {
		n.numbers = map[string]uint16{}
	}
	for _, w := range words {
		if _, known := n.numbers[w]; !known {
			n.numbers[w] = uint16(len(n.words))
			n.words = append(n.words, w)
		}
		out = append(out, n.numbers[w])
	}
	return out
}
