package probe

import (
	"math"
	"strconv"

	"golang.org/x/net/http2"

	"h2lab/internal/base/system"
	"h2lab/internal/facts"
	"h2lab/internal/field/cause"
)

// trip is the request at which the end was announced or reached with no other request in flight; 0
// if there were others.
func (r *run) trip() int {
	if r.first != nil && r.plan.alone.has(r.first.sent) {
		return r.first.sent
	}
	return 0
}

// around are the requests to send one at a time on another connection, around the end. Over
// HTTP/1.1 no request may wait behind those either.
func (r *run) around() span {
	s := r.near()
	if r.plan.http1 {
		s.to = math.MaxInt
	}
	return s
}

// near are the requests around the end. If it came right after requests that were in flight together, the server
// may have met its limit among them and said so later (Rust's hyper, Armeria): then all of these belong to it.
func (r *run) near() span {
	s := span{r.endAnswered() - careful, r.endSent() + careful}
	if r.together > 0 && r.first != nil && s.to-s.from <= 2*careful+1 && r.endSent() < r.together+cause.Settled {
		s.from = r.together - r.abreast() - careful
	}
	return s
}

func (r *run) endSent() int {
	if r.first != nil {
		return r.first.sent
	}
	return r.sent
}

func (r *run) endAnswered() int {
	if r.first != nil {
		return r.first.answered
	}
	return r.answered
}

// wasReset reports whether the connection ended with TCP's RST.
func (r *run) wasReset() bool { return system.Reset(r.goneErr) }

// how is how the connection was ended, as a value of facts.Ending.How.
func (r *run) how() string {
	switch {
	case !r.lastAnswer.IsZero():
		return facts.EndedByConnectionClose
	case r.first == nil && r.wasReset():
		return facts.EndedByReset
	case r.first == nil:
		return facts.EndedByClose
	case r.first.code != http2.ErrCodeNo:
		return facts.EndedByError
	case r.first.last == announcement:
		return facts.EndedByTwoStages
	case r.first.last > streamOf(r.first.sent):
		return facts.EndedByFutureID
	}
	return facts.EndedByGoaway
}

// statusNumber is the numeric status of a header block.
func statusNumber(s string) int { n, _ := strconv.Atoi(s); return n }
