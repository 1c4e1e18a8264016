package family

import (
	"h2lab/internal/facts"
	"h2lab/internal/field/cause"
	"h2lab/internal/field/cure"
)

func nginx() server {
	return server{
		id: "nginx", short: "nginx", name: "nginx, or something built on it (OpenResty, ingress-nginx, Kong, Angie, …)",
		headers: []string{"nginx", "openresty", "angie", "tengine", "freenginx", "kong"},
		// ngx_http_v2_send_settings() writes these three in this order, in all versions.
		fixedSettings: true,
		settings: []shape{{weight: proof, source: "measured: nginx-1.30-100",
			fields: []field{
				{"MAX_CONCURRENT_STREAMS", 128, false},
				{"INITIAL_WINDOW_SIZE", 65536, false},
				{"MAX_FRAME_SIZE", 1<<24 - 1, true},
			}}},
		clues: []clue{
			{about: aboutEnding, asked: counted, holds: countedOut, weight: telling,
				says: "one GOAWAY, and every connection got exactly as many requests, with one in flight or a " +
					"hundred: the limit is checked stream by stream",
				against: telling,
				denies:  "nginx ends a connection at its limit by one GOAWAY, after exactly as many requests",
				source:  "measured: nginx-1.22-1000"},
			{about: aboutCrossing, asked: lateOnesSent, holds: lateOnesDropped, weight: weak,
				says:    "streams sent after the GOAWAY are never answered",
				against: telling, denies: "nginx skips what is sent after the GOAWAY; this server answered",
				source: "measured: nginx-1.30-100"},
			{about: aboutClose, asked: wasClosed, holds: func(e facts.Endpoint) bool {
				return afterLast(e.Ending) <= promptMS
			}, weight: weak,
				says:   "the connection is closed as soon as the last answer is out",
				source: "measured: nginx-1.22-1000"},
			{about: aboutIdle, asked: idleAnnounced, holds: idleOneStage(1), weight: weak,
				says:    "an unused connection gets one GOAWAY without a text and is closed",
				against: telling, denies: "nginx ends an unused connection by one GOAWAY without a text",
				source: "measured: nginx-1.30-none-met"},
		},
		limits: []limit{
			{
				facts.H2,
				1000,
				"1000 is nginx's default since 1.19.10 and 1.20 (keepalive_requests), and was before 1.19.7 " +
					"(http2_max_requests)",
			},
			{facts.H2, 100, "100 is the default of nginx 1.19.7 to 1.19.9, and of ingress-nginx until 2023"},
			{facts.H1, 1000, "1000 is nginx's default since 1.19.10"},
			{facts.H1, 100, "100 is nginx's default until 1.19.9"},
		},
		idle: []idleDefault{{75, "75 s is nginx's default (keepalive_timeout)"}},
		find: cure.Show(cure.Nginx),
		row: row{"nginx, OpenResty, ingress-nginx", "1000 (`keepalive_requests`)",
			"one GOAWAY, last id 2N − 1, sent before that stream's answer; closed when the last answer is out",
			"never answered", "75 s: GOAWAY, closed at once",
			"measured; ngx_http_v2.c, ngx_http_v2_state_headers()"},
	}
}

// countedOut reports whether every connection reached the limit at the same request, although the
// first had many in flight, and its GOAWAY names exactly that stream.
func countedOut(e facts.Endpoint) bool {
	c := cause.Of(e)
	return e.Ending != nil && e.Ending.How == facts.EndedByGoaway && len(e.Ending.Goaways) == 1 && c.Requests != nil &&
		int64(e.Ending.Goaways[0].LastStreamID) == 2*int64(*c.Requests)-1
}
