package cure

// Pings is what to change where a server ends connections because of the client's keepalive pings
// (gRPC: GOAWAY ENHANCE_YOUR_CALM, too_many_pings). The client's interval must not be shorter than
// the server's minimum, 5 minutes by default (grpc: doc/keepalive.md).
func Pings() []Change {
	const why = "a server that permits a ping each 5 minutes (gRPC's default) ends connections that ping more often"
	return []Change{
		{For: "a gRPC client in Go", Where: "the call of grpc.NewClient",
			Line: "grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: 6 * time.Minute, Timeout: 20 * time.Second})",
			Why:  why},
		{For: "a gRPC client in Java", Where: "its channel builder", Line: "builder.keepAliveTime(6, TimeUnit.MINUTES)",
			Why: why},
		{For: "a gRPC client in Python, C++, Node or Ruby", Where: "the channel's options",
			Line: `("grpc.keepalive_time_ms", 360000)`, Why: why},
		{For: "a gRPC server in Go", Where: "the call of grpc.NewServer, if the client can't be changed",
			Line: "grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: time.Minute, " +
				"PermitWithoutStream: true})",
			Why: "the shortest interval that the server permits"},
	}
}

// Resets is what to change where a server ends connections because the client resets many streams.
func Resets() []Change {
	return []Change{
		{For: "the client", Where: "its deadlines and cancellations", Line: "fewer cancelled requests, longer deadlines",
			Why: "each cancelled request resets a stream; servers limit resets since CVE-2023-44487"},
		{For: "Envoy ≥ 1.39", Where: "the HttpConnectionManager of the listener",
			Line: "http2_protocol_options: {stream_reset_burst: 100000, stream_reset_rate: 10000}",
			Why:  "nghttp2's defaults are 1000 at once and 33 more each second"},
	}
}

// CircuitBreaker is what to change where Envoy or Istio refuse requests by their own thresholds
// (response flag UO).
func CircuitBreaker() []Change {
	return []Change{
		{For: "Envoy", Where: "the cluster (1024 by default)",
			Line: "circuit_breakers:\n  thresholds:\n  - max_connections: 4096\n    max_pending_requests: 4096\n" +
				"    max_requests: 4096",
			Why: "requests beyond these thresholds are refused at once"},
		{For: "Istio", Where: "the DestinationRule of the host, spec",
			Line: "trafficPolicy:\n  connectionPool:\n    http:\n      http2MaxRequests: 4096\n" +
				"      http1MaxPendingRequests: 4096",
			Why: "Istio writes Envoy's thresholds from it"},
	}
}

// Streams is what to change where a server refuses streams because too many are open at once.
func Streams() []Change {
	const why = "the server refuses streams beyond this number on one connection"
	return []Change{
		{For: "nginx", Where: "http{} or server{} (128 by default)", Line: "http2_max_concurrent_streams 256;", Why: why},
		{For: "Envoy", Where: "the HttpConnectionManager of the listener",
			Line: "http2_protocol_options: {max_concurrent_streams: 1024}", Why: why},
	}
}
