package decode

import "slices"

// rule is what a kind means for the request, and the source of that.
type rule struct {
	title, happened string
	executed        Answer
	why             string
	again           Again
	retry           string
	// allows are the classes of changes that fit.
	allows []Class
	// offers are the changes on the side that causes the kind.
	offers func(p proofs) []Change
}

const (
	anyMethod   = "safe for any method, by the program or automatically: send it again on a new connection"
	idempotents = "only what is idempotent (GET, PUT, DELETE…) or carries an idempotency key"
	above       = "streams above a GOAWAY's last id were not and will not be processed (RFC 9113 §6.8, §8.7)"
	below       = "a stream at or below the last id may have been processed (RFC 9113 §6.8)"
	unproved    = "the text has neither of the two proofs of RFC 9113 §8.7: a last stream id below the request's, " +
		"or REFUSED_STREAM"
	untilFixed = "it fails again until the cause is removed; after that, any request may be sent again"
)

var rules = map[Kind]rule{
	Unprocessed: {
		title: "GOAWAY: the server did not process the request",
		happened: "The server ended the connection with GOAWAY, whose last stream id was below this request's " +
			"stream. The request was already sent, and the server discarded it.",
		executed: No, why: above, again: Safe, retry: anyMethod, allows: append(slices.Clone(renewals), TLS),
		offers: limitChanges},
	Accepted: {
		title: "GOAWAY, and the connection closed before the answer",
		happened: "The server ended the connection with GOAWAY and closed it before it answered this request, whose " +
			"stream it had accepted.",
		executed: Maybe, why: below, again: Idempotents, retry: idempotents, allows: renewals, offers: limitChanges},
	Ended: {
		title: "GOAWAY: the connection ends in order",
		happened: "One side told the other to open no more streams on this connection. Requests above the last " +
			"stream id are not processed; the others are finished.",
		executed: Maybe,
		why:      "above the last stream id: no; at or below it: maybe (RFC 9113 §6.8). The text doesn't say which",
		again:    Idempotents,
		retry:    idempotents + "; any request where the client knows that its stream was above the last id",
		allows:   append(slices.Clone(renewals), TLS), offers: limitChanges},
	Announced: {
		title: "GOAWAY announced: the first of two stages",
		happened: "The server announced the end of the connection: last stream id 2147483647 excludes no stream. It " +
			"serves on until it names a real id. Envoy, H2O, nghttpx and gRPC servers do that; nginx and Go's " +
			"server don't.",
		executed: Maybe, why: "this frame excludes no stream; what failed, failed later (RFC 9113 §6.8)",
		again: Idempotents, retry: idempotents, allows: renewals},
	NotSent: {
		title: "the client did not send the request",
		happened: "The client's connection had ended or was ending, and the client opened no stream for this " +
			"request.",
		executed: No, why: "no stream was opened, so the server received nothing", again: Safe, retry: anyMethod,
		allows: append(slices.Clone(renewals), ConcurrentStreams)},
	Exhausted: {
		title: "GOAWAY with INTERNAL_ERROR and no debug data",
		happened: "The server met an internal error and doesn't name it. nghttp2 (in Envoy, Node and Apache) " +
			"ends connections so when a client resets too many streams: 1000 at once, 33 more each second, " +
			"against CVE-2023-44487. Go clients built before November 2021, such as Debian's hey, reset complete " +
			"streams and reach that after some 50,000 requests.",
		executed: Maybe, why: below, again: Idempotents, retry: idempotents,
		allows: []Class{ResetOrPingRate, ReportBug, RetryInClient}, offers: bugChanges},
	Calm: {
		title: "ENHANCE_YOUR_CALM: the server objects to what the client sends",
		happened: "The server ended the connection because of the client's pings, resets or streams: there were more " +
			"than its limit permits. The debug data says which, if there is any.",
		executed: Maybe, why: "above the last stream id: no; at or below it: maybe (RFC 9113 §6.8)",
		again: Idempotents, retry: idempotents + "; and only after the cause is removed: until then the error comes " +
			"again",
		allows: []Class{PingInterval, ResetOrPingRate, RetryInClient, Upgrade, ConcurrentStreams}, offers: calmChanges},
	Failed: {
		title: "the connection ended with an HTTP/2 error",
		happened: "One side found an error and ended the connection. No request limit does that: limits end " +
			"connections with NO_ERROR.",
		executed: Maybe, why: "above the last stream id: no; at or below it: maybe (RFC 9113 §6.8)",
		again: Idempotents, retry: idempotents,
		allows: []Class{ReportBug, Upgrade, Upstream, RetryInClient, Protocol}, offers: bugChanges},
	Refused: {
		title: "REFUSED_STREAM: the request was not processed",
		happened: "The stream was refused before the application saw it: by the peer, which had too many streams, or " +
			"by the client's own library for streams above a GOAWAY's last id. nginx sends it for more than " +
			"http2_max_concurrent_streams (128), never for its request limit.",
		executed: No, why: "a stream reset with REFUSED_STREAM was not processed (RFC 9113 §8.7)", again: Safe,
		retry: anyMethod, allows: append(slices.Clone(renewals), ConcurrentStreams), offers: streamChanges},
	Cancelled: {
		title: "CANCEL: one side gave the stream up",
		happened: "The stream was reset with CANCEL. Clients do that when the caller gives up or its time runs out; " +
			"servers and proxies when the request is no longer of use to them.",
		executed: Maybe, why: unproved, again: Idempotents, retry: idempotents,
		allows: []Class{Timeout, Upstream, Upgrade, HTTP1}},
	Reset: {
		title:    "the stream was reset",
		happened: "One request's stream was reset; the connection may go on. No request limit does that by itself.",
		executed: Maybe, why: unproved, again: Idempotents, retry: idempotents,
		allows: []Class{Upstream, ReportBug, RetryInClient, Upgrade, HTTP1, Protocol}, offers: resetChanges},
	Lost: {
		title: "the connection closed or failed under the request",
		happened: "The connection ended while the request was open or as it was sent: an end in order, a time-out, a " +
			"reload, a crash or the network. The text doesn't say which.",
		executed: Maybe, why: unproved, again: Idempotents, retry: idempotents,
		allows: []Class{RetryInClient, IdleTimeout, Upstream, ClientRenewal, Upgrade, PingInterval, HTTP1},
		offers: idleChanges},
	Confused: {
		title: "the client's HTTP/2 state failed after a GOAWAY",
		happened: "The client's HTTP/2 library was closed by a GOAWAY while other requests still used it, and " +
			"discarded the answers that the server was sending.",
		executed: Maybe, why: "streams at or below the last id may have been executed, and the text doesn't name them",
		again: Idempotents, retry: idempotents, allows: append(slices.Clone(renewals), ReportBug)},
	Unreached: {
		title:    "no connection was made",
		happened: "The client or the proxy did not reach the server: nothing was sent.",
		executed: No, why: "without a connection no request is sent", again: Safe,
		retry:  "safe for any method; it fails again while the address, the port, DNS or the server is not right",
		allows: []Class{Connect, Upstream, RetryInClient}, offers: connectChanges},
	TLSFailed: {
		title:    "TLS failed",
		happened: "Client and server did not agree on TLS, or one refused the other's certificate.",
		executed: No, why: "requests are sent after the handshake", again: Useless, retry: untilFixed,
		allows: []Class{TLS, Protocol}, offers: tlsChanges},
	LimitReached: {
		title: "a limit on this side refused the request",
		happened: "The client's or the proxy's own limit was reached: a pool, a queue, a circuit breaker or the streams " +
			"that the connection may have at once. Behind a request limit that happens at renewals, when all wait.",
		executed: No, why: "the request was refused before it was sent", again: Safe,
		retry:  "safe for any method, after a pause: the limit is reached now",
		allows: []Class{CircuitBreaker, ConcurrentStreams, RetryInClient, ClientRenewal}, offers: overloadChanges},
	Malformed: {
		title: "frames or headers that HTTP/2 doesn't allow",
		happened: "One side received what the protocol doesn't allow: malformed frames or headers, lost header " +
			"compression, or another protocol than it expects. No request limit does that.",
		executed: Maybe, why: unproved, again: Useless,
		retry:  "it fails the same way until the cause is removed; then " + idempotents,
		allows: []Class{ReportBug, Protocol, Upgrade, Upstream, HTTP1, ResetOrPingRate}, offers: violationChanges},
	GaveUp: {
		title:    "the caller gave up",
		happened: "The program or the user that wanted the answer ended the call itself. The server may have worked on it.",
		executed: Maybe, why: "the text doesn't say how far the server was", again: Idempotents, retry: idempotents,
		allows: []Class{Timeout}},
	TimeUp: {
		title: "no answer in time",
		happened: "A deadline passed before the answer came: the server was slow, or the connection was dead without a " +
			"sign of it.",
		executed: Maybe, why: "the text doesn't say whether the server received the request", again: Idempotents,
		retry: idempotents, allows: []Class{Timeout, Upstream, PingInterval, RetryInClient}, offers: timeoutChanges},
	Choked: {
		title: "the client ended the connection: too many resets",
		happened: "The client's library counted more reset streams than it allows and closed the connection itself " +
			"(GOAWAY from the client).",
		executed: Maybe, why: unproved, again: Idempotents, retry: idempotents,
		allows: []Class{ResetOrPingRate, Upgrade, ConcurrentStreams}},
	Retried: {
		title: "GOAWAY, and the client sends the request again",
		happened: "The server had not processed the request, and the client retries it by itself. Nothing is " +
			"lost; each line is a request that needed a new connection.",
		executed: No, why: above, again: Safe, retry: "the client does it already", allows: renewals,
		offers: limitChanges},
	NoReconnect: {
		title: "the client makes no new connection",
		happened: "The program's connection ended and it never opens another: the rest of its requests fail. That is " +
			"a limit of the tool.",
		executed: CantSay, why: "the text doesn't distinguish the requests", again: Idempotents,
		retry: "run it again with more connections", allows: renewals, offers: limitChanges},
	ServerLog: {
		title:    "a server's log: it ends, reloads or reaches a limit",
		happened: "A server reports about itself or its connections; the line is about no request that failed.",
		allows:   []Class{}},
	ServerEnded: {
		title: "a server's log: GOAWAY was sent",
		happened: "The server ended an HTTP/2 connection. With error 0 the reason is the request limit, the " +
			"connection's age, an idle time-out or a reload.",
		allows: renewals, offers: limitChanges},
	ServerSkipped: {
		title: "a server's log: a request was discarded after GOAWAY",
		happened: "nginx had sent its GOAWAY and discarded a request that the client had already sent. One such line " +
			"is one request that the client must send again; no access log shows it.",
		executed: No, why: "nginx skips the frame: ngx_http_v2_state_headers(), RFC 9113 §6.8", again: Safe,
		retry: anyMethod, allows: renewals, offers: limitChanges},
	Flood: {
		title: "a server's log: a flood of frames",
		happened: "nginx ended a connection with too many frames for its requests: more than 10 × keepalive_requests " +
			"frames without a new request, or far more bytes than payload. A very low keepalive_requests causes it too.",
		allows: []Class{ResetOrPingRate}},
	Shortage: {
		title: "a server's log: no free connections",
		happened: "nginx's worker_connections were all in use, so it closes idle connections, healthy HTTP/2 ones " +
			"among them. A stampede of reconnecting clients can cause it, and then makes it worse.",
		allows: []Class{ConcurrentStreams}},
	HandshakeLost: {
		title: "a server's log: a client left during the TLS handshake",
		happened: "A connection was opened and dropped before it carried a request. Clients that dial once for each " +
			"waiting request cause that at every renewal; scanners and health checks do so too.",
		allows: []Class{}},
	Obsolete: {
		title: "a server's log: a directive without effect",
		happened: "nginx ignores this directive: HTTP/2 reads keepalive_requests, keepalive_timeout and " +
			"client_header_timeout since 1.19.7.",
		allows: renewals},
	Status: {
		title: "an HTTP status in place of the answer",
		happened: "A proxy or a server answered with an HTTP status or a page where the client expects another answer. The " +
			"connection to it is not the cause.",
		executed: Maybe, why: "the text doesn't say whether the proxy had sent the request on", again: Idempotents,
		retry: idempotents, allows: []Class{Upstream}},
	TooLarge: {
		title: "a gRPC message is too large",
		happened: "A request or an answer is larger than one side accepts (4 MiB by default). Neither the connection nor a " +
			"limit on requests is the cause.",
		executed: Maybe, why: "an answer that is too large comes from a request that was executed", again: Useless,
		retry: untilFixed},
	Unrelated: {title: "known, and not caused by HTTP/2"},
	Plain: {
		title: "a connection error without a sign of HTTP/2 or gRPC",
		happened: "HTTP/1.1 and other protocols have the same error, and nothing in the text is about HTTP/2. If the " +
			"client does speak HTTP/2, the answer below holds too."},
	Ambiguous: {
		title: "several causes have this text", executed: CantSay,
		why: "different causes have this same text", again: Idempotents, retry: idempotents,
		allows: []Class{RetryInClient, ClientRenewal, IdleTimeout, HTTP1, Upgrade}},
	Unclear: {
		title: "unknown: the text doesn't say what happened",
		happened: "The text reports a failure in wording that decode doesn't know, or beside a defect of the program. The " +
			"facts below would decide.",
		executed: CantSay,
		why:      "the text names no event that decode knows", again: Idempotents, retry: idempotents, allows: []Class{}},
}
