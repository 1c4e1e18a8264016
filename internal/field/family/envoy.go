package family

import (
	"h2lab/internal/facts"
	"h2lab/internal/field/cure"
)

func envoy() server {
	return server{
		id: "envoy", short: "Envoy", name: "Envoy, or something built on it (Istio, Contour, Envoy Gateway, …)",
		headers: []string{"envoy", "istio-envoy"},
		settings: []shape{{weight: proof, source: "measured: envoy-none",
			fields: []field{
				{"HEADER_TABLE_SIZE", 4096, false},
				{"ENABLE_CONNECT_PROTOCOL", 0, false},
				{"MAX_CONCURRENT_STREAMS", 1024, false},
				{"INITIAL_WINDOW_SIZE", 16 << 20, false},
			}}},
		clues: []clue{
			{about: aboutEnding, asked: graceful, holds: endedBy(facts.EndedByTwoStages), weight: fair,
				says:    "a GOAWAY of 2^31 − 1 announces the end",
				against: telling, denies: "Envoy gives notice first (GOAWAY 2^31 − 1)", source: "measured: envoy-500"},
			{about: aboutCrossing, asked: lateOnesSent, holds: lateOnesServed, weight: weak,
				says: "streams sent during the drain are answered", source: "measured: envoy-500"},
			{about: aboutClose, asked: twoStageClose, holds: func(e facts.Endpoint) bool {
				return takes(afterLast(e.Ending), 1000)
			}, weight: fair,
				says:   "the connection is closed a second after the final GOAWAY (delayed_close_timeout)",
				source: "measured: envoy-500"},
			{about: aboutIdle, asked: idleAnnounced, holds: idleBy(facts.EndedByTwoStages), weight: proof,
				says:    "an unused connection is drained as well: GOAWAY 2^31 − 1, then the real id",
				against: telling, denies: "Envoy drains an unused connection with two GOAWAYs",
				source: "measured: envoy-none"},
		},
		idle: []idleDefault{{3600, "1 h is Envoy's default (idle_timeout)"}},
		find: cure.Show(cure.Envoy),
		row: row{"Envoy, Istio", "none (`max_requests_per_connection`)",
			"GOAWAY 2^31 − 1, after `drain_timeout` (5 s) the real id; closed 1 s later",
			"answered until the second GOAWAY", "1 h: the same two GOAWAYs",
			"measured; conn_manager_impl.cc, startDrainSequence()"},
	}
}

func twoStageClose(e facts.Endpoint) bool {
	return wasClosed(e) && e.Ending.How == facts.EndedByTwoStages && len(e.Ending.Goaways) > 1
}
