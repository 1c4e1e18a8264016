package decode

import (
	"slices"
	"strings"

	"h2lab/internal/facts"
)

// A failure in unknown words may be a connection's if the program itself says a word of a network. What its files, packages and
// addresses are called says nothing: a parser can lie in a folder of that name. The names of exceptions do count.

// ofNetwork reports whether a program says a word of a network.
func ofNetwork(said string) bool {
	var s spelled
	s.spell(re("placeNames").whole().ReplaceAllStringFunc(said, exceptionOf))
	return re("networkWords").MatchString(s.words)
}

// exceptionOf is the name of a failure without its package, a blank for any other name.
func exceptionOf(name string) string {
	last := strings.Trim(name[strings.LastIndexAny(name, `.:/\`)+1:], "\"'`")
	if thrown(last) || re("failureName").MatchString(last) {
		return last
	}
	return " "
}

// decides are the facts that would decide, without those that the text has.
func (f *Finding) decides() (out []facts.Text) {
	if f.either {
		return []facts.Text{facts.T("decode.decides-status")}
	}
	if f.Frame == "" {
		look := facts.T("decode.decides-event")
		if f.Kind == Unclear || f.Kind == Ambiguous {
			for _, w := range slices.Backward(theNames().Wrapper) {
				if re(w.Match).MatchString(f.low) {
					look = w.Look.Text
				}
			}
		}
		out = append(out, look)
	}
	if f.Code == "" {
		out = append(out, facts.T("decode.decides-code"))
	}
	if f.StreamID == nil {
		out = append(out, facts.T("decode.decides-stream"))
	}
	return out
}

// unread keeps the first message of a short input if it is about a failure that decode can't read: silence would say that
// no connection failed. signed is set if it has a sign of HTTP/2 or gRPC. Another protocol in the input explains it.
func (t *Tally) unread(raw []byte, signed bool, input, line int) {
	if t.Events > fewLines || t.Events > 1 && !signed && !re("plainly").Match(raw) {
		return
	}
	n := normaliser{}
	said, normal := string(raw), newText(n.normal(raw))
	t.foreign = t.foreign || !signed && ofAnother(strings.ToLower(said))
	if t.foreign || normal.explained() {
		return
	}
	t.missed = true
	f := &Finding{Kind: Unclear}
	f.low, f.answer = strings.ToLower(said), answeredBy(normal.as)
	other := "otherwise"
	if signed {
		other = "succeeded"
	}
	words := re("placeNames").whole().ReplaceAllStringFunc(re("noValue").whole().ReplaceAllString(said, ""), exceptionOf)
	switch {
	case !re("failing").MatchString(words), re("settings").MatchString(normal.as):
		return
	case !ofGateway(f.answer).IsZero() && !re("records").Match(raw):
		f.Kind, f.Event = Status, onStatus
	case f.answer != "", re("ofPrograms").Match(raw), re(other).Match(raw), !signed && !ofNetwork(said):
		return
	}
	if t.first == nil || t.first.Kind == Unclear && f.Kind == Status {
		t.first = &Group{Finding: f, Count: 1, Input: input, Line: line, Text: excerpt(raw)}
	}
}

// Missed reports whether nothing was found in a short input, and nothing in it excludes that a connection failed.
func (t *Tally) Missed() bool {
	return t.missed && !t.foreign && !t.told && t.Events <= fewLines && len(t.groups) == 0 && t.first == nil
}
