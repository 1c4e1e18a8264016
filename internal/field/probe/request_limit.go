package probe

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/net/http2"

	"h2lab/internal/facts"
)

const (
	// closingNone is facts.Limit's Closing where no limit was met; the others are facts.EndedBy….
	closingNone = "none"
	// attempts is how often a limit is looked for: on a connection that finds
	// roughly where it is, one that finds it exactly, and one to spare.
	attempts = 3
	// secondStage is how long the final GOAWAY is waited for after an
	// announcement. Envoy needs five seconds (drain_timeout), which the limit isn't worth.
	secondStage = 250 * time.Millisecond
)

// RequestLimit asks: how many requests does one HTTP/2 connection get? It sends
// at most atMost. hint is where the limit is thought to be (0: no idea): up to
// there requests are pipelined, around it they go one at a time, so that the
// number is exact even where the server only announces that it will stop.
//
// A server that names the last stream it took (nginx: 2N − 1) is believed, and
// must have answered just as many. One that announces (Envoy: 2^31 − 1;
// HAProxy: an id in the future) is met at the request that made it do so.
func RequestLimit(ctx context.Context, t Target, atMost, hint int) (facts.Limit, error) {
	p := plan{atMost: atMost, busyCounts: true}
	if hint > 0 {
		p.alone = span{hint - careful, hint + careful}
	}
	return requestLimit(ctx, t, p)
}

// RequestLimitH1 asks: how many requests does one HTTP/1.1 connection get?
//
// Requests are pipelined, which is fast but not every server's friend: Envoy
// closes after the second answer when more requests wait behind it. So an end
// that was met with requests waiting is looked at again on another
// connection, where the requests around it go one at a time.
func RequestLimitH1(ctx context.Context, t Target, atMost int) (facts.Limit, error) {
	return requestLimit(ctx, t, plan{http1: true, atMost: atMost, busyCounts: true})
}

// requestLimit brings connections to their limit until one met it exactly: the first with as much
// in flight as is allowed, the next one request at a time around where the one before ended.
func requestLimit(ctx context.Context, t Target, p plan) (facts.Limit, error) {
	if p.atMost < 1 {
		return facts.Limit{}, fmt.Errorf("probe %s with at most %d requests: one is the least", t.Addr, p.atMost)
	}
	for n := range attempts {
		r, err := start(ctx, t, p)
		if err != nil {
			return facts.Limit{}, err
		}
		limit, exact, err := r.limit()
		r.close()
		if err != nil || exact {
			return limit, err
		}
		p.alone = r.around()
		if p.http1 && n > 0 { // pipelining disturbed this one too
			p.alone = all
		}
	}
	return facts.Limit{}, fmt.Errorf("%s ends connections after a different number of requests each time; is it being reloaded?", t.Addr)
}

// limit brings the connection to its end and reads the limit from it. It is exact unless it was met
// while requests were pipelined and the server did not name it.
func (r *run) limit() (limit facts.Limit, exact bool, err error) {
	if err := r.toTheEnd(); err != nil {
		return facts.Limit{}, false, err
	}
	limit = facts.Limit{ProbedRequests: r.sent, Closing: closingNone}
	switch g := r.first; {
	case !r.over():
		return limit, true, nil
	case g != nil && g.code != http2.ErrCodeNo:
		return limit, false, fmt.Errorf("%s ends the connection after %d requests with GOAWAY %v %q, which is "+
			"not a request limit; its log may say why",
			r.target.Addr, g.sent, g.code, short(g.debug))
	case r.answered == 0:
		if err := r.unanswered(); err != nil {
			return limit, false, err
		}
	}
	if !r.exact() {
		return limit, false, nil
	}
	return r.met(limit)
}

// exact reports whether the end was met where the number of requests can be told. Where requests
// are pipelined, a GOAWAY whose id is exactly the newest stream may name the last one taken or one
// that lay ahead when it was named (HAProxy).
func (r *run) exact() bool {
	if r.first != nil {
		return r.first.last < streamOf(r.first.sent) || r.plan.alone.has(r.first.sent)
	}
	return r.answered == r.sent || r.plan.alone.has(r.sent)
}

// met is the limit that an exact end shows.
func (r *run) met(limit facts.Limit) (facts.Limit, bool, error) {
	limit.Closing = r.how()
	got := r.answered
	if r.first != nil {
		if err := r.settle(); err != nil {
			return limit, false, err
		}
		g := r.first
		if last := r.last.last; last != announcement {
			limit.LastStreamID = &last
		}
		got = int(g.last+1) / 2
		switch {
		case g.last > streamOf(g.sent):
			got = g.sent
		case got == 0:
			return limit, false, fmt.Errorf("%s takes no request on a new connection; is it shutting down?",
				r.target.Addr)
		case got != r.answered:
			return limit, false, fmt.Errorf("%s named stream %d as its last, that is %d requests, and answered "+
				"%d; its log may say why",
				r.target.Addr, g.last, got, r.answered)
		}
	}
	limit.ProbedRequests, limit.Effective = r.sent, &got
	return limit, true, nil
}

// settle takes the answers that a GOAWAY still promises, and the second GOAWAY
// of an announcement if it comes soon.
func (r *run) settle() error {
	if err := r.owed(); err != nil {
		return err
	}
	for until := time.Now().Add(secondStage); r.last.last == announcement && !r.gone && time.Now().Before(until); {
		if err := r.step(until); err != nil {
			return err
		}
	}
	return nil
}
