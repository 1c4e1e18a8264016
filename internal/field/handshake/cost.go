package handshake

import (
	"slices"
	"time"
)

// Cost is the measured processor time of one kind of handshake in ms: the median, and the 5th and
// 95th percentiles.
type Cost struct {
	Kind   Kind
	Count  int // measured handshakes
	Server Spread
	Client Spread
}

// Spread is a median and the 5th and 95th percentile.
type Spread struct{ MedianMS, LoMS, HiMS float64 }

func spread(samples []time.Duration) Spread {
	slices.Sort(samples)
	at := func(q float64) float64 {
		return samples[int(q*float64(len(samples)-1)+0.5)].Seconds() * 1000
	}
	return Spread{MedianMS: at(0.5), LoMS: at(0.05), HiMS: at(0.95)}
}
