package family

func nghttpd() server {
	return server{
		id: "nghttpd", short: "nghttpd", name: "nghttpd, or another server on libnghttp2 (Unbound, BIND)", headers: []string{"nghttpd"},
		settings: []shape{{weight: fair, source: "measured: nghttpd-1.52",
			fields: []field{{"MAX_CONCURRENT_STREAMS", 100, false}}}},
		clues: []clue{neverCounted("nghttpd has no limit by count", "measured: nghttpd-1.52")},
		row:   row{"libnghttp2: nghttpd, Unbound, BIND", "none", "only at a stop", "–", "not measured", "measured (count, SETTINGS)"},
	}
}
