package family

// grpcAge is what gRPC's servers do at the limits that their options set.
const grpcAge = "GOAWAY 2^31 − 1 with the text \"max_age\", then the last stream id"

func grpcGo() server {
	frame, streams := field{"MAX_FRAME_SIZE", 16384, true}, field{"MAX_CONCURRENT_STREAMS", 100, false}
	return server{
		id: "grpc-go", short: "grpc-go", name: "a gRPC server in Go (grpc-go)", grpc: true, quiet: true,
		settings: []shape{
			{weight: telling, source: "measured: grpc-go-none", fields: []field{frame}},
			{weight: telling, source: "grpc-go internal/transport/http2_server.go", fields: []field{frame, streams}},
		},
		clues: []clue{grpcDebug("measured: grpc-go-age-2s")},
		find:  "grep -rnE 'MaxConnection(Age|Idle)' --include='*.go' .",
		row: row{"gRPC in Go", "none", "at `MaxConnectionAge`: " + grpcAge, "answered until the second GOAWAY",
			"`MaxConnectionIdle`: GOAWAY \"max_idle\"", "measured (age); gRFC A9"},
	}
}

func grpcJava() server {
	return server{
		id: "grpc-java", short: "grpc-java", name: "a gRPC server in Java (grpc-java)", grpc: true, quiet: true,
		settings: []shape{{weight: telling, source: "measured: grpc-java-age-2s",
			fields: []field{
				{"MAX_CONCURRENT_STREAMS", 1<<31 - 1, true},
				{"INITIAL_WINDOW_SIZE", 1 << 20, false},
				{"MAX_HEADER_LIST_SIZE", 8192, false},
			}}},
		clues: []clue{grpcDebug("measured: grpc-java-age-2s")},
		find:  "grep -rnE 'maxConnection(Age|Idle)' --include='*.java' --include='*.kt' .",
		row: row{"gRPC in Java", "none", "at `maxConnectionAge`: " + grpcAge, "answered until the second GOAWAY",
			"`maxConnectionIdle`: GOAWAY \"max_idle\"", "measured (age); gRFC A9"},
	}
}

func grpcCore() server {
	return server{
		id: "grpc-core", short: "gRPC's C++ core", name: "a gRPC server on the C++ core (C++, Python, Ruby, PHP, C#)",
		grpc: true, quiet: true,
		settings: []shape{{weight: proof, source: "measured: grpc-python-none",
			fields: []field{
				{"INITIAL_WINDOW_SIZE", 4 << 20, false},
				{"MAX_FRAME_SIZE", 4 << 20, false},
				{"MAX_HEADER_LIST_SIZE", 16384, false},
				{"0xfe03", 1, true}, // GRPC_ALLOW_TRUE_BINARY_METADATA
			}}},
		find: "grep -rnE 'max_connection_(age|idle)' .",
		row: row{"gRPC on the C++ core", "none", "at `grpc.max_connection_age_ms`: " + grpcAge,
			"answered until the second GOAWAY", "after one to two times `grpc.max_connection_idle_ms`: GOAWAY INTERNAL_ERROR \"connection idle\"",
			"measured (SETTINGS, idle); gRFC A9"},
	}
}

// grpcDebug is the word of gRPC in a GOAWAY. weighAll holds it against all other families.
func grpcDebug(source string) clue {
	return clue{about: aboutEnding, asked: graceful, weight: telling, says: "a GOAWAY has a text of gRPC's servers",
		against: telling, denies: "gRPC's servers say in a GOAWAY why they end a connection",
		holds: func(e endpoint) bool { return grpcWord(e) != "" }, source: source}
}
