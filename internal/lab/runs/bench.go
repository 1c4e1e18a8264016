package runs

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"

	"h2lab/internal/base/exitstatus"
	"h2lab/internal/facts"
	"h2lab/internal/lab/clients"
	"h2lab/internal/lab/conduct"
	"h2lab/internal/lab/native"
	"h2lab/internal/lab/plan"
)

// withoutTimeline marks the cells that are measured without sampling a timeline.
const withoutTimeline = " without timeline"

// Bench measures three cells on nginx-100000 over h2, in interleaved rounds: k6's shared pool, the Go
// client, and the Go client while no timeline is sampled.
func (l *Lab) Bench(ctx context.Context, trials int) (r *facts.Result, err error) {
	k := plan.Usual()
	k.Trials, k.Topologies, k.Protocols = trials, []string{"nginx-100000"}, []string{"h2"}
	if err := k.Validate(); err != nil {
		return nil, exitstatus.WrongUsage(err)
	}
	k.Clients = []string{string(facts.K6SharedPool), string(facts.GoReplayable)}
	cells, err := plan.Cells(plan.Fixed, k)
	if err != nil {
		return nil, err
	}
	without := cells[1] // the Go client: it uses the least processor time, so the cost of sampling shows best
	without.Topology.Name += withoutTimeline
	unlock, err := native.Lock(l.Root)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	return l.benchCells(ctx, k, append(cells, without))
}

func (l *Lab) benchCells(ctx context.Context, k plan.Knobs, cells []facts.Planned) (r *facts.Result, err error) {
	s, err := l.startServers(ctx, start{runtime: Native, knobs: k, topologies: plan.TopologiesOf(cells[:1]),
		clients: plan.ClientsOf(cells)})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.stop(ctx)) }()
	bench := &conduct.Bench{Root: l.Root, CA: CAFile(l.Root), RunID: "bench", K6: s.tools.K6,
		Programs: goPrograms(s.tools), Env: clients.Env(l.Root),
		Site: s, Sampling: samplingInterval, SaveSeries: func(string, facts.Series) error { return nil }}
	r = &facts.Result{Run: facts.Run{Command: "bench", Seed: rand.Uint64(), Trials: k.Trials}}
	return r, conduct.Run(ctx,
		conduct.Score{Result: r, Cells: cells, Unsupported: s.lacks, Instruments: &partlySampled{bench}, Site: s,
			Save: func(*facts.Result) error { return nil }, Progress: l.Progress})
}

// partlySampled is a Bench that doesn't sample the cells marked with withoutTimeline.
type partlySampled struct{ *conduct.Bench }

// Measure implements conduct.Instruments.
func (b *partlySampled) Measure(ctx context.Context, cell facts.Planned, index int) (facts.Trial, error) {
	name, marked := strings.CutSuffix(cell.Topology.Name, withoutTimeline)
	if !marked {
		return b.Bench.Measure(ctx, cell, index)
	}
	cell.Topology.Name = name
	bench := *b.Bench
	bench.Sampling = 0
	return bench.Measure(ctx, cell, index)
}
