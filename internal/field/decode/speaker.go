package decode

import (
	"strings"
)

// ofSource reports whether words are a part of a source file's name: Ruby's frames are "from client_stub.rb:152".
func (t text) ofSource(at span) bool {
	rest := t.low[at.to:]
	for rest != "" && wordByte(rest[0]) {
		rest = rest[1:]
	}
	return strings.HasPrefix(rest, ".rb:")
}

// madeBy matches the fields of an answer that name the software on the other side, up to the name: a client prints them.
var madeBy = lazily(`(?:^|[<{,(\s])["']?(?:server|via|x-powered-by|x-served-by)["']?\s?[:=]>?\s?["']?(?:\d\.\d )?[\w.-]{0,24}$`)

// inField reports whether words are in such a field.
func (t text) inField(at span) bool {
	return madeBy().MatchString(t.low[max(0, at.from-longestField):at.from])
}

// longestField is how far from a name its field begins at most.
const longestField = 40
