package decode

import "strings"

// frameCode matches the error code of a text that names a frame: a number or a name, short or long.
var frameCode = lazily(`\b(?:err(?:or|no)?|reason|cause|status)?[ _-]?(?:code|error|err|` +
	`reason)?["'\])]{0,2} ?[:=(\[ ]{1,3}["':(\[]?` +
	`(0x0*[0-9a-d]|1[0-3]|\d|(?:no|protocol|internal|flow[ _-]?control|settings[ _-]?timeout|stream[ _-]?closed|` +
	`frame[ _-]?size|refused[ _-]?stream|cancel|compression|connect|enhance[ _-]?your[ _-]?calm|` +
	`inadequate[ _-]?security|http[ _-]?1[ _-]?1[ _-]?required)(?:[ _-]?error)?)(?:["')\],;: }]|$)`)

// frameNumber matches the error code of a frame in brackets: GOAWAY(11). 7 and 3 are also the types of GOAWAY and
// RST_STREAM (RFC 9113 §6).
var frameNumber = lazily(`\b(?:rst_?stream[(\[](1[0-3]|[0-24-9])|go_?away[(\[](1[0-3]|[0-689]))[)\],]`)

// codeOfFrame is the error code of a text that names a frame and spells the code in its own way.
func (t text) codeOfFrame(grpc bool) (string, span) {
	if m := frameNumber().FindStringSubmatchIndex(t.low); m != nil {
		at := span{max(m[2], m[4]), max(m[3], m[5])}
		return codeOf(t.low[at.from:at.to]), at
	}
	for _, m := range frameCode().FindAllStringSubmatchIndex(t.low, mostPlaces) {
		words := t.low[m[2]:m[3]]
		if !strings.ContainsAny(t.low[m[0]:m[2]], "rd") { // neither error, code nor reason
			continue
		}
		if grpc && digit(words[0]) { // a status
			continue
		}
		if code := codeOf(strings.Replace(words, "0x0", "0x", 1)); code != "" && digit(words[0]) {
			return code, span{m[2], m[3]}
		}
		joined := strings.NewReplacer(" ", "", "_", "", "-", "").Replace(words)
		for _, name := range []string{joined, joined + "error"} {
			if code := camel[name]; code != "" {
				return code, span{m[2], m[3]}
			}
		}
	}
	return "", span{}
}
