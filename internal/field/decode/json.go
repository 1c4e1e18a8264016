package decode

import (
	"io"

	"h2lab/internal/field/output"
)

// WriteJSON writes the report as one JSON document.
func (r Report) WriteJSON(w io.Writer) error { return output.JSON(w, r) }

// WriteListJSON writes every known text as one JSON document.
func WriteListJSON(w io.Writer) error {
	return output.JSON(w, struct {
		SchemaVersion int      `json:"schema_version"`
		Known         []Listed `json:"known"`
	}{SchemaVersion, List()})
}
