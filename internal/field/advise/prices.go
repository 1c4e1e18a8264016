package advise

import (
	"fmt"
	"math"
)

// Price is one effect of a limit: a cost, or a problem that it doesn't solve.
type Price struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

// Prices lists the costs of setting that limit for this traffic.
func Prices(q Question, limit int) []Price {
	a := at(q, limit)
	q = q.Usual()
	out := []Price{{"memory",
		fmt.Sprintf("nginx frees a connection's pool when the connection ends; that is its documentation's reason for "+
			"a limit. A request over HTTP/2 has a pool of its own, freed with it. Connections open here: %s. Watch "+
			"the worker's RSS.", number(q.connections()))}}
	out = append(out, rebalancing(q, a)...)
	if limit != q.Limit {
		out = append(out, Price{"flood-guard",
			fmt.Sprintf("nginx ends a connection after %d × keepalive_requests frames without a new request: %s instead "+
				"of %s.", FloodFactor, number(float64(limit)*FloodFactor), number(float64(q.Limit)*FloodFactor))})
	}
	age := fmt.Sprintf("keepalive_time (1h by default) ends a connection that is older, with the same GOAWAY; at "+
		"this limit a connection lasts %s, so the limit ends it first.", life(a.ConnectionLifeS))
	if a.AgeRules {
		age = "keepalive_time (1h by default) ends a connection before it reaches this limit, with the same GOAWAY, " +
			"once an hour."
	}
	return append(out, Price{"age", age})
}

// rebalancing is the effect of long-lived connections behind a load balancer that balances
// connections.
func rebalancing(q Question, a Answer) []Price {
	conns := q.connections()
	stays := fmt.Sprintf("Behind a balancer of connections (L4, kube-proxy) a connection stays %s with the server it "+
		"was opened to", life(a.ConnectionLifeS))
	if q.Backends <= 1 {
		return []Price{
			{
				"rebalancing",
				stays + "; with several servers a new one gets no traffic for that long (--backends N counts).",
			},
		}
	}
	// The balancer assigns each connection to a backend at random.
	idle := float64(q.Backends) * math.Pow(1-1/float64(q.Backends), conns)
	return []Price{{"rebalancing",
		fmt.Sprintf("%s. With %s connections and %d servers, on average %s of them have none.",
			stays, number(conns), q.Backends, number(math.Round(idle*10)/10))}}
}

// life formats a duration in seconds for people.
func life(s float64) string {
	switch {
	case s >= 3600:
		return "an hour"
	case s >= 120:
		return number(math.Round(s/60)) + " min"
	case s >= 1:
		return number(s) + " s"
	}
	return number(s*1000) + " ms"
}
