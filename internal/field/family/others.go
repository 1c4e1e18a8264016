package family

func hypercorn() server {
	return server{
		id: "hypercorn", short: "Hypercorn", name: "Hypercorn (Python)", headers: []string{"hypercorn-h2", "hypercorn-h11"},
		settings: []shape{{weight: telling, source: "measured: hypercorn-0.18",
			fields: []field{
				{"HEADER_TABLE_SIZE", 4096, false},
				{"ENABLE_PUSH", 0, false},
				{"INITIAL_WINDOW_SIZE", 65535, false},
				{"MAX_FRAME_SIZE", 16384, false},
				{"ENABLE_CONNECT_PROTOCOL", 1, true},
				{"MAX_CONCURRENT_STREAMS", 100, false},
				{"MAX_HEADER_LIST_SIZE", 65536, false},
			}}},
		clues: []clue{{about: aboutEnding, asked: counted, holds: repeatedGoaway, weight: fair,
			says: "the same GOAWAY several times", source: "measured: hypercorn-0.18"}},
		limits: []limit{{h2, 1001, "Hypercorn's default, keep_alive_max_requests 1000, allows one request more"}},
		find:   "grep -rn 'keep_alive_max_requests' .",
		row: row{"Hypercorn", "1001 (`keep_alive_max_requests` 1000)", "the same GOAWAY several times; closed at once",
			"never answered, those up to its id too", "5 s (`keep_alive_timeout`)", "measured (count)"},
	}
}

func pythonH2() server {
	return server{
		id: "python-h2", short: "Python's h2", name: "Python's h2: Twisted, Daphne (Django Channels), grpclib, …",
		headers: []string{"twistedweb", "daphne"}, quiet: true,
		settings: []shape{{weight: telling, source: "measured: twisted-26",
			fields: []field{
				{"HEADER_TABLE_SIZE", 4096, false},
				{"ENABLE_PUSH", 0, false},
				{"INITIAL_WINDOW_SIZE", 65535, false},
				{"MAX_FRAME_SIZE", 16384, false},
				{"ENABLE_CONNECT_PROTOCOL", 0, true}, // Hypercorn sets 1
				{"MAX_CONCURRENT_STREAMS", 100, false},
				{"MAX_HEADER_LIST_SIZE", 65536, false},
			}}},
		clues: []clue{neverCounted("Twisted, Daphne and grpclib have no limit by count", "measured: twisted-26")},
		idle:  []idleDefault{{60, "60 s is Twisted's default (timeOut of HTTPFactory)"}},
		find:  "grep -rnE 'timeOut|http_timeout' --include='*.py' .",
		row: row{"Python's h2: Twisted, Daphne, grpclib", "none", "only where the program says so", "as the program does",
			"Twisted: 60 s, one GOAWAY, closed later", "measured (count, idle)"},
	}
}

func lighttpd() server {
	return server{
		id: "lighttpd", short: "lighttpd", name: "lighttpd", headers: []string{"lighttpd"},
		settings: []shape{{weight: telling, source: "measured: lighttpd-1.4",
			fields: []field{
				{"MAX_CONCURRENT_STREAMS", 8, false},
				{"INITIAL_WINDOW_SIZE", 65536, false},
				{"MAX_HEADER_LIST_SIZE", 65535, false},
				{"ENABLE_CONNECT_PROTOCOL", 1, false},
				{"NO_RFC7540_PRIORITIES", 1, true},
			}}},
		clues: []clue{neverCounted("lighttpd has no limit by count: server.max-keep-alive-requests is for HTTP/1.1",
			"measured: lighttpd-1.4")},
		find: "grep -rnE 'max-keep-alive-(requests|idle)' /etc/lighttpd",
		row: row{"lighttpd", "none (`server.max-keep-alive-requests` is for HTTP/1.1)", "only at a stop", "–",
			"5 s (`server.max-keep-alive-idle`)", "measured (count, SETTINGS)"},
	}
}

func varnish() server {
	return server{
		id: "varnish", short: "Varnish", name: "Varnish, behind Hitch or another program for TLS",
		headers: []string{"varnish"}, quiet: true, // it passes on its backend's header
		settings: []shape{{weight: fair, source: "measured: varnish-hitch",
			fields: []field{{"MAX_CONCURRENT_STREAMS", 100, false}}}},
		clues: []clue{neverCounted("Varnish has no limit by count", "measured: varnish-hitch")},
		find:  "varnishadm param.show timeout_idle",
		row: row{"Varnish with Hitch", "none", "only at a stop", "–", "5 s (`timeout_idle`)",
			"measured (count, SETTINGS)"},
	}
}

func trafficServer() server {
	return server{
		id: "trafficserver", short: "Traffic Server", name: "Apache Traffic Server", headers: []string{"ats", "apachetrafficserver"},
		settings: []shape{{weight: telling, source: "measured: trafficserver-9.2",
			fields: []field{{"MAX_CONCURRENT_STREAMS", 100, false}, {"MAX_HEADER_LIST_SIZE", 131072, true}}}},
		clues: []clue{neverCounted("Traffic Server has no limit by count", "measured: trafficserver-9.2")},
		find:  "grep -nE 'http2.*timeout' /etc/trafficserver/records.*",
		row: row{"Traffic Server", "none", "only at a stop", "–", "120 s (`proxy.config.http2.no_activity_timeout_in`)",
			"measured (count, SETTINGS)"},
	}
}

func hyper() server {
	return server{
		id: "hyper", short: "Rust's hyper",
		name:    "Rust's hyper or h2, or something built on it (Granian, axum, Actix Web, tonic, Pingora, Linkerd)",
		headers: []string{"granian"}, quiet: true,
		settings: []shape{{weight: telling, source: "measured: granian-2",
			fields: []field{
				{"MAX_CONCURRENT_STREAMS", 200, false},
				{"INITIAL_WINDOW_SIZE", 1 << 20, false},
				{"MAX_FRAME_SIZE", 16384, false},
				{"MAX_HEADER_LIST_SIZE", 16 << 20, false},
			}}, {weight: telling, source: "measured: axum-0.8", // the default of hyper 1.12
			fields: []field{
				{"MAX_CONCURRENT_STREAMS", 200, false},
				{"INITIAL_WINDOW_SIZE", 1 << 20, false},
				{"MAX_FRAME_SIZE", 16384, false},
				{"MAX_HEADER_LIST_SIZE", 16 << 10, false},
			}}, {weight: telling, source: "measured: poem-3",
			fields: []field{
				{"INITIAL_WINDOW_SIZE", 1 << 20, false},
				{"MAX_FRAME_SIZE", 16384, false},
				{"MAX_HEADER_LIST_SIZE", 16 << 10, false},
			}},
			{weight: telling, source: "measured: pingora-0.9",
				fields: []field{{"MAX_CONCURRENT_STREAMS", 100, false}, {"MAX_HEADER_LIST_SIZE", 1 << 16, true}}},
			{weight: fair, source: "measured: actix-4", fields: []field{{"INITIAL_WINDOW_SIZE", 1 << 20, true}}},
			{weight: fair, source: "measured: rust-h2-refuses", fields: []field{}}},
		find: "grep -rnE 'graceful_shutdown|max_connection_age|keep_alive' --include='*.rs' .",
		row: row{"Rust's hyper", "none; a program may count", "only where the program says so", "as the program does", "none by default",
			"measured (count, SETTINGS)"},
	}
}

// repeatedGoaway reports whether the server sent one GOAWAY several times.
func repeatedGoaway(e endpoint) bool {
	g := e.Ending.Goaways
	return len(g) > 2 && g[0].LastStreamID == g[len(g)-1].LastStreamID
}
