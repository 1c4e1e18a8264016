package advise

import "fmt"

// Beyond lists where a question is outside the range on which the model was checked.
func Beyond(q Question) []string {
	w := loaded().corrected(q)
	a := w.answer()
	q = w.q
	var out []string
	if q.RateRPS > a.CapacityRPS {
		out = append(out,
			fmt.Sprintf("%s requests a second are more than %s cores can serve with these renewals (%s/s at %s ms a "+
				"request): "+
				"they queue, and the rate falls to that.", number(q.RateRPS), number(q.CPUs), number(a.CapacityRPS),
				number(q.RequestMS)))
	}
	if q.Client != HTTP1 && float64(q.Limit) < 10*w.on && !w.correction.Applied {
		out = append(out,
			fmt.Sprintf("the limit is less than ten times the %s requests in flight on a connection: renewals "+
				"overlap, and the model was not checked there.", number(w.on)))
	}
	if q.Client != HTTP1 && float64(q.InFlight)/float64(q.Pools) > MaxStreams {
		out = append(out,
			fmt.Sprintf("a pool has more in flight than the %d streams of one connection: the model assumes an even "+
				"spread over several.", MaxStreams))
	}
	if q.RTTMS > 1 && q.Client == Stampede && !w.correction.Applied {
		out = append(out, fmt.Sprintf("the effect of a round trip is calculated here, not measured: %s.", w.correction.Why))
	}
	return out
}
