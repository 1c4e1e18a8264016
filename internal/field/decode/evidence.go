package decode

import (
	"slices"
)

// How much a text proves decides how much decode says of it. A name that RFC 9113, a system or a proxy's manual gives
// to the event is proof, and so are the words of a known library; a phrase that only one event has states it. Words that
// several events share, or only their order, are a reading: one of the things that they can mean. Of a reading nothing
// is certain, and no change follows.

// effect is what a guard does to a text.
type effect string

const (
	silent  effect = "silent"
	reading effect = "reading"
)

// guard is a class of texts whose words prove less than they say: data/evidence.toml.
type guard struct {
	Name   string
	Effect effect
	// Proved is set if an error code or a frame doesn't overrule the guard.
	Proved bool
	Says   string
	// Kinds are the other readings.
	Kinds []Kind
	Words []string
}

// rankErrno is the least rank of the names that systems give to a failure: ECONNREFUSED, ENOTFOUND, -1003.
const rankErrno = 88

// named reports whether the text has the event under the name of a standard, a system or a proxy's manual.
func (p *proofs) named() bool {
	return p.Code != "" || p.Flags != "" || p.LastStreamID != nil || p.never && p.rank >= rankErrno
}

// proved reports whether the text proves a kind.
func (p *proofs) proved(k Kind, s *Signature) bool {
	return p.named() || s != nil && !s.General && s.Kind == k
}

// operating matches the level of a log line that is no failure by itself: its program runs.
var operating = lazily(`(?:^|[\s\[("|=:/])(?:DEBUG|TRACE|INFO|NOTICE|DEBU|TRCE|FINE|FINER|FINEST|VERBOSE|DBUG|INF|` +
	`Debug|Trace|Information)(?:[\]"|:)\[;,]|\s(?:[^dS]|d[^a]))|^[DIVT](?:, \[|\d{4} |/| \d{4}-)|` +
	`(?:^|[\["|]|level[=:] ?)(?:debug|trace|info|dbug|trce|notice|verbose)(?:[\]"|:]| \w)|"s":"[DI]\d?"`)

// levelEnd is where the level of a line stands at the latest.
const levelEnd = 160

// quiet reports whether a text reports no failure, whatever words of a failure it has.
func (f *Finding) quiet(s *Signature) bool {
	for _, g := range f.guards {
		if g.Effect == silent && (g.Proved || !f.named()) {
			return true
		}
	}
	if f.text.prose() || f.Code == "" && settings().MatchString(f.text.as) {
		return true
	}
	f.operating = !f.named() && operating().MatchString(f.text.as[:min(len(f.text.as), levelEnd)])
	if f.named() {
		return false
	}
	if f.operating && !f.sign && f.states(onServerLine) && slices.Contains(ofStop, f.Event) {
		return true
	}
	if !f.operating || s != nil && !s.General {
		return false
	}
	return f.rank < leastPlain || (f.rank < weak || f.Event == onTLSFailure) && !gone().MatchString(f.text.low)
}

// ofStop are the events that a server's own stop brings with it.
var ofStop = []Event{onCancelled, onClosed, onTimedOut}

// gone matches words of a failure that no level of a log takes back.
var gone = lazily(`fail|exception|error|refused|timed? ?out|abort|disconnect|` +
	`(?:not|never) (?:receiv|answer|respond|acknowledg)`)

// settings matches texts of nothing but the settings of a server: nginx's directives, YAML and properties.
var settings = lazily(`^(?:[a-z]\w*_\w+(?: [^;"]{1,60})?; ?)+(?:#.*)?$|` +
	`^(?:[\w.-]+:(?: ["'\[{]?[\w./%-]*["'\]}]{0,2})? ?)*\w+_\w+:? ["']?\d[\w.]*["']?` +
	`(?: [\w.-]+:(?: ["'\[{]?[\w./%-]*["'\]}]{0,2})?)*$`)

// sentence is why a text that explains something is a reading.
const sentence = "the sentence may tell what programs do, and not what happened"

// reservation says why the event of a text is only a reading, and the other readings; "" if it is proved.
func (p *proofs) reservation(k Kind, s *Signature) (why string, others []Kind) {
	switch unanswered := rules[k].executed == ""; {
	case p.either && k == Unrelated:
		return p.whoseStatus()
	case k == Unrelated || k == Ambiguous || k == Unclear || unanswered && !p.general:
		return "", nil
	case unanswered: // what explains something is no server's log either
		return sentence, append([]Kind{Unrelated}, alike[p.eventKind()]...)
	}
	for _, g := range p.guards {
		if g.Effect == reading && (g.Proved || !p.proved(k, s)) {
			return g.Says, append(slices.Clone(g.Kinds), alike[k]...)
		}
	}
	switch {
	case p.general:
		return sentence, append([]Kind{Unrelated}, alike[k]...)
	case p.proved(k, s):
		return "", nil
	case p.operating && p.rank <= weak:
		return "a line of this level is no failure by itself", append([]Kind{ServerLog, Unrelated}, alike[k]...)
	case !p.never && slices.Contains(ofAll, p.Event) && !complains().MatchString(p.low):
		return "no word of the text says that something failed", append([]Kind{Unrelated}, alike[k]...)
	case p.shaped && p.rank <= rankShape:
		return "only the order of the words names the event", append(slices.Clone(alike[k]), Unrelated)
	case p.rank < weak && !p.ofGateway():
		return "several failures have this wording", append(slices.Clone(alike[k]), Unrelated)
	}
	return "", nil
}

// whoseStatus is the reservation about a status that a service and a library give.
func (p *proofs) whoseStatus() (why string, others []Kind) {
	if p.answer == "" {
		return "a service that threw an exception and a library that hides the cause give UNKNOWN without a word", []Kind{Reset, Lost}
	}
	return "a service and a gRPC library that has no connection give UNAVAILABLE", []Kind{Unreached, Lost}
}

// ofAll are the events that connections without a failure have too: each ends some time.
var ofAll = []Event{onClosed, onRstStream, onGoaway, onTimedOut, onCancelled}

// complains matches the words of a failure, whichever it is.
var complains = lazily(`fail|err|exception|fatal|panic|unable|cannot|can't|could ?n[o']t|abort|warn|crit|` +
	`\b50[0-4]\b|unexpected|\blost\b|` +
	`refus|broke|curl|invalid|malformed|violat|died|denied|reject|premature|exceed|too (?:many|large|long|old)|` +
	`unavailable|not (?:be|accept|avail|open|` +
	`usable|sent|clean)|\bno (?:route|such|answer|response|reply)|never|unreach|\b(?:rpc|status)|limit|timed? ?out|` +
	`timeout|deadline|[:=] ?eof|reset by peer|ошибк|не удалось|fehler|erro|错误|失败|エラー|失敗|오류|실패`)

// reserve takes back what the evidence of an answer doesn't carry.
func (r *Reported) reserve(why string, others []Kind, decides []string) {
	if r.Kind == Unrelated {
		r.Title = "the service answered with a status of its own"
	}
	r.Reservation, r.Title, r.MayBe = why, "perhaps: "+r.Title, r.others(slices.Concat(others, r.MayBe))
	r.Happened = "If so: " + r.Happened
	if r.Executed != nil && *r.Executed == No {
		executed, again := Maybe, Idempotents
		r.Executed, r.Why, r.Retry, r.RetryWhy = &executed, why, &again, idempotents
	}
	r.Changes, r.Decides = []Change{}, decides
}

// others are the kinds of a list that the answer doesn't have yet, each once.
func (r *Reported) others(kinds []Kind) []Kind {
	out := []Kind{}
	for _, k := range kinds {
		if k != r.Kind && !slices.Contains(r.Also, k) && !slices.Contains(out, k) {
			out = append(out, k)
		}
	}
	return out
}
