package family

import (
	"h2lab/internal/facts"
)

func nghttpx() server {
	return server{
		id: "nghttpx", short: "nghttpx", name: "nghttpx",
		headers: []string{"nghttpx"},
		settings: []shape{{weight: proof, source: "measured: nghttpx-1.52-none",
			fields: []field{
				{"MAX_CONCURRENT_STREAMS", 100, false},
				{"INITIAL_WINDOW_SIZE", 65535, false},
				{"NO_RFC7540_PRIORITIES", 1, true},
				{"ENABLE_CONNECT_PROTOCOL", 1, true},
			}}},
		clues: []clue{
			{about: aboutEnding, asked: graceful, holds: endedBy(facts.EndedByTwoStages), weight: fair,
				says:    "a GOAWAY of 2^31 − 1 announces the end",
				against: telling, denies: "nghttpx gives notice first (GOAWAY 2^31 − 1)",
				source: "measured: nghttpx-1.52-300"},
			{about: aboutClose, asked: wasClosed, holds: func(e facts.Endpoint) bool {
				return e.Ending.How == facts.EndedByTwoStages && takes(*e.Ending.CloseMS, 2000)
			}, weight: fair,
				says:   "the connection is closed two seconds after the first GOAWAY",
				source: "measured: nghttpx-1.52-300"},
			{about: aboutCrossing, asked: lateOnesSent, holds: lateOnesServed, weight: weak,
				says: "streams sent after the GOAWAY, below its id, are answered", source: "measured: nghttpx-1.52-300"},
			{about: aboutIdle, asked: idleSeen, holds: idleBy(facts.EndedByClose), weight: fair,
				says:    "an unused connection is closed without a GOAWAY",
				against: telling, denies: "nghttpx closes an unused connection without a GOAWAY",
				source: "measured: nghttpx-1.52-none"},
		},
		idle: []idleDefault{{180, "3 minutes is nghttpx's default"}},
		find: "grep -rn 'frontend-max-requests' /etc/nghttpx",
		row: row{"nghttpx", "none (`frontend-max-requests`)", "GOAWAY 2^31 − 1, 2 s later the real id; closed at once",
			"answered until the second GOAWAY",
			"3 min: closed without a GOAWAY", "measured"},
	}
}
