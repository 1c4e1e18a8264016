package family

// Servers that are libraries of a program, of which SETTINGS are known and little else.

func ntex() server {
	return server{
		id: "ntex", short: "ntex", name: "ntex (Rust)", quiet: true,
		settings: []shape{{weight: telling, source: "measured: ntex-2",
			fields: []field{
				{"ENABLE_PUSH", 0, true},
				{"MAX_CONCURRENT_STREAMS", 256, false},
				{"MAX_HEADER_LIST_SIZE", 49152, false},
			}}},
		clues: []clue{neverCounted("ntex has no limit by count", "measured: ntex-2")},
		find:  "grep -rnE 'keep_alive|disconnect_timeout' --include='*.rs' .",
		row:   row{"ntex", "none", "only where the program says so", "–", notMeasured, "measured (count, SETTINGS)"},
	}
}

func fastHTTP() server {
	return server{
		id: "fasthttp2", short: "fasthttp with dgrr/http2", name: "fasthttp with dgrr/http2 (Go)", quiet: true,
		settings: []shape{{weight: telling, source: "measured: fasthttp2-0.3",
			fields: []field{
				{"HEADER_TABLE_SIZE", 4096, false},
				{"MAX_CONCURRENT_STREAMS", 1024, false},
				{"INITIAL_WINDOW_SIZE", 1 << 22, false},
				{"MAX_FRAME_SIZE", 16384, false},
			}}},
		clues: []clue{neverCounted("dgrr/http2 has no limit by count", "measured: fasthttp2-0.3")},
		find:  "grep -rnE 'IdleTimeout|MaxConcurrentStreams' --include='*.go' .",
		row:   row{"fasthttp with dgrr/http2", "none", notMeasured, "–", notMeasured, "measured (count, SETTINGS)"},
	}
}

func libwebsockets() server {
	return server{
		id: "libwebsockets", short: "libwebsockets", name: "libwebsockets (C)", headers: []string{"libwebsockets"}, quiet: true,
		settings: []shape{{weight: telling, source: "measured: libwebsockets-4.1",
			fields: []field{
				{"HEADER_TABLE_SIZE", 65536, false},
				{"ENABLE_PUSH", 0, true},
				{"MAX_CONCURRENT_STREAMS", 24, false},
				{"INITIAL_WINDOW_SIZE", 0, false},
				{"MAX_HEADER_LIST_SIZE", 4096, false},
				{"ENABLE_CONNECT_PROTOCOL", 1, true},
			}}},
		row: row{"libwebsockets 4.1", "none; after some 8180 answers its WINDOW_UPDATEs exceed 2^31 − 1, and clients end the connection",
			notMeasured, "–", notMeasured, "measured (h2load and the probe end at the same answer)"},
	}
}
