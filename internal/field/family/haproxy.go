package family

import (
	"h2lab/internal/facts"
	"h2lab/internal/field/cure"
)

func haproxy() server {
	connect, window, streams := field{"ENABLE_CONNECT_PROTOCOL", 1, true}, field{"INITIAL_WINDOW_SIZE", 16384, false},
		field{"MAX_CONCURRENT_STREAMS", 100, false}
	return server{
		id: "haproxy", short: "HAProxy", name: "HAProxy, or something built on it (OpenShift's router, …)",
		headers: []string{"haproxy"}, // HAProxy writes no Server header and passes on its backend's
		settings: []shape{
			{weight: proof, source: "measured: haproxy-3.2-none", fields: []field{connect, window, streams}},
			{weight: proof, source: "measured: haproxy-2.6-none", fields: []field{connect, streams}},
			{
				weight: telling,
				source: "haproxy mux_h2.c, h2c_snd_settings()",
				fields: []field{connect, {"HEADER_TABLE_SIZE", 4096, false}, window, streams},
			},
			{
				weight: telling,
				source: "haproxy mux_h2.c, h2c_snd_settings()",
				fields: []field{connect, window, streams, {"MAX_FRAME_SIZE", 16384, false}},
			},
		},
		clues: []clue{
			{about: aboutEnding, asked: graceful, holds: oneFutureID, weight: proof,
				says:    "one GOAWAY with an id above all streams, so that those in flight are answered",
				against: telling, denies: "HAProxy's GOAWAY has an id above all streams",
				source: "measured: haproxy-3.2-300"},
			{about: aboutCrossing, asked: lateOnesSent, holds: lateOnesServed, weight: weak,
				says: "streams sent after the GOAWAY, below its id, are answered", source: "measured: haproxy-3.2-300"},
			{about: aboutIdle, asked: idleAnnounced, holds: idleOneStage(2), weight: weak,
				says: "an unused connection gets a GOAWAY without a text, perhaps another of the same id, and is " +
					"closed",
				against: telling, denies: "HAProxy ends an unused connection by GOAWAYs of one id, without a text",
				source: "measured: haproxy-3.2-none"},
		},
		quiet: true,
		find:  cure.Show(cure.HAProxy),
		row: row{"HAProxy", "none (`tune.h2.fe.max-total-streams`, since 3.0)",
			"one GOAWAY with an id above all streams (by `tune.h2.fe.max-concurrent-streams`), a second with the real id at " +
				"the close",
			"answered up to that id",
			"`timeout http-keep-alive`, `timeout client`: GOAWAY, closed at once or with a second GOAWAY after " +
				"`timeout client`", "measured; mux_h2.c"},
	}
}

// oneFutureID reports a GOAWAY with an id above all streams, and no other id but the real one at the close.
func oneFutureID(e facts.Endpoint) bool {
	const most = 2
	return e.Ending != nil && e.Ending.How == facts.EndedByFutureID && len(e.Ending.Goaways) <= most
}
