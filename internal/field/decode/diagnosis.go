package decode

import (
	"fmt"

	"h2lab/internal/base/numfmt"
	"h2lab/internal/base/textwrap"
)

// rule is what a kind means for the request, and the source of that.
type rule struct {
	title, happened string
	executed        Answer
	why, retry      string
	server          bool // a server's limit may be the cause
}

const (
	safe       = "safe, by hand or automatically, whatever the method: send it again on a new connection"
	idempotent = "only what is idempotent (GET, PUT, DELETE…) or carries an idempotency key"
	above      = "streams above a GOAWAY's last id were not and will not be processed (RFC 9113 §6.8, §8.7)"
	below      = "a stream at or below the last id may have been processed (RFC 9113 §6.8)"
	notTold    = "the text gives neither of the two guarantees of RFC 9113 §8.7"
)

var rules = map[Kind]rule{
	Unprocessed: {"GOAWAY: the request was dropped unread",
		"The server ended the connection (GOAWAY) and named the last stream it took. This request's stream lay above " +
			"it: it was on the wire already, and the server dropped it.",
		No, above, safe, true},
	Accepted: {"GOAWAY, and the connection closed before the answer",
		"The server ended the connection (GOAWAY), and it closed while a stream that the server had taken was " +
			"unfinished.",
		Maybe, below, idempotent, true},
	Ended: {"GOAWAY: the server ended the connection",
		"The server told the client to open no more streams on this connection. Requests above the last stream id it " +
			"named were dropped; the others were to be finished.",
		Maybe, "above the last stream id: no; at or below it: maybe (RFC 9113 §6.8), and the text doesn't say which",
		idempotent + "; any request where the client can tell that its stream lay above the last id", true},
	Announced: {"GOAWAY announced: first of two stages",
		"The server announced that it will end the connection (last stream id 2147483647 excludes none) and goes on " +
			"serving until it names a real id. Envoy, H2O, nghttpx and gRPC servers do that; nginx and Go's server " +
			"do not.",
		Maybe, "nothing was dropped by this frame; what failed here failed later (RFC 9113 §6.8)", idempotent, true},
	NotSent: {"the request never left the client",
		"The client's connection had been ended by a GOAWAY (or was closed), and it opened no stream for this request.",
		No, "no stream was opened, so nothing reached the server", safe, true},
	Exhausted: {"INTERNAL_ERROR without a word: most likely nghttp2's limit on resets",
		"Most likely the server's nghttp2 ran out of reset tokens (1000 at once, 33 more each second, against " +
			"CVE-2023-44487). Envoy, Node and Apache use nghttp2. Old Go clients (before November 2021, such as " +
			"Debian's hey) reset streams that were complete, and so come to it after some 50,000 requests.",
		Maybe, below, idempotent, false},
	Calm: {"ENHANCE_YOUR_CALM: the server thinks the client floods it",
		"The server ended the connection because of what the client sent: too many pings, resets or streams beyond " +
			"its limit. The debug data says which, where there is any.",
		Maybe, "above the last stream id: no; at or below it: maybe (RFC 9113 §6.8)",
		idempotent + "; and slow down first", false},
	Failed: {"the connection failed with an HTTP/2 error",
		"One side found a breach of the protocol and ended the connection. That is no request limit: limits end with " +
			"NO_ERROR.",
		Maybe, "above the last stream id: no; at or below it: maybe (RFC 9113 §6.8)", idempotent, false},
	Refused: {"REFUSED_STREAM: the stream was not processed",
		"The stream was refused before anything was done with it. Clients on nghttp2 (curl, Node) also say so of " +
			"streams above a GOAWAY's last id; from nginx itself it means more than http2_max_concurrent_streams " +
			"(128), never the request limit.",
		No, "a stream reset with REFUSED_STREAM was not processed (RFC 9113 §8.7)", safe, true},
	Cancelled: {"CANCEL: one side gave the stream up",
		"The stream was reset with CANCEL. A client does that when its caller gives up, a server seldom; some " +
			"clients do it to their own streams when a GOAWAY ends the connection.",
		Maybe, notTold, idempotent, false},
	Reset: {"the stream was reset",
		"One request's stream was reset; the connection may go on. This is no request limit by itself.",
		Maybe, notTold, idempotent, false},
	Lost: {"the connection closed under the request",
		"The client used a connection that the server was closing or had closed: a limit, an idle time-out, a reload " +
			"or a crash. The text doesn't say which.",
		Maybe, notTold, idempotent, true},
	Confused: {"the client broke on frames that came after GOAWAY",
		"The client's HTTP/2 machine was closed by a GOAWAY while other requests were still using it. Their answers, " +
			"which the server was sending, were thrown away.",
		Maybe, "streams at or below the last id may have been executed, and this text doesn't tell which they were",
		idempotent, true},
	PoolFull: {"the client's own queue was full",
		"More requests waited for a connection than the pool lets wait. Behind a request limit that happens at " +
			"renewals, when all wait at once.",
		No, "the request never got a connection", "safe, after a pause: the queue is full now", true},
	Choked: {"the client ended the connection itself: too many resets",
		"The client's library counted more reset streams than it allows and closed the connection (GOAWAY from the " +
			"client).",
		Maybe, notTold, idempotent, false},
	Retried: {"GOAWAY, and the client sends the request again",
		"The client noticed that the server had dropped the request and retries it by itself. Nothing is lost; each " +
			"line is a request that took a new connection.",
		No, above, "the client does it already", true},
	NoReconnect: {"the client makes no new connection",
		"The program used up its connection and never opened another: the rest of its requests fail. It is a limit " +
			"of the tool, not of the server.",
		CantSay, "the text doesn't tell one request from another", "run it again with more connections", true},
	ServerEnded: {"the server's log: GOAWAY was sent",
		"nginx ended an HTTP/2 connection. Only its debug log says so; with error 0 the reason is the request limit, " +
			"the connection's age, an idle time-out or a reload.",
		"", "", "", true},
	ServerSkipped: {"the server's log: a stream was dropped after GOAWAY",
		"nginx had sent its GOAWAY and dropped a stream that the client had on the wire. One such line is one " +
			"request that the client must send again; no access log shows it.",
		No, "nginx skips the frame: ngx_http_v2_state_headers(), RFC 9113 §6.8", safe, true},
	Flood: {"the server's log: frame flood",
		"nginx ended a connection whose frames outweigh its requests: more than 10 × keepalive_requests frames " +
			"without a new request, or far more bytes than payload. A very low keepalive_requests brings it on.",
		Maybe, notTold, idempotent, true},
	Shortage: {"the server's log: connections ran out",
		"nginx's worker_connections were used up, so it closes idle connections, healthy HTTP/2 ones among them. A " +
			"stampede of reconnecting clients can cause it and is made worse by it.",
		"", "", "", true},
	HandshakeLost: {"the server's log: a client left during the TLS handshake",
		"A connection was opened and dropped before it carried a request. Clients that dial once for each waiting " +
			"request leave these behind at every renewal; scanners and health checks do so too.",
		"", "", "", true},
	Obsolete: {"the server's log: a directive without effect",
		"nginx ignores this directive: HTTP/2 reads keepalive_requests, keepalive_timeout and client_header_timeout " +
			"since 1.19.7.",
		"", "", "", true},
	Unrelated: {"known, and not HTTP/2's doing", "", "", "", "", false},
	Ambiguous: {
		"several causes say this",
		"",
		CantSay,
		"the text is the same for causes that differ",
		idempotent,
		false,
	},
	Looks: {"HTTP/2, in words that no known library uses",
		"What can be read from the text stands above; who wrote it is not known.",
		"", "", "", false},
}

// kindOf refines a signature's kind by the facts of the text.
func kindOf(k Kind, f Facts) Kind {
	switch k {
	case Ended, Accepted, Looks:
		if f.Frame == "RST_STREAM" && k != Accepted {
			return resetKind(f.Code, k)
		}
		if f.Frame == "GOAWAY" {
			return goawayKind(k, f)
		}
	case Reset, Refused:
		return resetKind(f.Code, k)
	case Unprocessed:
		// Go writes "cannot retry" both for refused and for broken streams.
		if f.Frame == "RST_STREAM" {
			return resetKind(f.Code, k)
		}
	}
	return k
}

func goawayKind(k Kind, f Facts) Kind {
	switch f.Code {
	case "ENHANCE_YOUR_CALM":
		return Calm
	case "INTERNAL_ERROR":
		if f.Debug != nil && *f.Debug == "" {
			return Exhausted
		}
		return Failed
	case "", "NO_ERROR":
	case "REFUSED_STREAM":
		return Refused
	default:
		return Failed
	}
	switch {
	case f.announced():
		return Announced
	case f.StreamID != nil && f.LastStreamID != nil && *f.StreamID > *f.LastStreamID:
		return Unprocessed
	case f.LastStreamID != nil && *f.LastStreamID == 0:
		return Unprocessed
	case f.StreamID != nil && f.LastStreamID != nil:
		return Accepted
	case k == Looks && f.Code == "" && f.LastStreamID == nil:
		return Looks
	case k == Looks:
		return Ended
	}
	return k
}

func resetKind(code string, k Kind) Kind {
	switch code {
	case "REFUSED_STREAM":
		return Refused
	case "CANCEL":
		return Cancelled
	case "":
		return k
	}
	return Reset
}

// readings describe the facts of a text as sentences.
func readings(f Facts) []string {
	var out []string
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if f.Code != "" {
		say("error code %s%s", f.Code, map[bool]string{true: ", which is no error", false: ""}[f.Code == "NO_ERROR"])
	}
	if id := f.LastStreamID; id != nil {
		switch {
		case f.impossible() != "":
			say("last stream id %d: %s", *id, f.impossible())
		case *id == maxID:
			say("last stream id 2147483647: the end is announced, no stream is excluded yet")
		case *id == 0:
			say("last stream id 0: none of the connection's requests was processed")
		default:
			say("last stream id %d: %s", *id, carried(*id, f.Code))
		}
	}
	if f.StreamID != nil {
		say("the request's own stream: %d", *f.StreamID)
	}
	if f.Debug != nil {
		if *f.Debug == "" {
			say("no debug data")
		} else {
			say("debug data: %s%s", *f.Debug, debugMeans(*f.Debug))
		}
	}
	if f.GRPC != "" {
		say("gRPC status %s", f.GRPC)
	}
	if f.Curl != nil {
		say("curl's exit number %d", *f.Curl)
	}
	if f.Flags != "" || f.Details != "" {
		say("Envoy: %s", textwrap.Clip(f.Flags+" "+f.Details, 120))
	}
	return out
}

// carried describes what a last-stream-id shows about the connection and its limit. A limit ends a
// connection without an error; after an error the number is arbitrary.
func carried(id uint32, code string) string {
	n, round := requests(id)
	words := fmt.Sprintf("the connection carried %s", numfmt.Things(int(n), "request"))
	if code != "" && code != "NO_ERROR" {
		return words
	}
	switch known := limitWords(n); {
	case known != "":
		return words + "; " + known
	case round:
		return words + ", a round number: a limit of that size, perhaps"
	}
	return words + "; no round number, so rather a reload, the connection's age or idleness than a limit"
}

// debugMeans explains known debug data of servers.
func debugMeans(said string) string {
	switch said {
	case "max_age", "max_idle", "graceful_stop":
		return " (a gRPC server's keepalive settings or its end; no request limit)"
	case "too_many_pings":
		return " (the client's keepalive pings come more often than the server permits)"
	case "too_many_internal_resets", "too_many_resets":
		return " (h2, the Rust library, counted too many reset streams)"
	case "ParseError":
		return " (Envoy with the oghttp2 codec)"
	case "graceful shutdown":
		return " (H2O)"
	}
	return ""
}
