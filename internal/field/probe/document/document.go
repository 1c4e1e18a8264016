// Package document builds the answer of h2lab probe as text and as one JSON document: the facts
// about a server, what they mean, what a renewal costs and what to change.
package document

import (
	"fmt"
	"io"

	"h2lab/internal/base/notes"
	"h2lab/internal/facts"
	"h2lab/internal/field/family"
	"h2lab/internal/field/output"
	"h2lab/internal/field/probe"
)

// Schema is the version of Document.
const Schema = 2

// Document is the answer that --json prints.
type Document struct {
	SchemaVersion int            `json:"schema_version"`
	Endpoint      facts.Endpoint `json:"endpoint"`
	Verdict       family.Verdict `json:"verdict"`
	Price         *Price         `json:"price"`
}

// New judges an endpoint and computes the cost of its limit. An error concerns only the cost; the
// rest of the document is complete.
func New(e facts.Endpoint, t Traffic, q output.Question) (Document, error) {
	d := Document{SchemaVersion: Schema, Endpoint: e, Verdict: family.Judge(e)}
	d.Verdict.Next = next(e, d.Verdict, q)
	var err error
	if d.Price, err = t.price(e, d.Verdict.Cause); err != nil {
		err = fmt.Errorf("no price of a renewal: %w", err)
	}
	return d, err
}

// WriteJSON writes the document, its notes as sentences.
func (d Document) WriteJSON(w io.Writer) error {
	d.Endpoint.Warnings = notes.Worded(d.Endpoint.Warnings)
	return output.JSON(w, d)
}

// WriteText writes the facts, then what they mean, then what to change.
func (d Document) WriteText(w io.Writer, in output.Translate) error {
	p := page{in: in}
	p.facts(d.Endpoint, d.Verdict)
	p.judgement(d.Endpoint, d.Verdict, d.Price)
	_, err := io.WriteString(w, p.String())
	return err
}

// Announcement says what the probe will send, and to whom.
func Announcement(i probe.Intent) string {
	rate := "as fast as it answers"
	if i.Rate > 0 {
		rate = fmt.Sprintf("at most %g a second", i.Rate)
	}
	s := fmt.Sprintf("h2lab: sending up to %d %s requests on a connection, %s, to %s (%s)", i.MaxStreams, i.Method, rate,
		i.URL, i.Address)
	if i.Connections > 1 {
		s += "\nh2lab: opening up to six connections, one after another, until it is clear what ends them; while the second " +
			"is open, two more carry a few requests"
	}
	if !i.Safe() {
		s += fmt.Sprintf("\nh2lab: %s may change something each time; you asked for it with --method", i.Method)
	}
	return s
}
