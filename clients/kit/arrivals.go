package kit

import (
	"hash/fnv"
	"math/rand/v2"
	"time"

	"h2lab/internal/facts"
)

// arrivals gives the moments at which requests are due, counted from the beginning of a window.
type arrivals struct {
	gap float64    // mean, in ns
	rng *rand.Rand // nil where they are constant
	n   float64    // when the next request is due, in mean gaps
}

// newArrivals makes the arrivals of a phase. The same seed gives the same arrivals; those of the warm-up
// differ from those of the window.
func newArrivals(f Flags, phase string) *arrivals {
	a := &arrivals{gap: float64(time.Second) / float64(f.Rate)}
	if facts.Arrivals(f.Arrivals) == facts.Poisson {
		h := fnv.New64a()
		h.Write([]byte(phase))
		a.rng = rand.New(rand.NewPCG(f.Seed, h.Sum64()))
		a.n = a.rng.ExpFloat64()
	}
	return a
}

// next is when the next request is due.
func (a *arrivals) next() time.Duration {
	due := time.Duration(a.n * a.gap)
	if a.rng == nil {
		a.n++
	} else {
		a.n += a.rng.ExpFloat64()
	}
	return due
}
