package trace

import (
	"bytes"
	"encoding/json"
	"slices"

	"h2lab/internal/base/notes"
	"h2lab/internal/facts"
)

// pretty formats indented JSON.
func pretty(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(v)
	return b.Bytes(), err
}

// JSON is the trace itself, its notes as sentences.
func JSON(t facts.FrameTrace) ([]byte, error) { return pretty(worded(t)) }

// worded is a trace whose notes are English sentences.
func worded(t facts.FrameTrace) facts.FrameTrace {
	t.Renewal.Frames = slices.Clone(t.Renewal.Frames)
	for i := range t.Renewal.Frames {
		t.Renewal.Frames[i].Note = facts.Note(notes.InEnglish(t.Renewal.Frames[i].Note))
	}
	t.Renewal.Summary = facts.Notes(notes.SummaryInEnglish(t.Renewal.Summary))
	t.Warnings = notes.Worded(t.Warnings)
	return t
}
