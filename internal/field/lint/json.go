package lint

import (
	"encoding/json"
	"io"

	"h2lab/internal/base/texts"
)

// SchemaVersion increases when a field of the JSON is renamed or removed.
const SchemaVersion = 1

type document struct {
	SchemaVersion int `json:"schema_version"`
	Report
	Next texts.Sentence `json:"next"`
}

// JSON writes a report as one document.
func JSON(w io.Writer, name string, r Report) error {
	if r.Files == nil {
		r.Files = []string{}
	}
	if r.Assumed == nil {
		r.Assumed = []texts.Sentence{}
	}
	if r.Listeners == nil {
		r.Listeners = []Listener{}
	}
	if r.Findings == nil {
		r.Findings = []Finding{}
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(document{SchemaVersion, r, texts.Sentence(next(name, r))})
}
