package family

import (
	"h2lab/internal/facts"
	"h2lab/internal/field/cause"
)

func golang() server {
	return server{
		fixedSettings: true, // serve() writes them in a fixed order
		id:            "go", short: "Go's net/http",
		name:     "Go's net/http, or something built on it (Caddy, Traefik, kube-apiserver, …)",
		headers:  []string{"caddy", "traefik"},
		settings: goSettings(),
		clues: []clue{
			{about: aboutEnding, asked: graceful, holds: endedBy(facts.EndedByGoaway), weight: weak,
				says:    "one GOAWAY with the newest stream that the server had read",
				against: proof, denies: "Go sends one GOAWAY, with the newest stream that it has read",
				source: "measured: go-1.26-400"},
			{about: aboutEnding, asked: counted, holds: takenByTheWay, weight: weak,
				says: "with many in flight the GOAWAY's last-stream-id lies above the limit: it is the newest stream " +
					"that the server had read",
				source: "measured: go-1.26-400"},
			{about: aboutCrossing, asked: lateOnesSent, holds: lateOnesDropped, weight: weak,
				says:    "streams sent after the GOAWAY are never answered",
				against: telling, denies: "Go discards what is sent after the GOAWAY; this server answered",
				source: "measured: go-1.26-400"},
			{about: aboutClose, asked: wasClosed, holds: func(e facts.Endpoint) bool {
				return takes(afterLast(e.Ending), 1000)
			}, weight: fair,
				says:   "the connection is closed a second after the GOAWAY (goAwayTimeout)",
				source: "measured: go-1.26-400"},
			{about: aboutIdle, asked: idleAnnounced, holds: idleOneStage(1), weight: weak,
				says:    "an unused connection gets one GOAWAY without a text and is closed",
				against: telling, denies: "Go ends an unused connection by one GOAWAY without a text",
				source: "measured: caddy-2.6"},
			{about: aboutIdle, asked: idleAnnounced, holds: idleClosedAfter(1000), weight: fair,
				says:   "an unused connection is closed a second after its GOAWAY (goAwayTimeout)",
				source: "measured: go-1.26-none"},
		},
		idle: []idleDefault{
			{300, "5 minutes is Caddy's default (idle_timeout)"},
			{180, "3 minutes is Traefik's default (respondingTimeouts.idleTimeout)"},
		},
		quiet: true,
		find: "grep -rnE 'keepAliveMax(Requests|Time)|goaway-chance' /etc/traefik /etc/kubernetes/manifests " +
			"2>/dev/null",
		row: row{"Go net/http: Caddy, Traefik, kube-apiserver",
			"none; a handler that sets `Connection: close` (Traefik `keepAliveMaxRequests`, kube-apiserver " +
				"`--goaway-chance`)",
			"one GOAWAY with the newest stream that was read; closed 1 s after the last answer", "never answered",
			"as configured (`IdleTimeout`; Caddy 5 min): GOAWAY, closed 1 s later",
			"measured; h2_bundle.go, serve(), goAway(), goAwayTimeout"},
	}
}

// goSettings are the frames of several versions of Go and of golang.org/x/net: older ones have no HEADER_TABLE_SIZE,
// ENABLE_CONNECT_PROTOCOL appears with GODEBUG=http2xconnect=1, and newer ones of x/net, which a program may have beside
// Go's own, ignore the priorities of RFC 7540.
func goSettings() []shape {
	base := []field{
		{"MAX_FRAME_SIZE", 1 << 20, false},
		{"MAX_CONCURRENT_STREAMS", 250, false},
		{"MAX_HEADER_LIST_SIZE", 1<<20 + 320, false},
	}
	table, window := field{"HEADER_TABLE_SIZE", 4096, false}, field{"INITIAL_WINDOW_SIZE", 1 << 20, false}
	connect, priorities := field{"ENABLE_CONNECT_PROTOCOL", 1, true}, field{"NO_RFC7540_PRIORITIES", 1, true}
	with := func(more ...field) []field { return append(append([]field{}, base...), more...) }
	return []shape{
		{weight: proof, source: "measured: go-1.26-none", fields: with(table, window)},
		{weight: proof, source: "measured: caddy-2.6", fields: with(window)},
		{weight: proof, source: "go1.26.8 net/http/h2_bundle.go, serve()", fields: with(table, window, connect)},
		{weight: proof, source: "measured: go-xnet-none", fields: with(table, window, priorities)},
		{weight: proof, source: "golang.org/x/net v0.62.0 http2/server.go, serve()",
			fields: with(table, window, connect, priorities)},
	}
}

// takenByTheWay reports whether a connection with many requests in flight got more of them than one
// that sent its requests one at a time.
func takenByTheWay(e facts.Endpoint) bool {
	c := cause.Of(e)
	return e.Ending != nil && e.Ending.How == facts.EndedByGoaway && len(e.Ending.Goaways) > 0 && c.Requests != nil &&
		int64(e.Ending.Goaways[0].LastStreamID) > 2*int64(*c.Requests)-1
}
