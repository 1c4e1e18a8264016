package notes

// English has the text of every code. {name} is replaced by an argument, {name|one|many} by one of
// two forms, by the argument's count.
var English = map[string]string{
	RequestAtLimit: "request {request} of this connection, the one that reaches the limit",
	LimitAnswered:  "the request that reached the limit is answered",
	BeyondAnswered: "above the limit, and answered nevertheless",
	CloseAtOnce:    "the server closes its side, right after its last answer",
	Close:          "the server closes its side, {ms} ms after its last answer",
	ResetAtOnce: "the server resets the connection, right after its last answer: data in flight to the client " +
		"may be lost",
	Reset: "the server resets the connection, {ms} ms after its last answer: data in flight to the client may be " +
		"lost",
	Handshake:        "another TCP and TLS handshake",
	AgainUnprocessed: "what stream {stream} asked, again: it was not processed (RFC 9113 §8.7)",
	AgainRepeatable:  "what stream {stream} asked, again: {method} may be repeated (RFC 9110 §9.2.2)",
	AgainAnswered:    "and this time it is answered",
	DroppedAbove: "sent before the GOAWAY was read: never answered; " +
		"safe to send again, whatever the method (RFC 9113 §6.8)",
	DroppedCovered: "never answered, and not above the last-stream-id: it may have run (RFC 9113 §6.8)",
	DroppedUnknown: "never answered, and no GOAWAY excludes that it ran: " +
		"only a method that may be repeated is safe to send again (RFC 9110 §9.2.2)",
	DroppedPartly: "its answer began and never ended: the server has processed it, in part at least",
	StreamRefused: "refused: it was not processed and is safe to send again, whatever the method (RFC 9113 §8.7)",
	StreamReset:   "this stream ends without an answer; it may have been processed",
	StreamResetAbove: "this stream ends without an answer; it is above the last-stream-id, so it was not processed and is safe to " +
		"send again, whatever the method (RFC 9113 §6.8)",
	StreamResetPartly: "its answer began and breaks off here: the server has processed it, in part at least",
	GoawayError: "{error} is an error, not a request limit; streams above {stream} were not processed " +
		"and may be sent again (RFC 9113 §6.8)",
	GoawayRepeated:    "the same once more",
	GoawaySecondStage: "second stage: the last stream that the server processes (RFC 9113 §6.8)",
	GoawayFirstStage:  "first stage: open no more streams here; those in flight are still answered (RFC 9113 §6.8)",
	GoawayAhead: "open no more streams here; the id is above all of them, so those in flight are still answered " +
		"(RFC 9113 §6.8)",
	GoawayContradicts: "the peer names stream {stream} as its last, although it has answered {answers} " +
		"{answers|request|requests}: a mistake of the server; " +
		"its id proves nothing, so only idempotent requests may be sent again (RFC 9110 §9.2.2)",
	GoawayAnnounced: "open no more streams here; the server may still answer those in flight, and did not answer all (RFC 9113 §6.8)",
	GoawayRaised: "names a higher stream than the GOAWAY before it: a mistake of the server (RFC 9113 §6.8); streams up to " +
		"the higher one may have been processed",
	GoawayDisproved: "the peer names stream {stream} as its last, and answers stream {later} too: a mistake of the server; " +
		"its id proves nothing, so only idempotent requests may be sent again (RFC 9110 §9.2.2)",
	GoawayErrorDisproved: "{error} is an error, not a request limit; the peer names stream {stream} as its last, although it " +
		"has answered later ones: its id proves nothing, so only idempotent requests may be sent again (RFC 9110 §9.2.2)",
	GoawayNone: "no stream is processed: all may be sent again (RFC 9113 §6.8)",
	GoawayLimit: "the limit: {requests} {requests|request|requests}; the peer names stream {stream} (= 2 × " +
		"{requests} − 1) as its last. " +
		"Streams above it were not and will not be processed; they may be sent again, whatever their method (RFC " +
		"9113 §6.8)",
	GoawayNewest: "the server processes streams up to {stream}, the newest that it had read. Those above it were not and " +
		"will not be processed; they may be sent again, whatever their method (RFC 9113 §6.8)",
	H1Unanswered: "never answered: the connection was closed under it, and nothing excludes that it ran; " +
		"only a method that may be repeated is safe to send again (RFC 9110 §9.2.2)",
	H1Limit: "the limit: {requests} {requests|request|requests}; this answer is the connection's last (RFC 9112 " +
		"§9.6). " +
		"No request was in flight behind it, so none is lost",

	NotEnded: "The server answered {requests} {requests|request|requests} on one connection and did " +
		"not end it",
	LimitElsewhere: "Request {request} was answered and did not end the connection, so this connection's " +
		"limit is not {limit}",
	LimitNotMet:            "{requests} {requests|request|requests} did not end the connection, so this connection's limit is not {limit}",
	AllAnswered:            "every request in flight was answered",
	SecondGoaway:           "a second GOAWAY then named stream {stream}",
	SecondError:            "a later GOAWAY then said {error}",
	ServerResetAtOnce:      "the server reset the connection right after its last answer",
	ServerReset:            "the server reset the connection {ms} ms after its last answer",
	ServerClosedAtOnce:     "the server closed right after its last answer",
	ServerClosedUnanswered: "the server closed the connection without an answer",
	ServerClosed:           "the server closed {ms} ms after its last answer",
	StillOpen:              "the connection was still open when the trace ended",
	SentAgain:              "on a new connection stream {stream}'s request got its answer",
	TakenUnanswered:        "{streams|stream|streams} {streams} got no answer and may have run (not above the last-stream-id)",
	PartlyAnswered: "{streams|stream|streams} {streams} got a part of the answer, so the server has processed " +
		"{streams|it|them}, in part at least",
	UnknownUnanswered: "{streams|stream|streams} {streams} got no answer, and nothing excludes that {streams|it|they} ran",
	DroppedOne:        "the request behind it (stream {streams}) was never answered",
	DroppedMany:       "the {requests} requests behind it (streams {streams}) were never answered",
	ClosedSilently:    "The server closed the connection around request {request} without a GOAWAY",
	GoawayAtStart: "GOAWAY(last_stream_id={stream}, {error}) came before the first answer, so no request brought it: the " +
		"server may be shutting down",
	GoawayAheadOfAll: "Request {request} brought GOAWAY(last_stream_id={stream}, {error}), which is above " +
		"every stream",
	EndedEarly: "The connection ended before its limit of {limit}: GOAWAY(last_stream_id={stream}, {error}) " +
		"came after {answers} {answers|answer|answers}",
	EndedByError: "The server ended the connection with GOAWAY(last_stream_id={stream}, {error}) after " +
		"{answers} {answers|answer|answers}",
	EndedAtLimit: "Request {request} brought GOAWAY(last_stream_id={stream}, {error}) and was answered",
	EndedUnanswered: "Request {request} brought GOAWAY(last_stream_id={stream}, {error}) and got no answer: it may " +
		"have run",
	EndedPartly: "Request {request} brought GOAWAY(last_stream_id={stream}, {error}), and its answer broke off: the server " +
		"has processed it, in part at least",
	AllReset: "{requests} {requests|request was|requests were} reset (RST_STREAM {error})",
	Refused: "{requests} {requests|request was|requests were} refused (RST_STREAM REFUSED_STREAM), safe " +
		"to send again",
	SomeReset:    "{requests} {requests|request was|requests were} reset (RST_STREAM), {refused} of them refused",
	H1LastAnswer: "The answer to request {request} said Connection: close",
	H1BrokenOff: "The server closed the connection in the middle of its answer to request {request}: it has processed it, in " +
		"part at least",
	H1ClosedUnder:    "The server closed the connection under request {request}, which got no answer and may have run",
	H1Closed:         "The server closed the connection after {answers} {answers|answer|answers} without Connection: close",
	H1NextAnswered:   "the next request got its answer on a new connection",
	H1NextUnanswered: "a request on a new connection got no answer",

	Error: "{text}",
	Redirect: "the server redirects ({status}) to {location}: not followed, since this answer counts towards the " +
		"limit too",
	SecondHandshake: "a second handshake failed: {text}",
	Restarted: "the server refused connections for {time} and then answered again: it may have been restarted, or allow a client few " +
		"connections",
	OutOfTime:    "no limit was met in {time}, after {requests} requests on one connection; go on with --max-time",
	FewerAnswers: "it named stream {stream} as its last, that is {requests} requests, and answered {answered}",
	TwoEndings:   "the server ended two connections in different ways: {first} and {then}",
	LostFrames: "{frames} frames more came than are kept: bodies and windows; choose a path with smaller answers, " +
		"or --method HEAD",
	FewerStreams: "the server allows {allowed} {allowed|stream|streams} at a time, so {allowed} " +
		"{allowed|goes|go} across the limit and not {asked}",
	CaptureLacks: "the capture lacks {packets} packets, which the kernel dropped",
}
