package family

import "h2lab/internal/facts"

func h2o() server {
	return server{
		id: "h2o", short: "H2O", name: "H2O",
		headers: []string{"h2o"},
		settings: []shape{{weight: fair, source: "measured: h2o-2.2",
			fields: []field{{"MAX_CONCURRENT_STREAMS", 100, false}, {"INITIAL_WINDOW_SIZE", 16 << 20, true}}}},
		clues: []clue{
			{about: aboutEnding, asked: counted, holds: sayingShutdown, weight: telling,
				says:    `GOAWAY 2^31 − 1 with the text "graceful shutdown"`,
				against: fair, denies: "H2O has no limit by count", source: "h2o lib/http2/connection.c"},
			{about: aboutIdle, asked: idleAnnounced, holds: idleDebug("idle timeout"), weight: proof,
				says:    `an unused connection gets a GOAWAY with the text "idle timeout"`,
				against: telling, denies: `H2O ends an unused connection by a GOAWAY with the text "idle timeout"`,
				source: "measured: h2o-2.2"},
		},
		idle: []idleDefault{{10, "10 s is H2O's default (http2-idle-timeout)"}},
		find: "grep -rn 'http2-idle-timeout' /etc/h2o",
		row: row{"H2O", "none", "only at a stop: GOAWAY 2^31 − 1 \"graceful shutdown\", 1 s later the real id",
			"answered until the second GOAWAY",
			"10 s (`http2-idle-timeout`): GOAWAY \"idle timeout\", closed at once",
			"measured (idle); lib/http2/connection.c (stop)"},
	}
}

func sayingShutdown(e facts.Endpoint) bool {
	return e.Ending.How == facts.EndedByTwoStages && len(e.Ending.Goaways) > 0 &&
		e.Ending.Goaways[0].Debug == "graceful shutdown"
}
