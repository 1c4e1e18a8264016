package decode

import (
	"slices"
	"strings"
)

// People write about failures without having one: lists of changes, manuals, tests that passed. Such a text reports no
// failure, whatever frames and codes it names. One sign of a record (a time, a level, an exception, an id) overrules that.

const (
	// leastWords and leastShare tell sentences from long errors: of the texts of the corpus that report a failure, three
	// have so many words of which so many are function words, and no sign of a record.
	leastWords = 20
	leastShare = 0.3
)

// narrates reports whether a text explains something in sentences.
func (t text) narrates() bool {
	words, function := 0, 0
	for w := range strings.FieldsSeq(t.low) {
		w = strings.Trim(w, ".,:;!?\"'`()[]*")
		if w == "" || w[0] < 'a' || w[0] > 'z' {
			continue
		}
		if words++; slices.Contains(theNames().FunctionWords, w) {
			function++
		}
	}
	return words >= leastWords && float64(function) >= leastShare*float64(words) &&
		!re("logging").MatchString(t.as) && !re("witness").MatchString(t.as)
}

// prose reports whether a text tells how software behaves, or that it did so in a test.
func (t text) prose() bool {
	switch {
	case re("note").MatchString(t.as), re("passed").MatchString(t.as), re("inReport").MatchString(t.as):
		return true
	case re("syntax").MatchString(t.as), re("manual").MatchString(t.as),
		re("inCode").MatchString(t.as):
		return !re("logged").MatchString(t.as)
	case t.titles():
		return true
	}
	return !re("timed").MatchString(t.as) && t.tells() // each sign of a sentence is taken back by a time
}

// tells reports whether a text without a time tells what programs do.
func (t text) tells() bool {
	return t.mayBeProse() || (re("explains").MatchString(t.as) || re("behaves").MatchString(t.as)) && !re("record").MatchString(t.as)
}

// titles reports whether a text is the title of a change: after its place a verb of change comes.
func (t text) titles() bool {
	if re("changes").MatchString(t.as) {
		return true
	}
	title := t.as[len(re("titlePrefix").whole().FindString(t.as)):]
	verb, rest, _ := strings.Cut(title, " ")
	next, _, _ := strings.Cut(strings.TrimLeft(rest, "\"'`(["), " ")
	verb = strings.ToLower(verb)
	noun := slices.Contains(theNames().TitleNouns, verb) && !re("afterVerb").MatchString(strings.TrimRight(next, ":.,;)"))
	return next != "" && (noun || slices.Contains(theNames().TitleVerbs, verb)) && !re("logging").MatchString(rest)
}

// mayBeProse reports whether a text without a sign of a record can be read as a rule or as a report.
func (t text) mayBeProse() bool {
	return (re("general").MatchString(t.as) || re("advises").MatchString(t.as)) && !re("record").MatchString(t.as) ||
		re("asked").MatchString(t.as) && !re("logged").MatchString(t.as) ||
		t.narrates()
}

// explained reports whether a text that decode can't read may explain something: it reports no failure then.
func (t text) explained() bool {
	return t.mayBeProse() || strings.Contains(t.low, "you") && re("counsel").MatchString(t.as) && !re("logged").MatchString(t.as)
}

// levelEnd is where the level of a line stands at the latest.
const levelEnd = 160

// operating reports whether a text is a log line whose level is no failure by itself: its program runs.
func (e evidence) operating() bool {
	return !e.named() && re("operating").MatchString(e.as[:min(len(e.as), levelEnd)])
}

// quiet reports whether a text reports no failure, whatever words of a failure it has, and whether that is because of its level. prose
// is whether it tells what programs do.
func (e evidence) quiet(s *Signature, prose bool) (quiet, operating bool) {
	for _, g := range e.guards {
		if g.Effect == "silent" && (g.Proved || !e.named()) {
			return true, false
		}
	}
	switch operating := e.operating(); {
	case prose, e.Code == "" && re("settings").MatchString(e.as):
		return true, false
	case !operating:
		return false, false
	case !e.sign && e.states(onServerLine) && slices.Contains(ofStop, e.Event):
		return true, true
	case s != nil && !s.General:
		return false, true
	}
	return e.rank < leastPlain || (e.rank < weak || e.Event == onTLSFailure) && !re("gone").MatchString(e.low), true
}

// ofStop are the events that a server's own stop brings with it.
var ofStop = []Event{onCancelled, onClosed, onTimedOut}
