package conduct

import (
	"fmt"
	"path"
	"slices"

	"h2lab/internal/base/counters"
	"h2lab/internal/facts"
	"h2lab/internal/lab/load"
)

// trial combines the client's answer and the servers' counters.
func (w *window) trial(a load.Answer) (facts.Trial, error) {
	t := facts.Trial{
		WindowS:     w.length.Seconds(),
		ElapsedS:    a.ElapsedS,
		Attempts:    a.Attempts,
		Succeeded:   a.Succeeded,
		Failed:      a.Failed,
		Errors:      a.Errors,
		Hung:        a.Hung,
		Library:     a.Library,
		Runtime:     a.Runtime,
		LatencyMS:   a.Latency,
		Histogram:   a.Histogram,
		Schedule:    a.Schedule,
		ConnectMS:   a.ConnectMS,
		HandshakeMS: a.HandshakeMS,
		TLS:         a.TLS,
		CPU:         w.usage,
		Warnings:    slices.Concat(a.Warnings, w.warnings),
		Connections: w.connections(a), ColdStart: w.coldStart(a), Backend: w.backendDelta(), Service: w.service.view,
	}
	if a.ElapsedS > 0 {
		t.GoodputRPS = float64(a.Succeeded) / a.ElapsedS
	}
	if w.bench.Sampling == 0 {
		return t, nil
	}
	series, err := w.sampler.Stop()
	if err != nil {
		return t, fmt.Errorf("sampling the timeline: %w", err)
	}
	if n, why := w.sampler.Failed(); n > 0 {
		t.Warnings = append(t.Warnings, fmt.Sprintf("%d readings of the timeline failed: %v", n, why))
	}
	t.Series = path.Join("cells", w.id(), fmt.Sprint(w.index), "series.json")
	return t, w.bench.SaveSeries(t.Series, series)
}

// connections counts the connections of the window. The window's expected connections are those of
// the client's whole life without those of its warm-up.
func (w *window) connections(a load.Answer) facts.Connections {
	c := facts.Connections{
		Dialled:        a.Dialled,
		Accepted:       minus(w.after.Accepted, w.before.Accepted),
		Used:           minus(w.after.Used, w.before.Used),
		ClientReported: a.ClientReported,
	}
	front, limit := w.cell.Topology.Front(), w.cell.Topology.Limit
	c.UsedUp = minus(counters.UsedUp(w.after, front, limit), counters.UsedUp(w.before, front, limit))
	c.Replaced = w.replaced(c.Used)
	expected := w.expected(a, a.WarmupRequests+a.Attempts) - w.expected(a, a.WarmupRequests)
	if !w.cell.Workload.NoCall {
		c.Expected = &expected
	}
	return c
}

func (w *window) coldStart(a load.Answer) facts.ColdStart {
	expected := w.expected(a, a.WarmupRequests)
	return facts.ColdStart{Requests: &a.WarmupRequests, Expected: &expected,
		Accepted: minus(w.before.Accepted, w.cold.Accepted), Used: minus(w.before.Used, w.cold.Used)}
}

// expected is how many connections the client needed for its requests since it started. At a rate it
// needs them for as many requests as are usually in flight, and not for the most that are allowed.
func (w *window) expected(a load.Answer, requests int64) int64 {
	work := w.cell.Workload
	if a.Schedule != nil {
		work.Concurrency = a.Schedule.UsuallyInFlight(work.RatePerS)
	}
	return facts.Expected(w.cell.Protocol, w.cell.Client, work, w.cell.Topology.Limit, requests)
}

func (w *window) backendDelta() facts.BackendDelta {
	raw := func(name string) *int64 {
		before, ok1 := w.backBefore.Raw[name]
		after, ok2 := w.backAfter.Raw[name]
		if !ok1 || !ok2 {
			return nil
		}
		return new(after - before)
	}
	d := facts.BackendDelta{Connections: minus(w.backAfter.Accepted, w.backBefore.Accepted), HandledMS: w.service.handled}
	if w.sendsIDs() { // it counts ids only
		d.Executed, d.Distinct, d.Duplicates = raw("executed"), raw("distinct"), raw("duplicates")
	}
	return d
}

// sendsIDs reports whether the requests carry the ids that the backend counts.
func (w *window) sendsIDs() bool {
	return w.cell.Users != facts.Ab && (w.cell.Program == nil || w.cell.Program.IDs)
}

// replaced is how many connections ended and were replaced. It is unknown for a client without
// connections left: its program closed them all together, as tools do that start anew for each
// window.
func (w *window) replaced(used *int64) *int64 {
	front := w.cell.Topology.Front()
	open := func(o facts.Observation) *int64 { return minus(o.Accepted, counters.Closed(o, front)) }
	left := minus(open(w.after), open(w.cold))
	if w.cell.Service != nil { // it keeps its connections from one trial to the next
		left = open(w.after)
	}
	if left == nil || *left <= 0 {
		return nil
	}
	return least(used, minus(counters.Closed(w.after, front), counters.Closed(w.before, front)))
}

// least is the lower of two numbers where both are known, and not below 0.
func least(a, b *int64) *int64 {
	if a == nil || b == nil {
		return nil
	}
	return new(max(0, min(*a, *b)))
}

// minus is a − b where both are known.
func minus(a, b *int64) *int64 {
	if a == nil || b == nil {
		return nil
	}
	return new(*a - *b)
}
