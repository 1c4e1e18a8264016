package family

import "strings"

func helidon() server {
	return server{
		id: "helidon", short: "Helidon", name: "Helidon 4 (Java)", quiet: true,
		settings: []shape{{weight: telling, source: "measured: helidon-4.2", anyOrder: true, // Java's Map.of has no order
			fields: []field{
				{"ENABLE_PUSH", 0, true},
				{"MAX_CONCURRENT_STREAMS", 8192, false},
				{"INITIAL_WINDOW_SIZE", 1 << 20, false},
				{"MAX_HEADER_LIST_SIZE", 8192, false},
			}}},
		clues: []clue{neverCounted("Helidon has no limit by count", "measured: helidon-4.2")},
		find:  "grep -rnE 'idle-connection-timeout|idleConnectionTimeout' .",
		row: row{"Helidon", "none", "only at a stop", "–", "still open at three times `idle-connection-timeout`",
			"measured (count, idle, SETTINGS)"},
	}
}

func httpCore() server {
	return server{
		id: "httpcore", short: "Apache HttpCore", name: "Apache HttpComponents Core 5 (Java)", headers: []string{"apache-httpcore"},
		settings: []shape{
			{weight: telling, source: "measured: httpcore-5.4",
				fields: []field{
					{"HEADER_TABLE_SIZE", 8192, false},
					{"MAX_CONCURRENT_STREAMS", 250, false},
					{"INITIAL_WINDOW_SIZE", 65535, false},
					{"MAX_FRAME_SIZE", 65536, false},
					{"MAX_HEADER_LIST_SIZE", 1<<24 - 1, false},
				}},
			{weight: telling, source: "measured: httpcore-5.3",
				fields: []field{
					{"HEADER_TABLE_SIZE", 8192, false},
					{"ENABLE_PUSH", 1, false},
					{"MAX_CONCURRENT_STREAMS", 250, false},
					{"INITIAL_WINDOW_SIZE", 65535, false},
					{"MAX_FRAME_SIZE", 65536, false},
					{"MAX_HEADER_LIST_SIZE", 1<<24 - 1, false},
				}},
		},
		clues: []clue{
			neverCounted("HttpCore has no limit by count", "measured: httpcore-5.4"),
			{about: aboutIdle, asked: idleAnnounced, holds: func(e endpoint) bool {
				return strings.HasPrefix(e.Idle.Ending.Goaways[0].Debug, "Timeout due to inactivity")
			}, weight: proof,
				says:    `an unused connection gets a GOAWAY with the text "Timeout due to inactivity"`,
				against: telling, denies: `HttpCore ends an unused connection by a GOAWAY with the text "Timeout due to inactivity"`,
				source: "measured: httpcore-5.4"},
		},
		find: "grep -rn 'setSoTimeout' --include='*.java' .",
		row: row{"Apache HttpCore 5", "none", "only at a stop", "–",
			"`soTimeout`: GOAWAY \"Timeout due to inactivity\", closed at once", "measured (count, idle)"},
	}
}

func grizzly() server {
	return server{
		id: "grizzly", short: "Grizzly", name: "Grizzly, or something built on it (GlassFish, Payara, Jersey)", quiet: true,
		settings: []shape{{weight: fair, source: "measured: grizzly-4.0",
			fields: []field{{"MAX_HEADER_LIST_SIZE", 4096, false}}}},
		clues: []clue{neverCounted("Grizzly has no limit by count over HTTP/2: KeepAlive.maxRequestsCount is for HTTP/1.1",
			"measured: grizzly-4.0")},
		find: "grep -rniE 'max-?connections|timeout-seconds' domain.xml",
		row: row{"Grizzly: GlassFish, Payara", "none (`maxRequestsCount` is for HTTP/1.1)", "only at a stop", "–", "not measured",
			"measured (count, SETTINGS)"},
	}
}
