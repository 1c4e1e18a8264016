package runs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"h2lab/internal/base/exitstatus"
	"h2lab/internal/base/proc"
	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/judge/clientverdicts"
	"h2lab/internal/lab/clients"
	"h2lab/internal/lab/conduct"
	"h2lab/internal/lab/native"
	"h2lab/internal/lab/plan"
	"h2lab/internal/lab/podexec"
)

// runOf describes the run of a command.
func (l *Lab) runOf(q Request) (*run, error) {
	describe := l.tableRun
	switch {
	case q.Command == plan.Clients:
		describe = l.clientsRun
	case q.Command == plan.Story:
		describe = l.storyRun
	case q.Command == plan.Sweep && q.Knobs.Sweep == plan.Matters:
		describe = l.mattersRun
	case q.Command == plan.Sweep:
		describe = l.sweepRun
	}
	return describe(q)
}

// tableRun is repro, fixed or matrix.
func (l *Lab) tableRun(q Request) (*run, error) {
	q.Knobs.Settle()
	if err := q.Knobs.Validate(); err != nil {
		return nil, exitstatus.WrongUsage(err)
	}
	cells, err := plan.Cells(q.Command, q.Knobs)
	if err != nil {
		return nil, exitstatus.WrongUsage(err)
	}
	r := &run{Request: q, cells: cells, size: sizeOf(cells, q.Knobs.Trials)}
	r.stages = []stage{{cells: cells, passes: func(*facts.Result) []func() []facts.Planned {
		return []func() []facts.Planned{group(atRate(cells, r.Knobs))}
	}}}
	return r, nil
}

// sizeOf is how much a run measures: "8 cells × 6 trials".
func sizeOf(cells []facts.Planned, trials int) facts.Text {
	return facts.T("lab.size", facts.T("lab.cells", fmt.Sprint(len(cells))), facts.T("lab.trials", fmt.Sprint(trials)))
}

// clientsRun is a run of client programs.
func (l *Lab) clientsRun(q Request) (*run, error) {
	all, err := clients.Read(l.Root, cmp.Or(q.Programs, OwnPrograms))
	if err != nil {
		return nil, err
	}
	chosen, err := clients.Only(all, q.Knobs.Only)
	if err == nil {
		chosen, err = l.withRate(chosen, q.Knobs)
	}
	if err != nil {
		return nil, exitstatus.WrongUsage(err)
	}
	r := &run{Request: q, programs: programsOf(chosen)}
	r.programs.required = func(facts.Client) bool { return len(q.Knobs.Only) > 0 }
	rows := r.programs.rows
	if err := plan.UnusedTopology(rows, q.Knobs); err != nil {
		return nil, exitstatus.WrongUsage(err)
	}
	first := plan.ClientCells(rows, q.Knobs)
	r.cells = slices.Concat(first, plan.LowerCells(rows, q.Knobs), plan.GentleCells(rows, q.Knobs, q.Knobs.Limit),
		plan.GentleCells(rows, q.Knobs, plan.LowerLimit))
	r.size = facts.T("lab.size-clients", fmt.Sprint(len(chosen)), fmt.Sprint(len(rows)))
	r.stages = []stage{{cells: first, passes: r.clientPasses}}
	r.tune = func(b *conduct.Bench, result *facts.Result) {
		b.Patience, b.Workers, b.Windows = plan.Patience, workers, r.windows(result)
	}
	return r, nil
}

// workers are a program and its children, in its own container or on this machine.
func workers(pid int) []int { return proc.Tree(podexec.Pid(pid)) }

// clientPasses groups the cells of a run; the verdicts on earlier groups decide which cells a later group
// has.
func (r *run) clientPasses(so *facts.Result) []func() []facts.Planned {
	gentle := func(limit int) func() []facts.Planned {
		return func() []facts.Planned {
			failing := func(row clientverdicts.Row) bool { return row.Verdict.Faulty() && row.Limit == limit }
			return plan.GentleCells(r.where(so, failing), r.Knobs, limit)
		}
	}
	passes := []func() []facts.Planned{
		func() []facts.Planned { return plan.UnlimitedCells(r.programs.rows, r.Knobs) },
		func() []facts.Planned { return plan.LowCells(r.programs.rows, r.Knobs) },
		func() []facts.Planned {
			return plan.LowerCells(r.where(so, func(row clientverdicts.Row) bool { return row.Lower }), r.Knobs)
		},
		gentle(r.Knobs.Limit),
	}
	if r.Knobs.Limit > plan.LowerLimit {
		passes = append(passes, gentle(plan.LowerLimit))
	}
	return passes
}

// where returns the rows that have such a verdict so far.
func (r *run) where(so *facts.Result, is func(clientverdicts.Row) bool) []plan.Row {
	chosen := map[facts.Client]bool{}
	for _, row := range clientverdicts.Rows(so) {
		chosen[row.Client] = is(row)
	}
	var out []plan.Row
	for _, row := range r.programs.rows {
		if chosen[row.Client] {
			out = append(out, row)
		}
	}
	return out
}

// windows makes each window last until enough renewals were seen for a verdict.
func (r *run) windows(so *facts.Result) conduct.Windows {
	return conduct.Windows{Renewals: clientverdicts.FewestRenewals, Shortest: r.Knobs.Duration,
		Longest: max(plan.LongestWindow, r.Knobs.Duration),
		Pace:    func(cell facts.Planned) (conduct.Pace, bool) { return conduct.PaceIn(so, cell) }}
}

// storyRun is a story: a service between its users and the topologies.
func (l *Lab) storyRun(q Request) (*run, error) {
	q.Knobs.Settle()
	if err := q.Knobs.ValidateStory(); err != nil {
		return nil, exitstatus.WrongUsage(err)
	}
	services, err := l.readServices()
	if err != nil {
		return nil, err
	}
	cells, err := plan.StoryCells(services.rows, q.Knobs)
	if err != nil {
		return nil, exitstatus.WrongUsage(err)
	}
	if cells, err = plan.Serviced(cells, services.argv); err != nil {
		return nil, err
	}
	return l.servicesRun(q, services, []stage{{cells: cells, heating: heating(q.Knobs.Quick)}}), nil
}

// heating is how long each service is loaded before its first trial. With 3 s the processor time of a request still
// fell to a third over the first rounds (1.3 to 0.4 ms), and the rounds differed by more than what they compare.
func heating(quick bool) time.Duration {
	if quick {
		return 8 * time.Second
	}
	return 15 * time.Second
}

// sweepRun is one sweep of services or all of them.
func (l *Lab) sweepRun(q Request) (*run, error) {
	names, err := sweepOf(q.Knobs)
	if err != nil {
		return nil, exitstatus.WrongUsage(err)
	}
	if q.Knobs.Quick {
		q.Knobs.Trials = 1
	}
	services, err := l.readServices()
	if err != nil {
		return nil, err
	}
	var stages []stage
	for _, name := range names {
		cells, err := plan.SweepCells(name, q.Knobs, services.rows)
		if err == nil {
			cells, err = plan.Serviced(cells, services.argv)
		}
		if err != nil {
			return nil, exitstatus.Lacks(err)
		}
		if len(cells) > 0 {
			stages = append(stages, sweepStage(name, cells))
		}
	}
	r := l.servicesRun(q, services, stages)
	if err := plan.UnusedInSweep(r.cells, q.Knobs); err != nil {
		return nil, exitstatus.WrongUsage(err)
	}
	r.size = facts.T("lab.size-sweep", r.size, minutes(plan.Takes(r.cells, q.Knobs.Trials)))
	return r, nil
}

// sweepOf validates the knobs of a sweep. Its filters name other things than those of repro, fixed
// and matrix: plan.UnusedInSweep checks them.
func sweepOf(k plan.Knobs) ([]string, error) {
	names, err := plan.SweepsOf(k.Sweep)
	if err != nil {
		return nil, err
	}
	k.Topologies, k.Clients = nil, nil
	return names, k.Validate()
}

func minutes(d time.Duration) facts.Text {
	return facts.T("lab.minutes", fmt.Sprint(max(1, int(d.Round(time.Minute)/time.Minute))))
}

// servicesRun is a run of stages with services, which start before the first trial of each and stop after its last.
func (l *Lab) servicesRun(q Request, services programs, stages []stage) *run {
	r := &run{Request: q, programs: services, stages: stages, onlyNative: q.Command + " has no images of its services yet"}
	for _, s := range stages {
		r.cells = append(r.cells, s.cells...)
	}
	r.programs.whole = true
	r.programs.required = func(c facts.Client) bool { return slices.Contains(q.Knobs.Clients, string(c)) }
	r.size = facts.T("lab.size-services", sizeOf(r.cells, q.Knobs.Trials),
		facts.T("lab.services", fmt.Sprint(len(plan.ServicesOf(r.cells)))))
	r.limits = func() error { return l.ampleFor(r) }
	return r
}

// ownPrograms are the lab's programs, besides k6, that generate load.
func ownPrograms(t native.Tools) map[facts.Client][]string {
	out := map[facts.Client][]string{facts.Ab: {t["ab"]}}
	for _, c := range []facts.Client{facts.GoReplayable, facts.GoOnce, facts.GoSingleDial, facts.GoUsers, facts.GoBurst} {
		out[c] = []string{t["go-client"], "--variant", string(c)}
	}
	return out
}

// rateOf is the rate of a run as it begins: a share is found later.
func rateOf(k plan.Knobs) *facts.Rate {
	if k.Rate == "" {
		return nil
	}
	return &facts.Rate{Asked: k.Rate, PerS: k.PerSecond()}
}

// findRate replaces a RATE that is a share by requests a second, from the closed loops of the score's
// cells, and records what it measured.
func (l *Lab) findRate(ctx context.Context, k *plan.Knobs, s conduct.Plan) error {
	if k.Share() == 0 {
		return nil
	}
	l.say(facts.T("lab.closed-loops", k.Rate, facts.T("lab.cells", fmt.Sprint(len(s.Cells)))))
	found, err := conduct.ClosedLoop(ctx, s)
	if err != nil {
		return err
	}
	cell, least := slowest(found)
	if least <= 0 {
		return exitstatus.Lacks(fmt.Errorf("no closed loop to take %s of: no request of %s succeeded; give a number "+
			"instead, such as RATE=2000", k.Rate, cmp.Or(cell, "any cell")))
	}
	r := s.Result.Run.Rate
	r.ClosedLoopRPS, r.PerS = found, k.ShareOf(least)
	if err := k.CheckShare(r.PerS); err != nil {
		return err
	}
	l.say(facts.T("lab.rate-found", k.Rate, text.Count(int64(r.PerS)), cell, text.Count(int64(least))))
	k.Rate = strconv.FormatFloat(r.PerS, 'f', -1, 64)
	if w := k.WithoutRenewal(); w != "" {
		l.warn(w)
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
		l.say(facts.T("lab.rate-leaves-out", k.Rate, facts.T("lab.clients", fmt.Sprint(without))))
	}
	return takes, nil
}

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
		tools: clientTools(cells)})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.stop(ctx)) }()
	bench := &conduct.Bench{Root: l.Root, CA: CAFile(l.Root), RunID: "bench", K6: s.tools["k6"],
		Programs: ownPrograms(s.tools), Env: clients.Env(l.Root),
		Site: s, Sampling: samplingInterval, SaveSeries: func(string, facts.Series) error { return nil }}
	r = &facts.Result{Run: facts.Run{Command: "bench", Seed: rand.Uint64(), Trials: k.Trials}}
	return r, conduct.Run(ctx,
		conduct.Plan{Result: r, Cells: cells, Unsupported: s.lacks, Instruments: &partlySampled{bench}, Site: s,
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
