package envoyconf

import "h2lab/internal/field/lint"

const (
	protoDocs  = "envoy.config.core.v3.HttpProtocolOptions (go-control-plane v1.40.0, config/core/v3/protocol.proto)"
	http2Docs  = "envoy.config.core.v3.Http2ProtocolOptions (go-control-plane v1.40.0, config/core/v3/protocol.proto)"
	hcmDocs    = "envoy.extensions.filters.network.http_connection_manager.v3 (go-control-plane v1.40.0)"
	goawayDocs = "docs/clients.md, envoy-as-client; https://github.com/envoyproxy/envoy/issues/36450"
	rfcGoaway  = "https://www.rfc-editor.org/rfc/rfc9113.html#section-6.8"
)

var (
	limitSet = lint.Rule{
		ID:       "envoy/limit",
		Severity: lint.Warning,
		Title:    "a limit on requests per connection",
		Help: "Envoy has no limit of its own. With one it announces the end of the connection in two stages, so " +
			"nothing in flight is lost, but a client that multiplexes dials anew at each renewal, once for every " +
			"request that waits. Take it out, or let age end connections, with jitter.",
		Docs: protoDocs,
	}
	drainZero = lint.Rule{
		ID:       "envoy/drain-short",
		Severity: lint.Warning,
		Title:    "hardly any time between the two GOAWAYs",
		Help: "drain_timeout is the time in which Envoy still takes requests after its first GOAWAY. Under a round " +
			"trip it isn't two-stage any more: what the client had sent is dropped. Leave it at 5 s.",
		Docs: hcmDocs + ", drain_timeout; " + rfcGoaway,
	}
	ageShort = lint.Rule{
		ID:       "envoy/age-short",
		Severity: lint.Warning,
		Title:    "connections end after a short time, whatever they carry",
		Help: "max_connection_duration ends a connection at that age, in two stages: nothing in flight is lost, but each " +
			"client dials again that often, once for every request that waits. Below a minute this is a warning, below 5 " +
			"minutes a note. Give an hour and jitter, or leave it out.",
		Docs: protoDocs + ", max_connection_duration",
	}
	ageTogether = lint.Rule{
		ID:       "envoy/age-without-jitter",
		Severity: lint.Warning,
		Title:    "connections opened together end together",
		Help: "max_connection_duration without jitter ends the connections of a deployment or a stampede at the same " +
			"instant, and their clients dial at the same instant. Add max_connection_duration_jitter (Envoy 1.39).",
		Docs: protoDocs + ", max_connection_duration_jitter",
	}
	idleZero = lint.Rule{
		ID:       "envoy/idle-never",
		Severity: lint.Warning,
		Title:    "idle connections are never closed",
		Help: "idle_timeout 0 keeps connections whose other end is gone until the kernel notices. Leave it at the " +
			"default of one hour.",
		Docs: protoDocs + ", idle_timeout",
	}
	idleShort = lint.Rule{
		ID:       "envoy/idle-short",
		Severity: lint.Warning,
		Title:    "a pause of seconds ends the connection",
		Help: "Between two bursts every connection is closed, and the next burst begins with a dial for each of its " +
			"requests. PINGs don't help. Below 10 s this is a warning, below 60 s a note. The default is one hour.",
		Docs: protoDocs + ", idle_timeout",
	}
	closeNow = lint.Rule{
		ID:       "envoy/delayed-close-zero",
		Severity: lint.Warning,
		Title:    "the socket is closed without waiting for the client",
		Help: "With delayed_close_timeout 0 bytes that the client still sends meet a closed socket, and the reset " +
			"can take the last answer with it. Leave it at 1 s.",
		Docs: hcmDocs + ", delayed_close_timeout",
	}
	streamsLow = lint.Rule{
		ID:       "envoy/streams-low",
		Severity: lint.Warning,
		Title:    "fewer streams than requests in flight",
		Help: "A client with more requests than max_concurrent_streams waits or opens more connections. RFC 9113 " +
			"section 6.5.2 recommends at least 100.",
		Docs: http2Docs + ", max_concurrent_streams",
	}
	resetBucket = lint.Rule{
		ID:       "envoy/reset-bucket",
		Severity: lint.Warning,
		Title:    "fewer stream resets than nghttp2 allows by default",
		Help: "nghttp2 allows each connection 1000 RST_STREAM frames and 33 more a second; above that it ends the " +
			"connection with GOAWAY INTERNAL_ERROR. Clients that cancel requests reach a lower number. Leave " +
			"stream_reset_burst and stream_reset_rate unset, or raise them (Envoy 1.39).",
		Docs: http2Docs + ", stream_reset_burst",
	}
	floodLow = lint.Rule{
		ID:       "envoy/flood-guard-low",
		Severity: lint.Warning,
		Title:    "a flood guard below its default",
		Help: "Envoy ends the connection, with every request on it, when a guard trips. Below the defaults ordinary " +
			"clients trip them.",
		Docs: http2Docs,
	}
	noALPN = lint.Rule{
		ID:       "envoy/no-h2",
		Severity: lint.Note,
		Title:    "HTTP/2 is not offered",
		Help:     "Over TLS a client gets HTTP/2 only when alpn_protocols lists h2.",
		Docs:     "envoy.extensions.transport_sockets.tls.v3.CommonTlsContext, alpn_protocols",
	}
	onlyH2 = lint.Rule{
		ID:       "envoy/h2-without-alpn",
		Severity: lint.Error,
		Title:    "only HTTP/2 is understood, and not offered",
		Help: "codec_type HTTP2 takes nothing else, but ALPN doesn't say so: clients speak HTTP/1.1 and fail. Add " +
			"alpn_protocols: [h2], or use codec_type AUTO.",
		Docs: hcmDocs + ", codec_type",
	}
	upstreamGoaway = lint.Rule{
		ID:       "envoy/upstream-goaway",
		Severity: lint.Warning,
		Title:    "an upstream's GOAWAY becomes a 503",
		Help: "An upstream that ends connections in one stage (nginx after keepalive_requests or at a reload, Go, " +
			"Traefik, Caddy) drops what is in flight above the id it names. Envoy doesn't send those requests again " +
			"unless a retry policy says so. Renew below the upstream's limit, or retry on refused-stream.",
		Docs: goawayDocs,
	}
	retriesFew = lint.Rule{
		ID:       "envoy/retries-few",
		Severity: lint.Warning,
		Title:    "fewer retries at once than a renewal needs",
		Help: "A renewal refuses every request in flight at one instant. The circuit breaker lets max_retries of " +
			"them through, 3 by default, and answers the others with 503.",
		Docs: goawayDocs + ", envoy-retry-refused; envoy.config.cluster.v3.CircuitBreakers",
	}
	upstreamHigh = lint.Rule{
		ID:       "envoy/upstream-limit-high",
		Severity: lint.Note,
		Title:    "Envoy renews no earlier than nginx would",
		Help: "max_requests_per_connection on a cluster saves requests only below the upstream's own limit, which is " +
			"1000 for nginx (keepalive_requests) and 100 for ingress-nginx before 1.6.",
		Docs: goawayDocs,
	}
	breakers = lint.Rule{
		ID:       "envoy/breaker-low",
		Severity: lint.Warning,
		Title:    "a circuit breaker below the requests in flight",
		Help: "Requests above max_requests or max_pending_requests are answered with 503 (UO). A renewal queues all " +
			"requests of a connection at once.",
		Docs: "envoy.config.cluster.v3.CircuitBreakers",
	}
	deprecated = lint.Rule{
		ID:       "envoy/deprecated-field",
		Severity: lint.Note,
		Title:    "a deprecated field of the cluster",
		Help: "HTTP options of a cluster stand in typed_extension_protocol_options, " +
			"envoy.extensions.upstreams.http.v3.HttpProtocolOptions.",
		Docs: "envoy.config.cluster.v3.Cluster",
	}
	noPing = lint.Rule{
		ID:       "envoy/upstream-no-ping",
		Severity: lint.Note,
		Title:    "a dead upstream connection is noticed late",
		Help: "One HTTP/2 connection carries all requests to a host. When a firewall forgets it, they wait for their " +
			"timeouts, unless connection_keepalive sends PINGs.",
		Docs: http2Docs + ", connection_keepalive",
	}
	overloadDrain = lint.Rule{
		ID:       "envoy/overload-goaway",
		Severity: lint.Warning,
		Title:    "overload ends connections",
		Help: "Under overload these answer requests with GOAWAY or a close: every client dials again, and the " +
			"handshakes come on top of the overload.",
		Docs: "envoy.config.overload.v3.OverloadManager",
	}
)

// Rules lists all rules of this package.
var Rules = []lint.Rule{
	limitSet, drainZero, ageShort, ageTogether, idleZero, idleShort, closeNow, streamsLow, resetBucket, floodLow, noALPN, onlyH2,
	upstreamGoaway, retriesFew, upstreamHigh, breakers, deprecated, noPing, overloadDrain,
}
