// Package notes has the codes of the probe's notes on a connection, and the English text of each.
//
// A measurement stores a facts.Note: a code of this package and its arguments. The texts are here
// and, in Chinese, in internal/report/translations, so that a text can change without a new
// measurement.
package notes

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/BurntSushi/toml"

	"h2lab/internal/facts"
)

//go:embed notes.toml
var data string

var read = sync.OnceValue(func() (all map[string]struct{ En, Zh string }) {
	if _, err := toml.Decode(data, &all); err != nil {
		panic(err) // the file is embedded, and tests read it
	}
	return all
})

// English and Chinese have the text of every code.
var English, Chinese = table(false), table(true)

func table(chinese bool) func() map[string]string {
	return sync.OnceValue(func() map[string]string {
		out := map[string]string{}
		for code, text := range read() {
			if out[code] = text.En; chinese {
				out[code] = text.Zh
			}
		}
		return out
	})
}

// Text returns a note's text from a table of one language. It returns an earlier version's
// sentence, or a code that the table lacks, unchanged; ok is then false.
func Text(n facts.Note, texts map[string]string) (text string, ok bool) {
	code, args, ok := n.Read()
	form, known := texts[code]
	if !ok || !known {
		return string(n), false
	}
	return placeholder.ReplaceAllStringFunc(form, func(p string) string {
		name, words, choice := strings.Cut(strings.Trim(p, "{}"), "|")
		if !choice {
			return listed(args[name])
		}
		one, many, _ := strings.Cut(words, "|")
		if counts(name, args[name]) == "1" {
			return one
		}
		return many
	}), true
}

var placeholder = regexp.MustCompile(`\{[a-z]+(\|[^{}|]*\|[^{}|]*)?\}`)

// counts returns an argument's count: its number, or the length of a list of streams.
func counts(name, value string) string {
	if name == "streams" && !strings.Contains(value, ",") {
		return "1"
	}
	return value
}

// listed formats a list of streams and omits the middle of a long one.
func listed(value string) string {
	const most = 8
	if !streamList.MatchString(value) {
		return value
	}
	all := strings.Split(value, ",")
	if len(all) > most {
		all = slices.Concat(all[:3], []string{"…"}, all[len(all)-1:])
	}
	return strings.Join(all, ", ")
}

var streamList = regexp.MustCompile(`^\d+(,\d+)+$`)

// InEnglish is a note's English text.
func InEnglish(n facts.Note) string {
	text, _ := Text(n, English())
	return text
}

// SummaryInEnglish is a summary as one sentence.
func SummaryInEnglish(s facts.Notes) string {
	all, ok := s.Split()
	if !ok {
		return string(s)
	}
	var clauses []string
	for _, n := range all {
		clauses = append(clauses, InEnglish(n))
	}
	return strings.Join(clauses, "; ") + "."
}

// Worded converts notes to English sentences, for JSON output.
func Worded(all []facts.Note) []facts.Note {
	out := make([]facts.Note, len(all))
	for i, n := range all {
		out[i] = facts.Note(InEnglish(n))
	}
	return out
}
