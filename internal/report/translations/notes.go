package translations

import (
	"fmt"
	"regexp"
	"strings"

	"h2lab/internal/base/notes"
	"h2lab/internal/facts"
)

// Note returns the text of a note. Recorded translates the sentences of earlier versions.
func (l Language) Note(n facts.Note) string {
	if l != Chinese {
		return notes.InEnglish(n)
	}
	if text, ok := notes.Text(n, notes.Chinese()); ok {
		return chineseLists(text)
	}
	return l.RecordedOne(string(n))
}

var streamList = regexp.MustCompile(`流 \d+(?:, (?:\d+|…))+`)

// chineseLists separates listed streams with the mark that Chinese has for lists.
func chineseLists(text string) string {
	return streamList.ReplaceAllStringFunc(text, func(list string) string {
		return strings.ReplaceAll(list, ", ", "、")
	})
}

// Notes joins notes to one sentence.
func (l Language) Notes(s facts.Notes) string {
	all, ok := s.Split()
	switch {
	case l != Chinese:
		return notes.SummaryInEnglish(s)
	case !ok:
		return l.RecordedOne(string(s))
	}
	var clauses []string
	for _, n := range all {
		clauses = append(clauses, l.Note(n))
	}
	return strings.Join(clauses, "；") + "。"
}

// noteForms are the forms of notes that are finished in English, as the field tools print them, for one thing and for
// several.
func noteForms() map[Phrase]string {
	out := map[Phrase]string{}
	for code, english := range notes.English() {
		for _, choice := range []int{1, 2} {
			at := map[string]int{}
			n := 0
			form := notePlace.ReplaceAllStringFunc(english, func(place string) string {
				words := strings.Split(strings.Trim(place, "{}"), "|")
				if len(words) > choice {
					return words[choice]
				}
				if n++; at[words[0]] == 0 {
					at[words[0]] = n
				}
				return "%s"
			})
			out[Phrase(form)] = notePlace.ReplaceAllStringFunc(notes.Chinese()[code], func(place string) string {
				return fmt.Sprintf("%%[%d]s", at[strings.Trim(place, "{}")])
			})
		}
	}
	delete(out, "%s") // of an error: any text
	return out
}

var notePlace = regexp.MustCompile(`\{[^{}]+\}`)
