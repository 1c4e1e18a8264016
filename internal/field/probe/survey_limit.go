package probe

import (
	"context"
	"slices"
	"time"

	"h2lab/internal/base/await"
	"h2lab/internal/base/notes"
	"h2lab/internal/facts"
	"h2lab/internal/field/cause"
)

const (
	// mostConnections is how many connections are brought to their end to learn why they end.
	mostConnections = 6
	// beside is how many requests another connection gets at least, where one was not ended or ended
	// earlier: several servers may stand behind one address, and 1000 is the most common limit.
	beside = 1200
	// quick is how long a connection may take that is asked only to look for such servers.
	quick = time.Second
	// settling is how long connections that differ are followed by more.
	settling = 20 * time.Second
	// lights are the lightly used connections: two, since one may end by chance.
	lights = 2
	// holdRequests and lightRequests are how many requests keep a connection in light use, leastRequests the
	// fewest that do. leastLight is the shortest pause between two.
	holdRequests, lightRequests, leastRequests = 60, 20, 3
	leastLight                                 = 20 * time.Millisecond
)

// limit brings connections to their end until cause.Of tells a count of requests from an age. The
// first has as many requests in flight as allowed, which shows what is lost at the end. The second
// sends at less than half that pace and, around the place where the first ended, one at a time;
// beside it two lightly used connections are watched for longer than the first one lived. Over
// HTTP/1.1 all requests go one at a time, because some servers handle pipelining badly.
func (s *survey) limit(ctx context.Context) error {
	p := plan{http1: s.ask.HTTP1, atMost: s.ask.MaxStreams, spare: late, rate: s.ask.Rate, maxTime: s.ask.MaxTime}
	if p.http1 {
		p.alone = all
	}
	began := time.Now()
	first := p
	first.atMost -= s.reserve()
	r, err := s.bring(ctx, first, true)
	if err != nil || s.ask.Connections == 1 {
		return err
	}
	if r.over() {
		if err := s.atAnotherPace(ctx, p, r); err != nil {
			return err
		}
	}
	return s.untilTold(ctx, p, began)
}

// reserve is how many of the first connection's requests are kept for its light use.
func (s *survey) reserve() int {
	if n := min(holdRequests, s.ask.MaxStreams/4); s.ask.Hold > 0 && n >= leastRequests {
		return n
	}
	return 0
}

// atAnotherPace asks a second connection so slowly that it gets fewer requests than the first in
// the first one's time, and watches two lightly used ones meanwhile. They are opened one after the
// other: a reload that ends all of them at once then ends them at different ages. The second
// connection compresses no headers, so a limit in bytes ends it after fewer requests.
func (s *survey) atAnotherPace(ctx context.Context, p plan, first *run) error {
	const (
		part  = 0.65 // of the requests, while an end at an age is possible
		apart = 0.4  // of the first one's life
		// leastApart is farther than cause's tolerance of the shortest ages.
		leastApart = 0.3
	)
	lived := first.announcedOrGone().Sub(first.opened).Seconds()
	watch := time.Duration(1.05 * cause.OutlivesS(lived) * float64(time.Second))
	met := max(1, first.endAnswered())
	p.slow = slowly{rate: part * float64(met) / watch.Seconds(), lasts: watch}
	p.maxTime += watch
	s.careful(&p)
	var both await.Group
	var all [lights]*run
	var errs [lights]error
	for i := range lights {
		if s.ask.MaxStreams < leastRequests {
			break
		}
		opens := time.Duration(float64(i) * max(leastApart, apart*lived) * float64(time.Second))
		both.Go(func() { all[i], errs[i] = s.light(ctx, opens, watch) })
	}
	p.literal = true
	_, err := s.bring(ctx, p, false)
	both.Wait()
	for i, r := range all {
		if r != nil {
			s.out.Connections++
			s.account(r, facts.ForPace)
		}
		if errs[i] != nil && ctx.Err() == nil { // the other connections may still tell
			s.note(notes.Error, "text", errs[i])
		}
	}
	return err
}

// careful has the requests around all ends seen so far go one at a time.
func (s *survey) careful(p *plan) {
	if p.listen = s.ends; !p.http1 {
		p.alone = s.ends
	}
	far := beside
	for _, e := range s.ends {
		far = max(far, 3*e.to+10*careful)
	}
	p.atMost = min(s.ask.MaxStreams, far)
}

// untilTold asks more connections while they can tell more.
func (s *survey) untilTold(ctx context.Context, p plan, began time.Time) error {
	for n := len(s.out.Budget.Counts) + s.open; n < mostConnections; n++ {
		c := cause.Of(s.out)
		if s.out.Budget.Stopped != "" || n >= s.ask.Connections && !s.tellsMore(c, n, began) {
			return nil
		}
		if c.Kind == cause.Unclear && slices.Equal(c.Fits, []string{cause.Count}) {
			s.aside(ctx)
		}
		s.careful(&p)
		if _, err := s.bring(ctx, p, false); err != nil {
			return err
		}
	}
	return nil
}

// aside sends a few requests on a connection of their own. If the next connection still ends at the same count, the
// server does not count the requests of all connections together.
func (s *survey) aside(ctx context.Context) {
	if r, err := s.light(ctx, 0, leastRequests*leastLight); err == nil {
		s.out.Connections++
		s.account(r, facts.ForPace)
	}
}

// tellsMore reports whether another connection is worth its requests.
func (s *survey) tellsMore(c cause.Cause, n int, began time.Time) bool {
	switch c.Kind {
	case cause.None:
		return n < mostConnections-2 && s.took < quick
	case cause.Count: // another server may stand behind the same address
		return n < mostConnections-1 && s.took < quick
	case cause.Unclear:
		if len(c.Fits) == 0 && slices.ContainsFunc(s.out.Asked, cause.CalledUnused) || slices.Contains(c.Fits, cause.Idle) {
			return false
		}
		return slices.Contains(c.Fits, cause.Count) || time.Since(began) < settling
	case cause.Several, cause.Neither:
		return time.Since(began) < settling
	}
	return false
}
