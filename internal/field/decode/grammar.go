package decode

import (
	"cmp"
	"embed"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/pelletier/go-toml/v2"
)

//go:embed data/*.toml
var data embed.FS

// Event is what a text says that happened, before the error code is considered.
type Event string

// The events; data/grammar.toml has the phrases of most of them.
const (
	onGoaway         Event = "goaway"
	onRstStream      Event = "rst-stream"
	onNeverConnected Event = "never-connected"
	onTLSFailure     Event = "tls-failure"
	onLocalLimit     Event = "local-limit"
	onUnsent         Event = "not-sent"
	onViolation      Event = "protocol-violation"
	onCancelled      Event = "caller-cancelled"
	onClosed         Event = "connection-lost"
	onTimedOut       Event = "timeout"
	onAnswered       Event = "answered"
	onStatus         Event = "http-status"
	onTooLarge       Event = "message-too-large"
	onServerLine     Event = "server-log"
	onCalm           Event = "goaway-calm"
	onNoEvent        Event = "unclear"
	onNormal         Event = "nothing-failed" // a frame or a state that every connection has
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
	// Needs are parts of words of which every match has at least one.
	Needs []string
	Match string
	re    *regexp.Regexp
}

// grammar is data/grammar.toml.
type grammar struct {
	// Roots are parts of words: a text without any of them is not read.
	Roots   []string
	Shape   []shape
	Signs   []string
	Speaker []struct {
		Who   string
		Words []string
	}
	Guard []guard // of evidence.toml
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
}

// theGrammar is read once.
var theGrammar = sync.OnceValue(func() (g grammar) {
	mustRead("grammar.toml", &g)
	mustRead("evidence.toml", &g)
	for i, s := range g.Shape {
		g.Shape[i].re = regexp.MustCompile(s.Match)
		g.Shape[i].Rank = cmp.Or(s.Rank, rankShape)
	}
	return g
})

// phrases are all phrases of the grammar, as their words are spelled.
func (g grammar) phrases() (out []phrase) {
	var spelling spelled
	add := func(p phrase, words string) {
		p.words, p.left = strings.CutPrefix(words, "|")
		parts := strings.Split(p.words, "~")
		p.words, p.notAfter = parts[0], parts[1:]
		p.words, p.right = strings.CutSuffix(p.words, "|")
		spelling.spell(p.words)
		p.words = spelling.words
		out = append(out, p)
	}
	for _, w := range g.Signs {
		add(phrase{sign: true}, w)
	}
	for i := range g.Guard {
		for _, w := range g.Guard[i].Words {
			for _, w := range expanded(w) {
				add(phrase{guard: &g.Guard[i]}, w)
			}
		}
	}
	for i, s := range g.Speaker {
		for _, w := range s.Words {
			add(phrase{speaker: s.Who, rank: len(g.Speaker) - i}, w)
		}
	}
	for _, e := range g.Event {
		for _, w := range e.Words {
			for _, w := range expanded(w) {
				add(phrase{event: e.Name, rank: e.Rank, never: e.Never, alone: e.Alone, beside: e.Beside}, w)
			}
		}
	}
	return out
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

// mustRead reads one of the program's own data files.
func mustRead(name string, into any) {
	b, err := data.ReadFile(path.Join("data", name))
	if err == nil {
		d := toml.NewDecoder(strings.NewReader(string(b)))
		d.DisallowUnknownFields()
		err = d.Decode(into)
	}
	if err != nil {
		panic("decode: " + name + ": " + err.Error()) // a test reads every file
	}
}

// find is where a phrase first stands in a text's words.
func (p *phrase) find(low string) (at span, ok bool) { return p.next(low, 0) }

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
		_, ok := word.find(low)
		return ok
	})
}

// span is a part of a normalised text.
type span struct{ from, to int }

// library is a file of signatures.
type library struct {
	Change    map[string]Change
	Signature []Signature
}

// Known are all signatures, by ecosystem.
var Known = sync.OnceValue(func() (out []Signature) {
	files, _ := data.ReadDir("data")
	changes, order := map[string]Change{}, []string{}
	var all []library
	for _, f := range files {
		if f.Name() == "grammar.toml" || f.Name() == "evidence.toml" {
			continue
		}
		var l library
		mustRead(f.Name(), &l)
		all = append(all, l)
		for name, c := range l.Change {
			if _, twice := changes[name]; twice {
				panic("decode: two changes are called " + name)
			}
			changes[name] = c
			order = append(order, name)
		}
	}
	for _, l := range all {
		for _, s := range l.Signature {
			for _, name := range s.Changes {
				if !slices.Contains(order, name) {
					panic("decode: " + s.ID + " names no change: " + name)
				}
				s.changes = append(s.changes, changes[name])
			}
			out = append(out, s)
		}
	}
	return out
})
