package live

import (
	"context"
	"os"
	"slices"
	"time"

	"h2lab/internal/base/counters"
	"h2lab/internal/facts"
)

// Up is the command in the journal of servers that run without a measurement.
const Up = "up"

const (
	// watchPace is the interval of readings: often enough for a storm of a second.
	watchPace = 200 * time.Millisecond
	// watchBeat is how often Watch looks which servers run, and writes one that nobody calls, so that the
	// page's clock advances and the journal stays small.
	watchBeat = 2 * time.Second
	readingIn = time.Second
)

// Front is a server that clients call, its name on the page, and its limit on the requests of a
// connection; 0 is none.
type Front struct {
	Name   string
	Server facts.Server
	Limit  int
}

// Watch writes the counters of servers that run without a measurement to the journal, until ctx ends.
// fronts returns them; none while there are none.
func Watch(ctx context.Context, root, dir string, fronts func() []Front) {
	w := &watch{root: root, dir: dir}
	defer w.end()
	tick := time.NewTicker(watchPace)
	defer tick.Stop()
	for looked := (time.Time{}); ctx.Err() == nil; {
		if time.Since(looked) >= watchBeat {
			looked = time.Now()
			w.look(fronts())
		}
		w.read(ctx)
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
}

// watch is one set of servers that is watched.
type watch struct {
	root, dir string
	asked     []Front
	fronts    []*watched // those of them whose counters can be read
	journal   *Journal
}

// watched is one server and its newest reading.
type watched struct {
	Front
	source  counters.Source
	last    facts.Observation
	written time.Time
}

// look starts anew where other servers run than before.
func (w *watch) look(now []Front) {
	same := slices.EqualFunc(w.asked, now, func(a, b Front) bool {
		return a.Name == b.Name && a.Server.Front == b.Server.Front && a.Limit == b.Limit
	})
	if same {
		return
	}
	w.end()
	if w.asked = now; len(now) > 0 {
		w.begin(now)
	}
}

// begin opens the counters of servers and starts their journal.
func (w *watch) begin(fronts []Front) {
	_ = os.MkdirAll(w.dir, 0o755) // before the first run there is none
	w.journal = Begin(w.dir, facts.Run{Command: Up})
	for _, f := range fronts {
		source, err := counters.Open(w.root, f.Server)
		if err != nil {
			continue // its logs can't be read
		}
		w.fronts = append(w.fronts, &watched{Front: f, source: source})
		w.journal.Front(f)
	}
}

// read reads each server once and writes what has changed. A server that doesn't answer, because it is
// just being reloaded or stopped, is left out.
func (w *watch) read(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, readingIn)
	defer cancel()
	for _, f := range w.fronts {
		o, err := f.source.Observe(ctx)
		if err != nil {
			continue
		}
		if moved(f.last, o) || o.At.Sub(f.written) >= watchBeat {
			w.journal.Reading(f.Name, o)
			f.written = o.At
		}
		f.last = o
	}
}

func moved(a, b facts.Observation) bool {
	differ := func(x, y *int64) bool { return (x == nil) != (y == nil) || x != nil && *x != *y }
	return differ(a.Accepted, b.Accepted) || differ(a.Requests, b.Requests)
}

// end closes the counters and the journal.
func (w *watch) end() {
	for _, f := range w.fronts {
		f.source.Close()
	}
	if w.journal != nil {
		w.journal.End(false)
	}
	w.fronts, w.journal = nil, nil
}
