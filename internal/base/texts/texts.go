// Package texts has the catalogue: what h2lab says, in English and Chinese, under keys. data/TOPIC.toml holds the texts
// of one topic; facts.T(KEY, …) is one of them, and its key is TOPIC.NAME. A topic is read when its first text is shown.
//
// golang.org/x/text/message would regroup numbers, which arrive formatted, and choose plurals by tables that two
// languages don't need (docs/decisions/0034-texts-as-values.md).
package texts

import (
	"embed"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/BurntSushi/toml"

	"h2lab/internal/facts"
)

//go:embed data
var data embed.FS

// Language is a language of the catalogue, as a value of HTML's lang attribute. The zero value is English.
type Language string

// The languages of the catalogue.
const (
	English Language = "en"
	Chinese Language = "zh-CN"
)

// entry is one text. One is the English text where the first argument is 1.
type entry struct{ En, Zh, One string }

var topics sync.Map // of topic: func() map[string]entry

func topic(name string) map[string]entry {
	read, _ := topics.LoadOrStore(name, sync.OnceValue(func() map[string]entry {
		out := map[string]entry{}
		b, err := data.ReadFile("data/" + name + ".toml")
		if err != nil {
			return out
		}
		if err := toml.Unmarshal(b, &out); err != nil {
			panic(fmt.Sprintf("texts: data/%s.toml: %v", name, err)) // embedded, and a test reads it
		}
		return out
	}))
	return read.(func() map[string]entry)()
}

// In returns a text in this language. A key that the catalogue lacks is shown as it is: a recording of a later version.
func (l Language) In(t facts.Text) string {
	args := make([]any, len(t.Args))
	for i, a := range t.Args {
		args[i] = a
		if inner, ok := a.(facts.Text); ok {
			args[i] = l.In(inner)
		}
	}
	switch between, joined := strings.CutPrefix(t.Key, "+"); {
	case joined:
		return l.joined(between, args)
	case t.Key == "":
		return fmt.Sprint(args...)
	}
	name, key, _ := strings.Cut(t.Key, ".")
	e, known := entry{}, true
	if t.Key == facts.InBoth {
		e, args = entry{En: fmt.Sprint(args[0]), Zh: fmt.Sprint(args[1])}, args[2:]
	} else {
		e, known = topic(name)[key]
	}
	words := e.En
	switch {
	case !known:
		return fmt.Sprint(append([]any{t.Key}, args...)...)
	case l == Chinese:
		words = e.Zh
	case e.One != "" && len(args) > 0 && fmt.Sprint(args[0]) == "1":
		words = e.One
	}
	if len(args) == 0 {
		return words // it may contain per cent signs
	}
	if l == Chinese {
		return spaced(words, args)
	}
	return fmt.Sprintf(words, args...)
}

// border stands around arguments while they are put into a Chinese text.
const border = "\x00"

var (
	betweenChinese = regexp.MustCompile(`([\p{Han}，。；：、？！（）“”]) ?\x00 ?([\p{Han}，。；：、？！（）“”])`)
	chineseLatin   = regexp.MustCompile(`(\p{Han})\x00([A-Za-z0-9%])`)
	latinChinese   = regexp.MustCompile(`([A-Za-z0-9%])\x00(\p{Han})`)
)

// spaced puts arguments into a Chinese text, and spaces as Chinese typography has them at the borders of each: one
// between a Chinese character and a letter or a digit, and none between two Chinese characters.
func spaced(words string, args []any) string {
	for i, a := range args {
		if s, is := a.(string); is {
			args[i] = border + s + border
		}
	}
	out := fmt.Sprintf(words, args...)
	for range 2 { // an argument of one character has both of its borders there
		out = betweenChinese.ReplaceAllString(out, "$1$2")
	}
	out = latinChinese.ReplaceAllString(chineseLatin.ReplaceAllString(out, "$1 $2"), "$1 $2")
	return strings.ReplaceAll(out, border, "")
}

func (l Language) joined(between string, args []any) string {
	if between != "" {
		between = l.In(facts.Text{Key: between})
	}
	parts := make([]string, len(args))
	for i, a := range args {
		parts[i] = fmt.Sprint(a)
	}
	return strings.Join(parts, between)
}

// Say returns the text of a key.
func (l Language) Say(key string, args ...any) string { return l.In(facts.T(key, args...)) }

// AllIn returns texts in a language.
func (l Language) AllIn(all []facts.Text) []string {
	out := make([]string, len(all))
	for i, t := range all {
		out[i] = l.In(t)
	}
	return out
}

// List joins names or clauses: "a, b, c".
func (l Language) List(items []string) string { return strings.Join(items, l.Say("join.list")) }

// Sentences returns whole sentences as running text: English has a space between them, Chinese nothing.
func (l Language) Sentences(all ...facts.Text) string {
	return l.In(facts.Join("join.sentences", all...))
}

// Sentence is a text that JSON shows as its English words: the field tools' documents are read by people and programs.
type Sentence facts.Text

// MarshalJSON writes the English text.
func (s Sentence) MarshalJSON() ([]byte, error) {
	return facts.Note(facts.Verbatim(s.String())).MarshalJSON()
}

// UnmarshalJSON reads the English text, which has no Chinese any more.
func (s *Sentence) UnmarshalJSON(b []byte) error {
	var words string
	err := json.Unmarshal(b, &words)
	*s = Sentence(facts.Verbatim(words))
	return err
}

// UnmarshalTOML reads a text of a data file: its English and Chinese, or words that are the same in both.
func (s *Sentence) UnmarshalTOML(value any) error {
	switch v := value.(type) {
	case string:
		*s = Sentence(facts.Verbatim(v))
	case map[string]any:
		*s = Sentence(facts.Both(fmt.Sprint(v["en"]), fmt.Sprint(v["zh"])))
	default:
		return fmt.Errorf("%v is no text", value)
	}
	return nil
}

// String is the English text.
func (s Sentence) String() string { return English.In(facts.Text(s)) }

// Note returns a note in this language.
func (l Language) Note(n facts.Note) string { return l.In(facts.Text(n)) }

// Worded is a note that JSON shows as its English words.
func Worded(n facts.Note) facts.Note {
	if n.IsZero() {
		return n
	}
	return facts.Note(facts.Verbatim(English.Note(n)))
}
