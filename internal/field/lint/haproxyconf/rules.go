package haproxyconf

import "h2lab/internal/field/lint"

const (
	manual    = "HAProxy configuration manual, "
	mux       = "haproxy src/mux_h2.c"
	goawayDoc = "https://github.com/haproxy/haproxy/issues/3414; https://github.com/haproxy/haproxy/issues/557; " +
		"docs/lint-others.md"
)

var (
	limitSet = lint.Rule{
		ID:       "haproxy/limit",
		Severity: lint.Warning,
		Title:    "a limit on requests per connection",
		Help: "HAProxy has no limit of its own. With one it sends GOAWAY that names an id in the future, so nothing " +
			"in flight is lost, but a client that multiplexes dials anew at each renewal, once for every request " +
			"that waits. Remove it: 0 is the default and means no limit.",
		Docs: mux + ", h2_fe_max_total_streams",
	}
	limitUnknown = lint.Rule{
		ID:       "haproxy/limit-unknown",
		Severity: lint.Error,
		Title:    "a keyword that this HAProxy doesn't know",
		Help: "tune.h2.fe.max-total-streams came with HAProxy 3.0; tune.h2.fe. and tune.h2.be. with 2.8. An older " +
			"one refuses the file.",
		Docs: manual + "section 3.2",
	}
	notNumber = lint.Rule{
		ID:       "haproxy/not-a-number",
		Severity: lint.Warning,
		Title:    "a number that HAProxy reads as 0",
		Help: "HAProxy reads tune.h2 values up to the first character that is no digit, and prints no warning. 0 means " +
			"no limit, or the default.",
		Docs: mux + ", h2_parse_max_total_streams",
	}
	idleShort = lint.Rule{
		ID:       "haproxy/idle-short",
		Severity: lint.Warning,
		Title:    "a pause of seconds ends the connection",
		Help: "Between two bursts every HTTP/2 connection is closed, and the next burst begins with a dial for each " +
			"of its requests. Below 10 s this is a warning, below 60 s a note. Keep idle connections for 60 s or more: " +
			"one of HTTP/2 replaces many of HTTP/1.1.",
		Docs: manual + "timeout http-keep-alive; " + mux + ", h2c_update_timeout",
	}
	requestIdles = lint.Rule{
		ID:       "haproxy/http-request-idles",
		Severity: lint.Warning,
		Title:    "timeout http-request ends idle connections",
		Help: "Without timeout http-keep-alive, timeout http-request ends idle connections; it is set to seconds " +
			"against slow clients. Below 10 s this is a warning, below 60 s a note. Set timeout http-keep-alive 60s.",
		Docs: manual + "timeout http-keep-alive; " + mux + ", h2c_update_timeout",
	}
	idleNever = lint.Rule{
		ID:       "haproxy/idle-never",
		Severity: lint.Warning,
		Title:    "idle connections are never closed",
		Help: "Without timeout client, timeout http-request and timeout http-keep-alive a connection whose other end " +
			"is gone stays.",
		Docs: manual + "timeout client",
	}
	streamsLow = lint.Rule{
		ID:       "haproxy/streams-low",
		Severity: lint.Warning,
		Title:    "fewer streams than requests in flight",
		Help: "A client with more requests than HAProxy allows at once waits or opens more connections. RFC 9113 " +
			"section 6.5.2 recommends at least 100.",
		Docs: manual + "tune.h2.fe.max-concurrent-streams",
	}
	closeOption = lint.Rule{
		ID:       "haproxy/close-without-effect",
		Severity: lint.Note,
		Title:    "an option that ends HTTP/1 connections only",
		Help: "option httpclose and option http-server-close end HTTP/1 connections. HTTP/2 connections stay open, on " +
			"both sides.",
		Docs: manual + "option httpclose; docs/lint-others.md",
	}
	noH2 = lint.Rule{
		ID:       "haproxy/no-h2",
		Severity: lint.Note,
		Title:    "HTTP/2 is not offered",
		Help: "Over TLS a client gets HTTP/2 only when alpn lists h2. HAProxy 2.8 and newer list it unless told " +
			"otherwise, older ones don't.",
		Docs: manual + "section 5.1, alpn",
	}
	connectionsLow = lint.Rule{
		ID:       "haproxy/connections-low",
		Severity: lint.Warning,
		Title:    "fewer new connections than a stampede brings",
		Help: "At a renewal or a restart every request of a client may open a connection of its own. Above the limit " +
			"connections wait to be accepted, and their requests with them.",
		Docs: manual + "maxconn, maxsslconn, maxsslrate, rate-limit sessions",
	}
	upstreamGoaway = lint.Rule{
		ID:       "haproxy/upstream-goaway",
		Severity: lint.Warning,
		Title:    "an upstream's GOAWAY becomes a refused request",
		Help: "At nginx's 1000th request (keepalive_requests) requests on their way are lost. HAProxy answers an HTTP/2 " +
			"client with REFUSED_STREAM and logs nothing. With retry-on a few remain; with max-reuse below the " +
			"server's limit none does.",
		Docs: goawayDoc,
	}
	reuseHigh = lint.Rule{
		ID:       "haproxy/max-reuse-high",
		Severity: lint.Note,
		Title:    "HAProxy renews no earlier than nginx would",
		Help: "max-reuse saves requests only below the server's own limit, which is 1000 for nginx " +
			"(keepalive_requests) and 100 for ingress-nginx before 1.6.",
		Docs: manual + "section 5.2, max-reuse",
	}
	reuseNever = lint.Rule{
		ID:       "haproxy/reuse-never",
		Severity: lint.Warning,
		Title:    "connections to servers are not shared",
		Help: "http-reuse never keeps each client's connections to itself: more connections to the servers, and " +
			"more renewals.",
		Docs: manual + "http-reuse",
	}
	poolEmpty = lint.Rule{
		ID:       "haproxy/pool-empty",
		Severity: lint.Error,
		Title:    "no connection to a server is kept",
		Help:     "pool-max-conn 0 and max-reuse 0 make a connection, and a TLS handshake, for every request.",
		Docs:     manual + "section 5.2, pool-max-conn; docs/lint-others.md",
	}
	poolLow = lint.Rule{
		ID:       "haproxy/pool-low",
		Severity: lint.Warning,
		Title:    "fewer idle connections than requests in flight",
		Help: "Connections above pool-max-conn are closed as soon as they are idle, and the next burst " +
			"dials them again.",
		Docs: manual + "section 5.2, pool-max-conn",
	}
)

// Rules lists all rules of this package.
var Rules = []lint.Rule{
	limitSet, limitUnknown, notNumber, idleShort, requestIdles, idleNever, streamsLow, closeOption, noH2,
	connectionsLow, upstreamGoaway, reuseHigh, reuseNever, poolEmpty, poolLow,
}
