// Package translations writes the texts of verdicts and reports in English or Chinese. It imports
// no package of the rules or reports.
//
// A Phrase is an English format string and the key of its translation, so the code contains the
// English text and needs no second set of names. Go converts only constants to Phrase implicitly: a
// test of this package type-checks the packages that use phrases, collects every constant of this
// type, and requires a translation of each, with the same verbs and digits, and no translation of
// an unused phrase.
//
// Numbers arrive as text: package text formats them the same way for both languages.
//
// Some sentences were finished when a run was measured and are in its results.json (warnings, notes
// of a trace). Recorded translates those whose form it has; it shows any other sentence as it was
// recorded.
package translations

import (
	"cmp"
	_ "embed"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/BurntSushi/toml"

	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
)

// Language is a report's language, as a value of HTML's lang attribute. The zero value is English.
type Language string

// The languages of a report.
const (
	English Language = "en"
	Chinese Language = "zh-CN"
)

// Phrase is a key of the catalogue (internal/base/texts), or an English format string in the tables of recorded texts.
type Phrase string

// Say returns the text of a key.
func (l Language) Say(key Phrase, args ...any) string { return l.In(facts.T(string(key), args...)) }

// In returns a text in a language.
func (l Language) In(t facts.Text) string { return texts.Language(l).In(l.recordedIn(t)) }

// recordedIn translates the recorded sentences in a text.
func (l Language) recordedIn(t facts.Text) facts.Text {
	if t.Key == "verdict.recorded" && len(t.Args) == 1 {
		return facts.Verbatim(l.RecordedOne(fmt.Sprint(t.Args[0])))
	}
	out := facts.Text{Key: t.Key, Args: slices.Clone(t.Args)}
	for i, a := range out.Args {
		if inner, ok := a.(facts.Text); ok {
			out.Args[i] = l.recordedIn(inner)
		}
	}
	return out
}

// Head returns a head of a table for a terminal. Units stay as they are.
func (l Language) Head(english string) string {
	if l == Chinese {
		return cmp.Or(tables()["head"][english], english)
	}
	return english
}

// LivePage are the texts of the page of live and replay in Chinese, by their English.
func LivePage() map[string]string { return tables()["live"] }

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

// Recorded translates sentences of a results.json, which were finished in English when the run was
// measured.
func (l Language) Recorded(sentences []string) []string {
	out := make([]string, len(sentences))
	for i, s := range sentences {
		out[i] = l.RecordedOne(s)
	}
	return out
}

// RecordedOne translates one sentence. A summary consists of clauses, each with a form of its own.
// A sentence with a clause of unknown form is shown as it was recorded, with a remark.
func (l Language) RecordedOne(s string) string {
	if l != Chinese || s == "" {
		return s
	}
	if zh, ok := known(s); ok {
		return zh
	}
	body, ended := strings.CutSuffix(s, ".")
	clauses := strings.Split(body, "; ")
	for i, c := range clauses {
		zh, ok := known(c)
		if !ok {
			return "（原文）" + s
		}
		clauses[i] = zh
	}
	out := strings.Join(clauses, "；")
	if ended {
		out += "。"
	}
	return out
}

// Worded translates a recorded name or description, such as a client's. One that has no translation stays as it is,
// without the remark of Recorded.
func (l Language) Worded(s string) string {
	if l == Chinese {
		if zh, ok := known(s); ok {
			return zh
		}
	}
	return s
}

// known translates a sentence whose form is in the tables of recorded texts.
func known(s string) (string, bool) { return matched(s, forms()) }

// matched translates a sentence whose form is among these.
func matched(s string, forms []form) (string, bool) {
	for _, f := range forms {
		m := f.english.FindStringSubmatch(s)
		if m == nil {
			continue
		}
		args := make([]any, len(m)-1)
		for i, v := range m[1:] {
			if zh, ok := matched(v, forms); ok { // a warning may quote another
				v = zh
			}
			args[i] = v
		}
		return fmt.Sprintf(string(f.chinese), args...), true
	}
	return "", false
}

// form is an English format string as a pattern, and its translation with %s for every verb, since
// the formatted values are copied.
type form struct {
	english *regexp.Regexp
	chinese Phrase
}

//go:embed recorded.toml
var data string

// tables are the tables of recorded.toml, read when the first Chinese text is looked up.
var tables = sync.OnceValue(func() (out map[string]map[string]string) {
	if _, err := toml.Decode(data, &out); err != nil {
		panic(err) // embedded, and a test reads it
	}
	return out
})

// forms are compiled when a recorded text is translated, not at the start of every command.
var forms = sync.OnceValue(func() []form { return compiled(tables()["recorded"]) })

var formVerb = regexp.MustCompile(`%[.\d]*(\[\d+\])?[a-z]`)

// compiled sorts longer forms first, so that the most specific one matches.
func compiled(table map[string]string) []form {
	keys := slices.SortedFunc(maps.Keys(table), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b))
	})
	var out []form
	for _, k := range keys {
		out = append(out, form{regexp.MustCompile("^" + pattern(k) + "$"),
			Phrase(formVerb.ReplaceAllString(table[k], "%${1}s"))})
	}
	return out
}

// pattern matches what a format string can produce.
func pattern(format string) string {
	var b strings.Builder
	from := 0
	for _, at := range formVerb.FindAllStringIndex(format, -1) {
		b.WriteString(literally(format[from:at[0]]))
		switch format[at[1]-1] {
		case 'd':
			b.WriteString(`(-?\d+)`)
		case 'f':
			b.WriteString(`(-?[\d.]+)`)
		case 'g':
			b.WriteString("(" + numbers + ")")
		default:
			b.WriteString(`(.+?)`)
		}
		from = at[1]
	}
	return b.String() + literally(format[from:])
}

func literally(part string) string { return regexp.QuoteMeta(strings.ReplaceAll(part, "%%", "%")) }

// numbers are one number or several, with units or without: "7", "1,000", "4 to 6, 9 and 12", "4 s to 1m30s".
const numbers = number + `(?:(?:, | and | to )` + number + ")*"

const number = `-?(?:\d[\d.,]*(?: ?(?:µs|ms|min|s|m|h|%))?)+`
