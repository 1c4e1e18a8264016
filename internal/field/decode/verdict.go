package decode

import (
	"slices"
	"strings"
)

// verdict is whether the request was executed, on whose word, and whether it may be sent again.
func (p *proofs) verdict(k Kind, s *Signature) (executed Answer, why string, again Again, retry string) {
	law := rules[k]
	if k == Plain {
		if law = rules[p.eventKind()]; s != nil {
			law = rules[Lost]
		}
	}
	executed, why, again, retry = law.executed, law.why, law.again, law.retry
	if s != nil && (k == s.Kind || s.Executed == No) {
		if s.Executed != "" && s.Executed != executed {
			executed = s.Executed
			again, retry = retryFor(executed)
		}
		if s.Why != "" {
			why = s.Why
		}
	}
	if k == Ended && p.orderly(s) {
		return "", "", "", ""
	}
	if k == Status && p.forGood {
		again, retry = Useless, untilFixed
	}
	if where := p.where(k); where != "" {
		return Maybe, where, Idempotents, idempotents
	}
	if p.shaped && p.rank <= rankShape && k == Plain && executed == No {
		return Maybe, "only the order of the words names the event, and nothing is about HTTP/2", Idempotents, idempotents
	}
	if p.cut && executed == No {
		return No, "the handshake did not end, and requests are sent after it", Safe, anyMethod
	}
	if p.unfit {
		again, retry = Useless, untilFixed
	}
	if other := p.again(k, s); other != "" {
		again, retry = other, map[Again]string{Useless: untilFixed, Idempotents: idempotents}[other]
		if other == Useless && !p.otherProtocol && p.Code != "HTTP_1_1_REQUIRED" {
			retry = rules[Malformed].retry
		}
	}
	if executed != Maybe {
		return executed, why, again, retry
	}
	return p.provesNo(k, why, again, retry)
}

// provesNo is the verdict on a request that may have been executed by its kind, where something else proves that it was not.
func (p *proofs) provesNo(k Kind, why string, again Again, retry string) (Answer, string, Again, string) {
	last := p.LastStreamID
	if p.Direction == sent && p.Speaker != "server" {
		last = nil
	}
	switch {
	case p.Event == onViolation && p.never && !p.onStream():
		return No, "the two sides did not agree on HTTP/2, so no request was processed", Useless, untilFixed
	case p.nothingProcessed(), last != nil && p.StreamID != nil && *p.StreamID > *last:
		return No, above, Safe, anyMethod
	case p.Event == onTimedOut && p.never:
		return No, "the text says that the request still waited for a connection", Safe, anyMethod
	case p.Unsent && k != Plain:
		return No, "the text says that the request was not sent or not processed", Safe, anyMethod
	}
	return Maybe, why, again, retry
}

// onStream reports whether the text names a stream: who opened one had agreed on HTTP/2.
func (p *proofs) onStream() bool {
	return p.states(onRstStream) || p.StreamID != nil && *p.StreamID != 0
}

// again is whether the same error comes again, where the code or the words tell that better than the kind; "" if not.
func (p *proofs) again(k Kind, s *Signature) Again {
	broken := k == Failed || k == Malformed
	switch {
	case p.otherProtocol, p.Code == "HTTP_1_1_REQUIRED", broken && p.forGood:
		return Useless
	case k == Reset && p.Code == "PROTOCOL_ERROR" && malformed().MatchString(p.low): // the same request is as malformed again
		return Useless
	case broken && (p.Code == "COMPRESSION_ERROR" || p.Code == "FRAME_SIZE_ERROR"):
		return Useless
	case broken && (p.Code == "STREAM_CLOSED" || p.Code == "FLOW_CONTROL_ERROR"): // a matter of the moment
		return Idempotents
	case (k == Malformed || k == Plain) && p.Event == onViolation && p.rank < weak && p.Code == "",
		k == Malformed && s != nil && s.General && s.Kind == Reset: // the words don't say what was wrong
		return Idempotents
	}
	return ""
}

// malformed matches what makes a request itself malformed.
var malformed = lazily(`(?:malformed|invalid|illegal) (?:request )?(?:headers?|authority|pseudo|uri|path|scheme|method)|` +
	`:status["']?[ =:]{1,4}400\b`)

// where says where it failed, if the server may have had the request by then although the event alone says
// otherwise.
func (p *proofs) where(k Kind) string {
	switch {
	case p.behind && k != Unrelated:
		return "the server answered with it: the connection that failed is one behind the server"
	case p.unsure:
		return "the limit may be the service's own, reached while it worked on the request"
	case p.tried:
		return "an attempt before the last one may have reached the server"
	case k == NotSent && p.shaped && outOfTime().MatchString(p.low):
		return "the time ran out while the stream was opened: its headers may have been sent"
	case p.inUse:
		return "the connection may have been in use when TLS failed"
	case k == ServerLog && p.inHandler():
		return "a server wrote it while it worked on the request"
	}
	return ""
}

// outOfTime matches the words of a time-out.
var outOfTime = lazily(`time-?d? ?out|deadline`)

// inHandler reports whether a server's log is an exception of a request that it had received.
func (p *proofs) inHandler() bool {
	return p.thrown && slices.Contains([]Kind{GaveUp, Lost, Reset, Cancelled}, p.eventKind())
}

// orderly reports whether the writer ends its own connection in order: no request failed.
func (p *proofs) orderly(s *Signature) bool {
	return p.StreamID == nil && !p.ended &&
		p.Direction == sent && (s == nil || s.Executed == "")
}

func retryFor(a Answer) (Again, string) {
	switch a {
	case No:
		return Safe, anyMethod
	case Yes:
		return "", "not by itself: it was executed or answered"
	}
	return Idempotents, idempotents
}

// alike are the kinds whose texts resemble each other where no library's phrase distinguishes them.
var alike = map[Kind][]Kind{
	Lost: {NotSent, Reset, Unreached, Failed}, Reset: {Cancelled, Lost, Malformed, NotSent}, TimeUp: {Unreached, Lost},
	Malformed: {Failed, Reset}, GaveUp: {Cancelled, Lost, TimeUp}, LimitReached: {NotSent, Refused},
	Unreached: {Lost, TimeUp}, NotSent: {LimitReached, Lost}, TLSFailed: {Unreached, Lost},
	Ended: {ServerEnded, Lost}, Failed: {Malformed, Reset}, Calm: {Failed, Reset}, Refused: {LimitReached, NotSent},
	Cancelled: {GaveUp, Reset}, Unprocessed: {Ended, NotSent}, Accepted: {Ended, Lost}, Confused: {Lost, Malformed},
}

// ofEither are kinds that a server writes of itself and of its client's request.
var ofEither = []Kind{Failed, Malformed, Calm, TLSFailed, TimeUp, LimitReached, Refused}

// codeless reports whether nothing says that a GOAWAY has no error.
func (p *proofs) codeless() bool {
	known := p.Debug != nil && debugKnown[*p.Debug] != ""
	return p.Code == "" && !known && !strings.Contains(p.low, "graceful")
}

// mayBe are the other kinds that a text can have: those of its library's text, or, where only the
// text's shape names the event, those that have the same shapes.
func (p *proofs) mayBe(k Kind, s *Signature) []Kind {
	switch {
	case k == Ended && p.codeless():
		return []Kind{Failed, Calm}
	case p.Speaker == "server" && slices.Contains(ofEither, k):
		return []Kind{ServerLog}
	case (k == Failed || k == Malformed || k == Reset) && p.Frame == "" && (s == nil || s.General):
		return []Kind{Failed, Malformed, Reset} // a code alone doesn't say whether it ended a stream or the connection
	case p.behind, p.unsure, p.quoted && slices.Contains(anyProtocol, k):
		return []Kind{Unrelated}
	case s != nil && s.Kind == k && len(s.Maybe) > 0:
		return s.Maybe
	case p.Direction == sent && p.Speaker == "" && (k == Ended || k == Failed || k == Reset || k == Malformed):
		return []Kind{ServerEnded}
	case k == Reset && p.Code == "" && s != nil: // the code is in another line
		return []Kind{Cancelled}
	case k == ServerLog && !p.sign:
		return []Kind{Unrelated} // a server of any protocol writes such lines
	case k == ServerLog && p.Event != onServerLine && s == nil:
		return []Kind{p.eventKind(), Malformed} // the request that it served failed, or its client broke the protocol
	case k == Status && strings.Contains(p.low, "503"):
		return []Kind{LimitReached, Unreached} // what a proxy answers then
	case k == Status && !p.ofGateway():
		return []Kind{Malformed} // a server that doesn't speak gRPC, or a proxy before it
	case s == nil && !p.named() && p.sign && !bySystem().MatchString(p.low):
		return likely[k]
	}
	return []Kind{}
}

// bySystem matches the names that systems give to the end of a connection.
var bySystem = lazily(`reset by peer|econn|broken ?pipe|epipe|\beof\b|errno|os error|connection ?reset`)

// likely are the kinds that can be meant too where neither a code, a frame nor a library's own words stand beside the
// phrase: none of them contradicts whether the request was executed. The words may also be those of another layer.
var likely = map[Kind][]Kind{
	Lost: {Reset, Failed, Unrelated}, Reset: {Cancelled, Lost, Unrelated}, TimeUp: {Lost, Unrelated},
	Malformed: {Failed, Reset, Unrelated}, GaveUp: {Cancelled, Lost, Unrelated},
}

// nothingProcessed reports whether a GOAWAY's last stream id is 0. A client's own GOAWAY has 0 because servers open no streams.
func (p *proofs) nothingProcessed() bool {
	last := p.LastStreamID
	return p.Event == onGoaway && last != nil && *last == 0 && p.Direction == received
}
