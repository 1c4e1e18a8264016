package counters

import (
	"context"
	"errors"
	"time"

	"h2lab/internal/facts"
)

const (
	// settlePause lies between two readings that must agree: long enough for a
	// dial that was under way on a busy machine to be accepted.
	settlePause = 50 * time.Millisecond
	// settleLimit is when the last reading is taken as it is.
	settleLimit = 3 * time.Second
)

// ErrUnsettled comes with a good reading of counters that were still moving
// after three seconds: a warning on the number, not a failure.
var ErrUnsettled = errors.New("the counters were still moving after three seconds")

// Settle reads a source until two readings in a row agree. Dials that lost
// their race are accepted after the last answer, and nginx writes its log after it.
func Settle(ctx context.Context, s Source) (facts.Observation, error) {
	last, err := s.Observe(ctx)
	if err != nil {
		return last, err
	}
	tick := time.NewTicker(settlePause)
	defer tick.Stop()
	for began := time.Now(); time.Since(began) < settleLimit; {
		select {
		case <-ctx.Done():
			return last, context.Cause(ctx)
		case <-tick.C:
		}
		next, err := s.Observe(ctx)
		if err != nil {
			return next, err
		}
		if agree(last, next) {
			return next, nil
		}
		last = next
	}
	return last, ErrUnsettled
}

// agree compares what is derived; raw numbers hold our own reads.
func agree(a, b facts.Observation) bool {
	return same(a.Accepted, b.Accepted) && same(a.Used, b.Used) && same(a.Requests, b.Requests)
}

func same(a, b *int64) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}
