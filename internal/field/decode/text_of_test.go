package decode

import "testing"

// Text decodes one text, of one line or several; nil means unknown.
func (d *Decoder) Text(raw []byte) *Finding {
	f := d.find(raw)
	if f != nil {
		f.text.details(f)
	}
	return f
}

// provedBy is what the grammar reads in a text, without signatures.
func provedBy(raw string) *Finding {
	d := NewDecoder()
	normal := d.norm.normal([]byte(raw))
	d.book.scan.scan(normal, d.hits)
	f := &Finding{text: newText(normal)}
	f.proofs = d.prove(f.text)
	f.text.details(f)
	return f
}

// areOf checks the kind of the one failure in each text.
func areOf(t *testing.T, kinds map[string]Kind) {
	t.Helper()
	for text, want := range kinds {
		if r := one(t, text); r.Kind != want {
			t.Errorf("%s: %s, want %s", text, r.Kind, want)
		}
	}
}

// proveEvents checks the event that the grammar reads in each text.
func proveEvents(t *testing.T, events map[string]Event) {
	t.Helper()
	for text, want := range events {
		if f := provedBy(text); f.Event != want {
			t.Errorf("%s\n  %s, want %s", text, f.Event, want)
		}
	}
}
