package counters

import (
	"context"
	"errors"
	"time"

	"h2lab/internal/facts"
)

const (
	// settlePause is the time between two readings that must agree: long enough for a busy machine
	// to accept a dial in progress.
	settlePause = 50 * time.Millisecond
	// settleLimit is when Settle returns the last reading, settled or not.
	settleLimit = 3 * time.Second
)

// ErrUnsettled comes with a valid reading of counters that were still changing after three seconds:
// a warning, not a failure.
var ErrUnsettled = errors.New("the counters were still moving after three seconds")

// Settle reads a source until two consecutive readings agree. A server accepts dials that lost
// their race after the last answer, and nginx writes its log after the answer.
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

// agree compares the derived numbers; raw numbers include the source's own reads.
func agree(a, b facts.Observation) bool {
	return same(a.Accepted, b.Accepted) && same(a.Used, b.Used) && same(a.Requests, b.Requests)
}

func same(a, b *int64) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}
