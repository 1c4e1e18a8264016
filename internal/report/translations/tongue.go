package translations

import (
	"fmt"
	"maps"
	"slices"
	"strings"

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

func merged(tables []map[Phrase]string) map[Phrase]string {
	out := map[Phrase]string{}
	for _, t := range tables {
		maps.Copy(out, t)
	}
	return out
}
