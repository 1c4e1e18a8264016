package decode

// Text decodes one text, of one line or several; nil means unknown.
func (d *Decoder) Text(raw []byte) *Finding {
	f := d.find(raw)
	if f != nil {
		f.text.details(&f.Facts)
	}
	return f
}
