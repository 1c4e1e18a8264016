package runs

import (
	"context"
	"fmt"
	"strconv"

	"h2lab/internal/base/exitstatus"
	"h2lab/internal/base/numfmt"
	"h2lab/internal/facts"
	"h2lab/internal/lab/clients"
	"h2lab/internal/lab/conduct"
	"h2lab/internal/lab/plan"
)

// rateOf is the rate of a run as it begins: a share is found later.
func rateOf(k plan.Knobs) *facts.Rate {
	if k.Rate == "" {
		return nil
	}
	return &facts.Rate{Asked: k.Rate, PerS: k.PerSecond()}
}

// findRate replaces a RATE that is a share by requests a second, from the closed loops of the score's
// cells, and records what it measured.
func (l *Lab) findRate(ctx context.Context, k *plan.Knobs, s conduct.Score) error {
	if k.Share() == 0 {
		return nil
	}
	l.message("h2lab: RATE=%s: measuring the closed loop of each cell first, %s", k.Rate,
		numfmt.Counted(len(s.Cells), "cell", "cells"))
	found, err := conduct.ClosedLoop(ctx, s)
	if err != nil {
		return err
	}
	cell, least := slowest(found)
	if least <= 0 {
		return exitstatus.Lacks(fmt.Errorf("no closed loop to take %s of: no request of %s succeeded; give a number "+
			"instead, such as RATE=2000", k.Rate, orAnyCell(cell)))
	}
	r := s.Result.Run.Rate
	r.ClosedLoopRPS, r.PerS = found, k.ShareOf(least)
	if err := k.CheckShare(r.PerS); err != nil {
		return err
	}
	l.message("h2lab: RATE=%s is %s requests/s: %s had the least goodput in its closed loop, %s requests/s", k.Rate,
		numfmt.Count(int64(r.PerS)), cell, numfmt.Count(int64(least)))
	k.Rate = strconv.FormatFloat(r.PerS, 'f', -1, 64)
	if w := k.WithoutRenewal(); w != "" {
		l.message("h2lab: warning: %s", w)
	}
	return nil
}

// slowest is the cell with the least goodput.
func slowest(goodput map[string]float64) (cell string, least float64) {
	for id, rps := range goodput {
		if cell == "" || rps < least || rps == least && id < cell {
			cell, least = id, rps
		}
	}
	return cell, least
}

func orAnyCell(id string) string {
	if id == "" {
		return "any cell"
	}
	return id
}

// atRate are cells that were planned as closed loops, at the rate that was found.
func atRate(cells []facts.Planned, k plan.Knobs) []facts.Planned {
	for i := range cells {
		if w := &cells[i].Workload; k.PerSecond() > 0 && w.RatePerS == 0 {
			*w = plan.AtRate(*w, k.PerSecond(), facts.Arrivals(k.Arrivals), k.Concurrency)
		}
	}
	return cells
}

// withRate leaves out the client programs that can't send requests on a schedule, where the knobs ask for
// one. It is an error if a word of ONLY then chooses none.
func (l *Lab) withRate(all []clients.Ecosystem, k plan.Knobs) ([]clients.Ecosystem, error) {
	if k.Rate == "" {
		return all, nil
	}
	takes, without := clients.TakingRate(all)
	for _, word := range k.Only {
		if _, err := clients.Only(takes, []string{word}); err != nil {
			return nil, fmt.Errorf("RATE=%s and ONLY=%s contradict each other: it has no client that can send requests on "+
				"a schedule; those that can have \"rate\": true in clients/*/client.json, such as ONLY=go", k.Rate, word)
		}
	}
	if len(takes) == 0 {
		return nil, fmt.Errorf("RATE=%s: no client of the list can send requests on a schedule (\"rate\": true in its "+
			"client.json); leave RATE out", k.Rate)
	}
	if without > 0 {
		l.message("h2lab: RATE=%s leaves out %s, which can't send requests on a schedule", k.Rate,
			numfmt.Counted(without, "client", "clients"))
	}
	return takes, nil
}
