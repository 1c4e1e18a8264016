package conduct

import (
	"context"
	"fmt"

	"h2lab/internal/facts"
)

// closedWindowS is how long a cell's closed loop is measured to find a rate: long enough for several
// renewals at the lab's usual 5,000 requests a second and a limit of 1,000.
const closedWindowS = 2

// ClosedLoop measures each cell's load once, briefly and without a record, and returns the goodput of
// each by its id. A rate may then be a share of the least.
func ClosedLoop(ctx context.Context, s Score) (map[string]float64, error) {
	out := map[string]float64{}
	for i, p := range s.Cells {
		c := facts.Cell{Topology: p.Topology.Name, Protocol: p.Protocol, Client: p.Client, Point: p.Point}
		if s.Unsupported(p) != "" {
			continue
		}
		p.Workload.DurationS = min(p.Workload.DurationS, closedWindowS)
		s.Progress(Step{What: "closed loop", Cell: c.ID(), Done: i, Total: len(s.Cells)})
		t, err := s.Instruments.Measure(ctx, p, 0)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if dead := s.Site.Alive(); dead != nil {
			return nil, fmt.Errorf("%s, closed loop: %w", c.ID(), dead)
		}
		if err != nil {
			return nil, fmt.Errorf("%s, closed loop: %w", c.ID(), err)
		}
		if t.Fault == nil {
			out[c.ID()] = t.GoodputRPS
		}
	}
	return out, nil
}

// Unrecorded is a bench for windows of which no timeline is kept and whose length is the plan's.
func (b *Bench) Unrecorded() *Bench {
	c := *b
	c.Windows, c.Sampling, c.Sampled, c.Opened = Windows{}, 0, nil, nil
	return &c
}
