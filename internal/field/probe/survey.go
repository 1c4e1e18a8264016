package probe

import (
	"context"
	"crypto/tls"
	"errors"
	"reflect"
	"slices"
	"time"

	"golang.org/x/net/http2"

	"h2lab/internal/base/await"
	"h2lab/internal/base/system"
	"h2lab/internal/facts"
	"h2lab/internal/field/cause"
)

// Survey measures everything in sequence: who the server is (look.go), whether TLS sessions resume
// (resume.go), how many requests a connection gets and how it ends (run.go, crossing.go), and how
// long an unused connection lasts (lifetime.go). After an error, the Endpoint has what was measured
// before.
func Survey(ctx context.Context, t Target, ask Ask) (facts.Endpoint, error) {
	s := &survey{target: t, ask: ask, began: time.Now(), out: facts.Endpoint{URL: t.urlOf(), Method: t.method(),
		Protocol: facts.H2, Settings: []facts.Setting{}, Statuses: map[string]int{}, Warnings: []facts.Note{},
		TLS: facts.EndpointTLS{Versions: []facts.TLSVersion{}}}}
	s.out.Budget.Counts, s.out.Asked = []int{}, []facts.AskedConnection{}
	if ask.HTTP1 {
		s.out.Protocol = facts.H1
	}
	err := errors.Join(ask.Check(), t.check())
	if err == nil {
		err = s.all(ctx)
	}
	s.out.ElapsedS = time.Since(s.began).Seconds()
	return s.out, s.ended(ctx, err)
}

// ended combines the reasons why a survey ended early into one error.
func (s *survey) ended(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if cause := context.Cause(ctx); cause != nil {
		stop := told("stop.cancelled", s.target.Addr, s.out.Requests, cause.Error())
		stop.err = cause
		err = stop
	}
	if b := &s.out.Budget; b.Most == nil {
		b.Stopped = noteOf(err)
	}
	if s.out.Requests > 0 {
		s.note("note.error", facts.Text(noteOf(err)))
	}
	return err
}

func (t Target) urlOf() string {
	if t.url != "" {
		return t.url
	}
	return "https://" + t.Addr + t.path()
}

// survey is the state of one survey.
type survey struct {
	target Target
	ask    Ask
	began  time.Time
	out    facts.Endpoint

	ends []span        // the requests around the ends of connections
	open int           // connections that were not ended
	took time.Duration // from the last connection's opening to its last answer, if it was not slowed down
}

func (s *survey) note(code string, pairs ...any) {
	note := facts.NewNote(code, pairs...)
	if !slices.ContainsFunc(s.out.Warnings, func(n facts.Note) bool { return reflect.DeepEqual(n, note) }) {
		s.out.Warnings = append(s.out.Warnings, note)
	}
}

// all runs the measurements in order.
func (s *survey) all(ctx context.Context) error {
	s.target.session = tls.NewLRUClientSessionCache(2)
	if err := s.look(ctx); err != nil {
		return err
	}
	if err := s.resumption(ctx); err != nil {
		return err
	}
	s.target.session = nil // each connection makes a full handshake, as in a stampede
	return errors.Join(s.limit(ctx), s.lifetimes(ctx))
}

// account adds the cost of a connection and records its life.
func (s *survey) account(r *run, purpose string) {
	s.out.Requests += r.sent
	s.tally(r.statuses)
	if purpose == facts.ForLimit {
		s.out.Budget.AskedUpTo = max(s.out.Budget.AskedUpTo, r.sent)
	}
	s.out.Asked = append(s.out.Asked, r.record(purpose, s.began))
}

func (s *survey) tally(statuses map[string]int) {
	for status, n := range statuses {
		s.out.Statuses[status] += n
	}
}

// bring brings one connection to its end and records the result.
func (s *survey) bring(ctx context.Context, p plan, first bool) (*run, error) {
	r, refused, err := s.startAgain(ctx, p)
	if refused > 0 && err == nil {
		s.note("note.restarted", refused.Round(100*time.Millisecond).String())
	}
	if err != nil {
		return nil, err
	}
	s.out.Connections++
	err = s.toItsEnd(r, first)
	r.close()
	if p.slow.lasts == 0 {
		s.took = r.lastNews.Sub(r.opened)
	}
	s.account(r, facts.ForLimit)
	if first {
		s.out.StreamsPerS = r.rate
	}
	switch unused := cause.CalledUnused(s.out.Asked[len(s.out.Asked)-1]); {
	case !r.over():
		s.open++
	case !unused: // its number tells nothing, and gRPC's servers end a connection for the pings that would look for it
		s.ends = append(s.ends, r.near())
	}
	return r, err
}

// toItsEnd brings a connection to its end and follows it.
func (s *survey) toItsEnd(r *run, first bool) error {
	err := r.toTheEnd()
	if err == nil && first && !r.over() && s.reserve() > 0 {
		err = s.hold(r)
	}
	switch {
	case errors.Is(err, errTime):
		s.outOfTime(r.answered)
		s.noEnd(r)
		return nil
	case err != nil:
		s.out.Budget.Stopped = noteOf(err)
		s.noEnd(r)
		return err
	case !r.over():
		s.noEnd(r)
		return nil
	case r.first == nil && r.answered == 0:
		return r.unanswered()
	}
	x, err := s.follow(r, first)
	if err != nil {
		s.noEnd(r)
		return err
	}
	if e := r.ending(); s.out.Ending == nil || e.GoawayFirst != nil {
		s.mergeEnding(e)
	}
	if first && !r.plan.http1 { // one request at a time leaves nothing in flight
		s.out.Crossing = x
	}
	s.count(r)
	return nil
}

// follow follows the first connection to its close; on the others it only waits for the answers
// that are due.
func (s *survey) follow(r *run, first bool) (*facts.Crossing, error) {
	if first {
		return r.cross(late)
	}
	r.until = time.Time{}
	return nil, r.owed()
}

// mergeEnding keeps how the first connection closed, and takes How from a later one, which met its
// end with one request in flight. With a hundred streams in flight, an id that lay ahead when it
// was sent (HAProxy) may be the newest stream when it is read.
func (s *survey) mergeEnding(e *facts.Ending) {
	kept := s.out.Ending
	if kept == nil {
		s.out.Ending = e
		return
	}
	ahead := kept.How == facts.EndedByGoaway && e.How == facts.EndedByFutureID
	if kept.How != e.How && !ahead {
		s.note("note.two-endings", kept.How, e.How)
	}
	kept.How, kept.GoawayFirst = e.How, e.GoawayFirst
}

// outOfTime records a connection that exceeded its maximum time.
func (s *survey) outOfTime(answered int) {
	s.out.Budget.Stopped = facts.NewNote("stop.time", s.ask.MaxTime.String())
	s.note("note.out-of-time", s.ask.MaxTime.String(), answered)
}

// noEnd records a connection that did not end: its limit, if there is one, is at least what it got.
func (s *survey) noEnd(r *run) {
	if b := &s.out.Budget; b.Most == nil {
		b.Least = max(b.Least, r.answered)
	}
}

// count records what a connection got before it ended.
func (s *survey) count(r *run) {
	b := &s.out.Budget
	got := r.answered
	b.Counts = append(b.Counts, got)
	least, most := slices.Min(b.Counts), slices.Max(b.Counts)
	b.Least, b.Most = least, &most
	if r.first == nil || r.first.code != http2.ErrCodeNo {
		return
	}
	if named := int(r.last.last/2) + 1; named < r.first.sent && got < named {
		s.note("note.fewer-answers", int(r.last.last), named, got)
	}
}

// startAgain opens a connection. A server that answered before and refuses connections now may be restarting, as
// Uvicorn does after --limit-max-requests: it is asked again for a while, and how long it refused is returned. A balancer in
// front of a server that restarts accepts the connection and hangs up, and so does one that allows a client few connections
// and has not yet seen the end of the one before.
func (s *survey) startAgain(ctx context.Context, p plan) (r *run, refused time.Duration, err error) {
	const patience, pause = 5 * time.Second, 100 * time.Millisecond
	began := time.Now()
	for {
		r, err = start(ctx, s.target, p)
		if !system.Refused.Is(err) && !hungUp(err) || refused > patience || !afterwards(ctx, pause) {
			return r, refused, err
		}
		refused = time.Since(began)
	}
}

// hold keeps a connection that was not ended in light use.
func (s *survey) hold(r *run) error {
	watch := min(s.ask.Hold, s.ask.MaxTime)
	return r.lightly(r.opened.Add(watch), pauses(watch, s.reserve()))
}

// light opens a connection after a while and watches it in light use.
func (s *survey) light(ctx context.Context, opens, watch time.Duration) (*run, error) {
	if !afterwards(ctx, opens) {
		return nil, ctx.Err()
	}
	r, _, err := s.startAgain(ctx, plan{http1: s.ask.HTTP1, spare: late})
	if err != nil {
		return nil, err
	}
	defer r.close()
	pause := pauses(watch, min(lightRequests, s.ask.MaxStreams))
	if s.ask.Rate > 0 {
		pause = max(pause, time.Duration(lights/s.ask.Rate*float64(time.Second)))
	}
	err = r.lightly(r.opened.Add(watch), pause)
	return r, errors.Join(err, r.owed())
}

// pauses is the time between requests that makes at most so many of them, of which the first goes at
// once and the last at the end.
func pauses(watch time.Duration, requests int) time.Duration {
	return max(leastLight, watch/time.Duration(max(1, requests-leastRequests+1)))
}

// lightly sends a request every pause until the connection ends, and a last one at the given time:
// nginx, for one, compares a connection's age with keepalive_time only when a request arrives.
func (r *run) lightly(until time.Time, pause time.Duration) error {
	r.pace, r.until = newPace(0), time.Time{}
	next := time.Now()
	for !r.over() {
		last := !time.Now().Before(until)
		if !last && time.Now().Before(next) {
			if err := r.step(earliest(next, until)); err != nil {
				return err
			}
			continue
		}
		r.plan.atMost, r.quiet = r.sent+1, !last
		if err := r.toTheEnd(); err != nil || last {
			return err
		}
		next = time.Now().Add(pause)
	}
	return nil
}

// afterwards waits, unless the context ends first.
func afterwards(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

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
			s.note("note.error", facts.Text(noteOf(errs[i])))
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
		if !s.out.Budget.Stopped.IsZero() || n >= s.ask.Connections && !s.tellsMore(c, n, began) {
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
