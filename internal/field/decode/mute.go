package decode

// mute are the parts of a text in which words don't count: those that state no event (the first are frames of stacks), the
// requests that it quotes, and those that name other protocols.
type mute struct {
	text              text
	silence, requests []span
	frames            int
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
		return false
	case ph.sign:
		return inAccessLog(m.text.low, at) || inside(m.requests, at)
	case ph.speaker != "":
		return m.text.ofSource(at) || m.text.inField(at)
	}
	return inside(m.silence, at)
}
