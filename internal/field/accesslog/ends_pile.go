package accesslog

import "slices"

const (
	// narrow is how much more than the limit connections carry where it is approximate: Envoy serves what
	// arrives until its client has read GOAWAY.
	narrow = 0.05
	// allow is the same for small limits: streams in flight.
	allow = 20
	// leastPiled is the least share of the connections to be called a limit.
	leastPiled = 0.1
)

// pile finds an approximate limit: many connections end between that number of requests and slightly more,
// and hardly any at slightly fewer. 0 means none.
func pile(ended []life) uint32 {
	if len(ended) < leastAged {
		return 0
	}
	counts := make([]uint32, len(ended))
	for i := range ended {
		counts[i] = ended[i].n
	}
	slices.Sort(counts)
	most := counts[len(counts)-1-int(outliers*float64(len(counts)))]
	width := max(uint32(narrow*float64(most)), min(allow, most/5))
	at, _ := slices.BinarySearch(counts, most-min(most, width))
	below, _ := slices.BinarySearch(counts, most-min(most, 2*width))
	n, less := len(counts)-at, at-below
	if most < 2 || n < leastAged || n < stepUp*less || float64(n) < leastPiled*float64(len(counts)) {
		return 0
	}
	return counts[at]
}
