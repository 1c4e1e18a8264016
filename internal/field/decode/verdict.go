package decode

import (
	"slices"
	"strings"

	"h2lab/internal/facts"
)

// Verdict, the fourth stage: whether the request was executed, whether it may be sent again, how much of that is proved, and what to
// change.

// Finding is the result of the first three stages for one text.
type Finding struct {
	evidence
	// Signature is nil if no library is known to write the text.
	Signature *Signature
	Kind      Kind
	// dropped is set if the signature contradicts what the text proves: only its library counts.
	dropped bool
	// tried is set if an attempt before this one may have had the request executed.
	tried bool
}

// ruling is whether the request was executed, on whose word, and whether it may be sent again.
type ruling struct {
	Executed Answer
	Why      facts.Text
	Again    Again
	Retry    facts.Text
}

// verdict is what follows for the reader; the lists are not nil.
type verdict struct {
	ruling
	Title, Happened facts.Text
	// Reservation is why the kind is only one reading of the text; no text if it is proved.
	Reservation facts.Text
	Also, MayBe []Kind
	Changes     []Change
	Decides     []facts.Text // the facts that would decide
}

func (r rule) ruling() ruling { return ruling{r.Executed, r.Why.Text, r.Again, r.Retry.Text} }

// circumstances are what decides between the rulings and the changes for one event.
type circumstances struct {
	breaker, idle, otherProtocol, pings, reason, accused, forGood, quoted, behind, unsure, thrown, unfit, xds bool
}

// circumstances reads them in the text.
func (e evidence) circumstances() circumstances {
	says := func(name string) bool { return re(name).MatchString(e.low) }
	has := func(parts ...string) bool { return containsAny(e.low, parts) }
	of := func(events ...Event) bool { return slices.Contains(events, e.Event) }
	quoted := says("ofApplication") && !has("transport")
	return circumstances{
		breaker: of(onLocalLimit) && (has("circuit", "overflow") || strings.Contains(e.Flags, "UO")),
		idle:    of(onClosed) && has("idle") && !has("non-idle"),
		otherProtocol: of(onViolation) && (e.rank == rankProtocol || says("asciiLength") ||
			re("otherProtocol").MatchString(re("requestLine").whole().ReplaceAllString(e.low, ""))),
		pings:   says("ofPings") || e.Debug != nil && re("ofPings").MatchString(*e.Debug),
		reason:  says("otherReason") && !has("graceful shutdown goaway") || e.Code == "" && e.states(onViolation),
		accused: says("accused"),
		forGood: (of(onStatus) && says("forGood") || of(onViolation) && has("content-type")) && !says("gateway") ||
			of(onStatus) && has("loop detected"), // its proxies send it round
		quoted: quoted,
		behind: quoted && (of(certain...) || e.never && says("requestOfService")),
		unsure: of(onLocalLimit) && (says("unavailable") || answeredBy(e.as) != "") && says("ofAnyone") && !says("ofProxy"),
		thrown: e.Speaker == "server" && has("exception") && !has("preface"),
		unfit: e.Debug != nil && re("credentials").MatchString(*e.Debug) ||
			of(onNeverConnected) && (says("byProxy") || says("noAddress")),
		xds: has("aggregatedresources", "grpc config stream"),
	}
}

// verdict judges a finding.
func (f *Finding) verdict() verdict {
	c, law := f.circumstances(), rules()[f.Kind]
	v := verdict{ruling: f.ruling(c), Title: law.Title.Text, Happened: law.Happened.Text, Also: f.also(f.Kind), Decides: []facts.Text{}}
	if f.dropped {
		v.Also = []Kind{}
	} else if s := f.Signature; s != nil && !s.Means.IsZero() {
		v.Happened = s.Means.Text
		if !law.Happened.IsZero() {
			v.Happened = facts.Join("join.sentences", law.Happened.Text, s.Means.Text)
		}
	}
	switch gateway := ofGateway(f.answer); {
	case f.Kind == Status && !gateway.IsZero():
		v.Happened = facts.Join("join.sentences", law.Happened.Text, gateway)
	case f.Kind == Unrelated && f.Event == onAnswered && f.answer != "" && v.Happened.IsZero():
		v.Happened = facts.T("decode.own-error")
	}
	v.MayBe = v.others(f.Kind, f.mayBe(c))
	v.Changes = f.changes(c)
	if f.Kind == Unclear || f.Kind == Ambiguous {
		v.Decides = f.decides()
	}
	if why, others := f.reservation(c); !why.IsZero() {
		return v.reserved(f, why, others)
	}
	return v
}

// ruling is what the kind says of the request, and what the text proves beyond it.
func (f *Finding) ruling(c circumstances) ruling {
	k, s := f.Kind, f.Signature
	law := rules()[k]
	if k == Plain {
		if law = rules()[f.eventKind()]; s != nil {
			law = rules()[Lost]
		}
	}
	r := law.ruling()
	if s != nil && (k == s.Kind || s.Executed == No) {
		if s.Executed != "" && s.Executed != r.Executed {
			r = ruling{s.Executed, r.Why, Idempotents, facts.T("decode.idempotents")}
			switch s.Executed {
			case No:
				r.Again, r.Retry = Safe, facts.T("decode.any-method")
			case Yes:
				r.Again, r.Retry = "", facts.T("decode.was-answered")
			}
		}
		if !s.Why.IsZero() {
			r.Why = s.Why.Text
		}
	}
	maybe := func(why string) ruling {
		return ruling{Maybe, facts.T(why), Idempotents, facts.T("decode.idempotents")}
	}
	switch where := f.where(c); {
	case k == Ended && f.orderly():
		return ruling{}
	case where != "":
		return maybe(where)
	case f.shaped && f.rank <= rankShape && k == Plain && r.Executed == No:
		return maybe("decode.order-only")
	case f.cut && r.Executed == No:
		return ruling{No, facts.T("decode.handshake-open"), Safe, facts.T("decode.any-method")}
	case k == Status && c.forGood, c.unfit:
		r.Again, r.Retry = Useless, facts.T("decode.until-fixed")
	}
	switch again := f.again(c); {
	case again == Idempotents:
		r.Again, r.Retry = again, facts.T("decode.idempotents")
	case again == Useless && (c.otherProtocol || f.Code == "HTTP_1_1_REQUIRED"):
		r.Again, r.Retry = again, facts.T("decode.until-fixed")
	case again == Useless:
		r.Again, r.Retry = again, facts.T("decode.comes-again")
	}
	if r.Executed == Maybe {
		return f.provesNo(r)
	}
	return r
}

// provesNo is the ruling on a request that may have been executed by its kind, where something else proves that it was not.
func (f *Finding) provesNo(r ruling) ruling {
	last := f.LastStreamID
	if f.byClient() {
		last = nil
	}
	onStream := f.states(onRstStream) || f.StreamID != nil && *f.StreamID != 0 // who opened one had agreed on HTTP/2
	safe := func(why string) ruling { return ruling{No, facts.T(why), Safe, facts.T("decode.any-method")} }
	switch {
	case f.Event == onViolation && f.never && !onStream:
		return ruling{No, facts.T("decode.no-agreement"), Useless, facts.T("decode.until-fixed")}
	case f.nothingProcessed(), last != nil && f.StreamID != nil && *f.StreamID > *last:
		return safe("decode.above")
	case f.Event == onTimedOut && f.never:
		return safe("decode.still-waited")
	case f.Unsent && f.Kind != Plain:
		return safe("decode.says-unsent")
	}
	return r
}

// again is whether the same error comes again, where the code or the words tell that better than the kind; "" if not.
func (f *Finding) again(c circumstances) Again {
	k, s := f.Kind, f.Signature
	broken := k == Failed || k == Malformed
	switch {
	case c.otherProtocol, f.Code == "HTTP_1_1_REQUIRED", broken && c.forGood,
		k == Reset && f.Code == "PROTOCOL_ERROR" && re("malformed").MatchString(f.low), // the same request is as malformed again
		broken && (f.Code == "COMPRESSION_ERROR" || f.Code == "FRAME_SIZE_ERROR"):
		return Useless
	case broken && (f.Code == "STREAM_CLOSED" || f.Code == "FLOW_CONTROL_ERROR"), // a matter of the moment
		(k == Malformed || k == Plain) && f.Event == onViolation && f.rank < weak && f.Code == "",
		k == Malformed && s != nil && s.General && s.Kind == Reset: // the words don't say what was wrong
		return Idempotents
	}
	return ""
}

// beforeSending are the events that prove by their words alone that nothing was sent.
var beforeSending = []Event{onNeverConnected, onTLSFailure, onLocalLimit, onUnsent}

// where says where it failed, if the server may have had the request by then although the event alone says
// otherwise.
func (f *Finding) where(c circumstances) string {
	switch {
	case c.behind && f.Kind != Unrelated:
		return "decode.behind"
	case c.unsure:
		return "decode.service-limit"
	case f.tried, f.LastStreamID == nil && re("triedBefore").MatchString(f.low):
		return "decode.earlier-attempt"
	case slices.Contains(beforeSending, f.Event) && re("wasSent").MatchString(f.low):
		return "decode.was-sent"
	case f.Kind == NotSent && f.shaped && re("outOfTime").MatchString(f.low):
		return "decode.opening"
	case f.inUse:
		return "decode.tls-in-use"
	case f.placeless && f.Event == onNeverConnected:
		return "decode.any-call"
	case f.Kind == ServerLog && c.thrown && slices.Contains([]Kind{GaveUp, Lost, Reset, Cancelled}, f.eventKind()):
		return "decode.server-at-work" // an exception of a request that it had received
	}
	return ""
}

// orderly reports whether the writer ends its own connection in order: no request failed.
func (f *Finding) orderly() bool {
	return f.StreamID == nil && !f.ended && f.Direction == sent && (f.Signature == nil || f.Signature.Executed == "")
}

// ofEither are kinds that a server writes of itself and of its client's request.
var ofEither = []Kind{Failed, Malformed, Calm, TLSFailed, TimeUp, LimitReached, Refused}

// codeless reports whether nothing says that a GOAWAY has no error.
func (e evidence) codeless() bool {
	known := false
	if e.Debug != nil {
		_, known = theNames().Debug[*e.Debug]
	}
	return e.Code == "" && !known && !strings.Contains(e.low, "graceful")
}

// mayBe are the other kinds that a text can have: those of its library's text, or, where only the
// text's shape names the event, those that have the same shapes.
func (f *Finding) mayBe(c circumstances) []Kind {
	k, s := f.Kind, f.Signature
	switch {
	case k == Ended && f.codeless():
		return []Kind{Failed, Calm}
	case f.Speaker == "server" && slices.Contains(ofEither, k):
		return []Kind{ServerLog}
	case (k == Failed || k == Malformed || k == Reset) && f.Frame == "" && (s == nil || s.General):
		return []Kind{Failed, Malformed, Reset} // a code alone doesn't say whether it ended a stream or the connection
	case c.behind, c.unsure, c.quoted && slices.Contains(anyProtocol, k):
		return []Kind{Unrelated}
	case s != nil && s.Kind == k && len(s.Maybe) > 0:
		return s.Maybe
	case f.Direction == sent && f.Speaker == "" && (k == Ended || k == Failed || k == Reset || k == Malformed):
		return []Kind{ServerEnded}
	case k == Reset && f.Code == "" && s != nil: // the code is in another line
		return []Kind{Cancelled}
	case k == ServerLog && !f.sign:
		return []Kind{Unrelated} // a server of any protocol writes such lines
	case k == ServerLog && f.Event != onServerLine && s == nil:
		return []Kind{f.eventKind(), Malformed} // the request that it served failed, or its client broke the protocol
	case k == Status && strings.Contains(f.low, "503"):
		return []Kind{LimitReached, Unreached} // what a proxy answers then
	case k == Status && ofGateway(f.answer).IsZero():
		return []Kind{Malformed} // a server that doesn't speak gRPC, or a proxy before it
	case s == nil && !f.named() && f.sign && !re("bySystem").MatchString(f.low):
		return rules()[k].Likely
	}
	return nil
}

// proved reports whether the text proves the kind.
func (f *Finding) proved() bool {
	return f.named() || f.Signature != nil && !f.Signature.General && f.Signature.Kind == f.Kind
}

// ofAll are the events that connections without a failure have too: each ends some time.
var ofAll = []Event{onClosed, onRstStream, onGoaway, onTimedOut, onCancelled}

// reservation says why the event of a text is only a reading, and the other readings; no text if it is proved. How much a text proves
// decides how much is said of it. A name that RFC 9113, a system or a proxy's manual gives to the event is proof, and so are the words
// of a known library; a phrase that only one event has states it. Words that several events share, or only their order, are a reading:
// one of the things that they can mean. Of a reading nothing is certain, and no change follows.
func (f *Finding) reservation(c circumstances) (why facts.Text, others []Kind) {
	k, alike := f.Kind, rules()[f.Kind].Alike
	unanswered := rules()[k].Executed == ""
	reading := func(why string, others ...Kind) (facts.Text, []Kind) { return facts.T(why), others }
	switch {
	case f.either && k == Unrelated && f.answer == "":
		return reading("decode.status-unknown", Reset, Lost)
	case f.either && k == Unrelated:
		return reading("decode.status-unavailable", Unreached, Lost)
	case k == Unrelated || k == Ambiguous || k == Unclear || unanswered:
		return facts.Text{}, nil
	}
	for _, g := range f.guards {
		if g.Effect == "reading" && (g.Proved || !f.proved()) {
			return g.Says.Text, slices.Concat(g.Kinds, alike)
		}
	}
	switch {
	case f.proved():
		return facts.Text{}, nil
	case f.operating() && f.rank <= weak:
		return reading("decode.level", slices.Concat([]Kind{ServerLog, Unrelated}, alike)...)
	case !f.never && slices.Contains(ofAll, f.Event) && !re("complains").MatchString(f.low):
		return reading("decode.no-word", slices.Concat([]Kind{Unrelated}, alike)...)
	case f.shaped && f.rank <= rankShape:
		return reading("decode.order", slices.Concat(alike, []Kind{Unrelated})...)
	case f.rank < weak && ofGateway(f.answer).IsZero():
		return reading("decode.wording", slices.Concat(alike, []Kind{Unrelated})...)
	}
	return facts.Text{}, nil
}

// reserved takes back what the evidence of an answer doesn't carry.
func (v verdict) reserved(f *Finding, why facts.Text, others []Kind) verdict {
	if f.Kind == Unrelated {
		v.Title = facts.T("decode.own-status")
	}
	v.Reservation, v.Title, v.MayBe = why, facts.T("decode.perhaps", v.Title), v.others(f.Kind, slices.Concat(others, v.MayBe))
	v.Happened = facts.T("decode.if-so", v.Happened)
	if v.Executed == No {
		v.ruling = ruling{Maybe, why, Idempotents, facts.T("decode.idempotents")}
	}
	v.Changes, v.Decides = []Change{}, f.decides()
	return v
}

// others are the kinds of a list that the answer doesn't have yet, each once.
func (v verdict) others(k Kind, kinds []Kind) []Kind {
	out := []Kind{}
	for _, other := range kinds {
		if other != k && !slices.Contains(v.Also, other) && !slices.Contains(out, other) {
			out = append(out, other)
		}
	}
	return out
}
