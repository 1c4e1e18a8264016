package decode

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
