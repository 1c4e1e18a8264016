package translations

import (
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
	if text, ok := notes.Text(n, chineseNotes); ok {
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
