package lint

import (
	"encoding/json"
	"io"
)

// SchemaVersion increases when a field of the JSON is renamed or removed.
const SchemaVersion = 1

type document struct {
	SchemaVersion int `json:"schema_version"`
	Report
	Next string `json:"next"`
}

// JSON writes a report as one document.
func JSON(w io.Writer, name string, r Report) error {
	for _, list := range []*[]string{&r.Files, &r.Assumed} {
		if *list == nil {
			*list = []string{}
		}
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
	return e.Encode(document{SchemaVersion, r, Next(name, r)})
}
