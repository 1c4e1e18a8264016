package family

import (
	"h2lab/internal/facts"
	"h2lab/internal/field/cure"
)

func apache() server {
	streams, window := field{"MAX_CONCURRENT_STREAMS", 100, false}, field{"INITIAL_WINDOW_SIZE", 65535, false}
	return server{
		id: "apache", short: "Apache httpd", name: "Apache httpd with mod_http2",
		headers: []string{"apache"},
		settings: []shape{
			// other servers send this frame too
			{weight: fair, source: "measured: apache-2.4", fields: []field{streams}},
			{
				weight: weak,
				source: "httpd mod_http2/h2_session.c, h2_session_start()",
				fields: []field{streams, window},
			},
		},
		clues: []clue{
			{about: aboutEnding, asked: counted, holds: never, against: fair,
				denies: "mod_http2 has no limit by count: MaxKeepAliveRequests is for HTTP/1.1",
				source: "httpd modules/http2 (no use of keep_alive_max)"},
			{about: aboutIdle, asked: idleAnnounced, holds: idleDebug("timeout"), weight: proof,
				says:    `an unused connection gets a GOAWAY with the text "timeout"`,
				against: telling, denies: `mod_http2 ends an unused connection by a GOAWAY with the text "timeout"`,
				source: "measured: apache-2.4"},
		},
		limits: []limit{{facts.H1, 101, "Apache's default, MaxKeepAliveRequests 100, allows one request and 100 more"}},
		idle:   []idleDefault{{5, "5 s is Apache's default (KeepAliveTimeout)"}},
		find:   cure.Show(cure.Apache),
		row: row{"Apache httpd, mod_http2", "none (`MaxKeepAliveRequests` is for HTTP/1.1)",
			"only at a graceful stop: GOAWAY 2^31 − 1, then the real id",
			"answered", "5 s (`KeepAliveTimeout`): GOAWAY \"timeout\", closed at once",
			"measured (idle); h2_session.c (stop)"},
	}
}

// never is the predicate of a clue that can only be evidence against a family.
func never(facts.Endpoint) bool { return false }
