package clientreport

import (
	"regexp"
	"strings"

	"h2lab/internal/facts"
	"h2lab/internal/judge/clientverdicts"
	"h2lab/internal/report/translations"
)

// ours matches the harness's own text for a call that never settled. Users never see it; the
// library's own message follows it.
var ours = regexp.MustCompile(`^no answer within \S+ \(the call never settled\)[:;,. ]*`)

// varies matches the parts that differ between two messages of one kind: object ids, ports, stream
// numbers.
var varies = regexp.MustCompile(`@[0-9a-f]{4,}|0x[0-9a-f]+|\d+`)

// kind returns a message without the parts that vary.
func kind(message string) string {
	return strings.Join(strings.Fields(varies.ReplaceAllString(message, "#")), " ")
}

// theirs returns the library's own message, or "" if there is none.
func theirs(message string) string { return strings.TrimSpace(ours.ReplaceAllString(message, "")) }

// mostMessages is how many kinds of message per client the page shows at once; the others are in a
// collapsed block.
const mostMessages = 6

// classMeans says what a class implies about the request, if the execution was not measured.
func classMeans(class string) translations.Phrase {
	switch class {
	case facts.ErrGoawayNotReplayable, facts.ErrRefusedStream:
		return "clients.not-executed-safe-send"
	case facts.ErrGoawayAfterProcessing, facts.ErrConnectionLost, facts.ErrTimeout:
		return "clients.may-executed"
	case facts.ErrHTTPStatus:
		return "clients.server-answered-error"
	case facts.ErrClientResources:
		return "clients.not-sent-clients-own"
	}
	return "clients.unknown-text-doesnt-show"
}

// executed says whether the failed requests of a cell were executed: as counted by the backend, or
// else as far as the class implies it.
func (p *page) executed(f *clientverdicts.Figures, class string) string {
	implied := p.Say(classMeans(class))
	if f == nil || f.Unanswered == nil || f.Failed == 0 {
		return implied
	}
	n := *f.Unanswered
	if f.Duplicates != nil {
		n -= max(0, *f.Duplicates)
	}
	switch {
	case class == facts.ErrHTTPStatus:
		return implied
	case n <= 0:
		return p.Say("clients.not-executed-none", whole(f.Failed))
	case class == facts.ErrGoawayNotReplayable || class == facts.ErrRefusedStream:
		return implied
	case n >= f.Failed:
		return p.Say("clients.executed-without-answer-all", whole(f.Failed))
	}
	return p.Say("clients.some-executed-clients", whole(n), whole(f.Failed))
}
