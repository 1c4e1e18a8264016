package family

import (
	"h2lab/internal/facts"
	"h2lab/internal/field/cure"
)

func tomcat() server {
	return server{
		id: "tomcat", short: "Tomcat", name: "Tomcat, or something built on it (Spring Boot)",
		headers: []string{"apache-coyote"}, // until 8.0; later ones write no Server header
		settings: []shape{{weight: fair, source: "measured: tomcat-11",
			fields: []field{{"MAX_CONCURRENT_STREAMS", 100, false}}}},
		clues:  []clue{neverCounted("Tomcat has no limit by count: maxKeepAliveRequests is for HTTP/1.1", "measured: tomcat-11")},
		limits: []limit{{h1, 100, "100 is Tomcat's default (maxKeepAliveRequests)"}},
		quiet:  true,
		find:   "grep -rnE 'maxKeepAliveRequests|keepAliveTimeout' /etc/tomcat* /opt/tomcat/conf 2>/dev/null",
		row: row{"Tomcat", "none (`maxKeepAliveRequests` is for HTTP/1.1)", "only at a stop", "–",
			"20 s (`keepAliveTimeout`)", "measured (count, SETTINGS)"},
	}
}

func jetty() server {
	return server{
		id: "jetty", short: "Jetty", name: "Jetty", headers: []string{"jetty"},
		settings: []shape{{weight: telling, source: "measured: jetty-12",
			fields: []field{
				{"MAX_CONCURRENT_STREAMS", 128, false},
				{"INITIAL_WINDOW_SIZE", 512 << 10, false},
				{"MAX_HEADER_LIST_SIZE", 8192, false},
				{"ENABLE_CONNECT_PROTOCOL", 1, true},
			}}},
		clues: []clue{
			neverCounted("Jetty has no limit by count", "measured: jetty-12"),
			{about: aboutIdle, asked: idleAnnounced, holds: idleDebug("idle_timeout"), weight: proof,
				says:    `an unused connection gets a GOAWAY with the text "idle_timeout"`,
				against: telling, denies: `Jetty ends an unused connection by a GOAWAY with the text "idle_timeout"`,
				source: "measured: jetty-12"},
		},
		idle: []idleDefault{{30, "30 s is Jetty's default (idleTimeout)"}},
		find: "grep -rn 'idleTimeout' /etc/jetty* $JETTY_BASE 2>/dev/null",
		row: row{"Jetty", "none", "only at a stop", "–", "30 s (`idleTimeout`): GOAWAY \"idle_timeout\", closed at once",
			"measured (count, idle)"},
	}
}

func undertow() server {
	return server{
		id: "undertow", short: "Undertow", name: "Undertow, or something built on it (WildFly)",
		settings: []shape{{weight: telling, source: "measured: undertow-2.3",
			fields: []field{
				{"HEADER_TABLE_SIZE", 4096, false},
				{"MAX_FRAME_SIZE", 16384, false},
				{"INITIAL_WINDOW_SIZE", 65535, false},
				{"MAX_HEADER_LIST_SIZE", 20000, false},
			}}},
		clues: []clue{
			neverCounted("Undertow has no limit by count", "measured: undertow-2.3"),
			{about: aboutIdle, asked: idleSeen, holds: idleBy(closed), weight: fair,
				says:    "an unused connection is closed without a GOAWAY",
				against: telling, denies: "Undertow closes an unused connection without a GOAWAY",
				source: "measured: undertow-2.3"},
		},
		quiet: true,
		find:  "grep -rnE 'idle-timeout|IDLE_TIMEOUT' .",
		row: row{"Undertow", "none", "only at a stop", "–", "`IDLE_TIMEOUT`: closed without a GOAWAY",
			"measured (count, idle)"},
	}
}

func netty() server {
	return server{
		id: "netty", short: "Netty", name: "Netty: Vert.x (Quarkus), Reactor Netty (Spring WebFlux), Micronaut, …",
		settings: []shape{
			{weight: fair, source: "measured: vertx-5", fields: []field{{"MAX_CONCURRENT_STREAMS", 100, false}}},
			{weight: telling, source: "measured: reactor-netty-1.3",
				fields: []field{{"MAX_CONCURRENT_STREAMS", 100, false}, {"MAX_HEADER_LIST_SIZE", 8192, true}}},
		},
		clues: []clue{
			neverCounted("Netty's servers have no limit by count: maxKeepAliveRequests is for HTTP/1.1",
				"measured: reactor-netty-1.3"),
			{about: aboutIdle, asked: idleSeen, holds: idleBy(closed), weight: weak,
				says: "an unused connection is closed without a GOAWAY", source: "measured: vertx-5"},
		},
		quiet: true,
		find:  "grep -rniE 'idle-?timeout|maxKeepAliveRequests' .",
		row: row{"Netty: Vert.x, Reactor Netty", "none (`maxKeepAliveRequests` is for HTTP/1.1)",
			"only where the program says so", "as the program does", "as configured (Vert.x: closed without a GOAWAY)",
			"measured (count, idle)"},
	}
}

func armeria() server {
	return server{
		id: cure.Armeria, short: "Armeria", name: "Armeria (Java)", headers: []string{"armeria"},
		settings: []shape{{weight: telling, source: "measured: armeria-200",
			fields: []field{
				{"MAX_CONCURRENT_STREAMS", 1<<31 - 1, false},
				{"INITIAL_WINDOW_SIZE", 1 << 20, false},
				{"MAX_HEADER_LIST_SIZE", 8192, false},
			}}},
		clues: []clue{{about: aboutEnding, asked: graceful, holds: armeriaDebug, weight: proof,
			says:    `a GOAWAY has the text "max-age", which Armeria sends at every end`,
			against: telling, denies: `Armeria's GOAWAY has the text "max-age"`, source: "measured: armeria-200"}},
		idle: []idleDefault{{15, "15 s is Armeria's default (idleTimeout)"}},
		find: "grep -rnE 'maxNumRequestsPerConnection|maxConnectionAge|idleTimeout' --include='*.java' --include='*.kt' .",
		row: row{"Armeria", "none (`maxNumRequestsPerConnection`)",
			"GOAWAY 2^31 − 1 with the text \"max-age\", a second later the last stream id", "answered until the second GOAWAY",
			"15 s (`idleTimeout`): the same two GOAWAYs", "measured (count, age, idle)"},
	}
}

func pekko() server {
	return server{
		id: "pekko", short: "Pekko HTTP", name: "Pekko HTTP or Akka HTTP (Play)", headers: []string{"pekko-http", "akka-http"},
		settings: []shape{{weight: fair, source: "measured: pekko-1.1",
			fields: []field{{"MAX_CONCURRENT_STREAMS", 256, true}}}}, // others of this form have another default
		clues: []clue{
			neverCounted("Pekko HTTP has no limit by count", "measured: pekko-1.1"),
			{about: aboutIdle, asked: idleSeen, holds: idleBy(facts.EndedByReset), weight: fair,
				says: "an unused connection is reset by TCP, without a GOAWAY", source: "measured: pekko-1.1"},
		},
		idle: []idleDefault{{60, "60 s is the default of pekko.http.server.idle-timeout"}},
		find: "grep -rn 'idle-timeout' --include='*.conf' .",
		row: row{"Pekko HTTP, Akka HTTP", "none", "only at a stop", "–", "60 s (`idle-timeout`): TCP RST without a GOAWAY",
			"measured (count, idle)"},
	}
}

// armeriaDebug reports the text of Armeria in a GOAWAY. gRPC's has an underscore.
func armeriaDebug(e endpoint) bool { return e.Ending.Goaways[0].Debug == "max-age" }

// neverCounted is evidence against a server without a request limit.
func neverCounted(denies, source string) clue {
	return clue{about: aboutEnding, asked: counted, holds: never, against: fair, denies: denies, source: source}
}
