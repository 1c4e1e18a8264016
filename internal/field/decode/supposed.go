package decode

import "strings"

// supposed are the parts of a text that list possible causes, which prove nothing.
func (t text) supposed(said spelled, phrases []*phrase) (out []span) {
	for _, ph := range phrases {
		if ph.supposes {
			if at, ok := ph.find(said.words); ok {
				from := said.span(at).to
				out = append(out, span{from, t.fieldEnd(from)})
			}
		}
	}
	return out
}

// nextField matches what stands between a field's value in quotes and the next field, of JSON and of logfmt.
var nextField = lazily(`",\s?"[\w.@-]+"\s?:|["'] [\w.@-]+=`)

// fieldEnd is where the field in quotes ends in which a place is, or the text: what one field supposes, the next one may know.
func (t text) fieldEnd(from int) int {
	if strings.Count(t.as[:from], `"`)%2 == 1 {
		if m := nextField().FindStringIndex(t.as[from:]); m != nil {
			return from + m[0]
		}
	}
	return len(t.as)
}
