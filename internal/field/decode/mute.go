package decode

import "strings"

// mute are the parts of a text in which words don't count: those that state no event (the first are frames of stacks), the
// requests that it quotes, and those that name other protocols.
type mute struct {
	text              text
	silence, requests []span
	frames            int
	others            []span
	searched          bool // others was filled
}

func (t text) mute() *mute {
	m := &mute{text: t, requests: t.requests()}
	m.silence, m.frames = t.silence(m.requests)
	return m
}

// find is where a phrase first stands in a text outside of the parts in which it doesn't count.
func (m *mute) find(ph *phrase, said spelled) (span, bool) {
	for from := 0; ; {
		at, ok := ph.next(said.words, from)
		if !ok {
			return span{}, false
		}
		if where := said.span(at); !m.silences(ph, where) {
			return where, true
		}
		from = at.to
	}
}

// silences reports whether a phrase doesn't count at a place.
func (m *mute) silences(ph *phrase, at span) bool {
	switch {
	case ph.guard != nil:
		if !m.searched {
			m.others, m.searched = elsewhere(m.text.low), true
		}
		return inside(m.others, at)
	case ph.sign:
		return inAccessLog(m.text.low, at) || inside(m.requests, at) || m.text.inFileName(at)
	case ph.speaker != "":
		return m.text.ofSource(at) || m.text.inField(at)
	}
	return inside(m.silence, at)
}

// dataFile matches the names of files that hold data: unlike a source file's, they don't tell whose words a text has.
var dataFile = lazily(`[\w./\\@+-]+\.(?:t?gz|zip|tar|bz2|xz|zst|log|txt|csv|pem|crt|key|png|jpe?g|deb|rpm|iso|img|bin|pdf|md)\b`)

// longestName is how far from a place the name of a file that it stands in ends at most.
const longestName = 120

// inFileName reports whether a place is in the name of a file of data.
func (t text) inFileName(at span) bool {
	from := at.from
	for from > 0 && at.from-from < longestName && !strings.ContainsRune(" \"'(", rune(t.low[from-1])) {
		from--
	}
	end := min(len(t.low), at.to+longestName)
	if strings.IndexByte(t.low[at.from:end], '.') < 0 {
		return false
	}
	name := dataFile().FindStringIndex(t.low[from:end])
	return name != nil && from+name[0] <= at.from && from+name[1] >= at.to
}
