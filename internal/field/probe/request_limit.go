package probe

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/net/http2"

	"h2lab/internal/facts"
)

const (
	// closingNone is the value of facts.Limit's Closing without a limit; the others are
	// facts.EndedBy….
	closingNone = "none"
	// attempts is how many connections may be used to find a limit: one finds it roughly, the next
	// exactly, and one is a spare.
	attempts = 3
	// secondStage is how long to wait for the final GOAWAY after an announcement. Envoy needs five
	// seconds (drain_timeout), too long for a probe before each cell.
	secondStage = 250 * time.Millisecond
)

// RequestLimit measures how many requests one HTTP/2 connection gets. It sends at most atMost. hint
// is the expected limit (0: unknown): requests up to it are pipelined, those around it go one at a
// time, so that the number is exact even if the server only announces that it will stop.
//
// If a server sends the last-stream-id of its last request (nginx: 2N − 1), RequestLimit uses that,
// and requires just as many answers. If it sends one that lies ahead (Envoy: 2^31 − 1; HAProxy),
// the limit is the request that triggered the GOAWAY.
func RequestLimit(ctx context.Context, t Target, atMost, hint int) (facts.Limit, error) {
	p := plan{atMost: atMost, busyCounts: true}
	if hint > 0 {
		p.alone = spans{{hint - careful, hint + careful}}
	}
	return requestLimit(ctx, t, p)
}

// RequestLimitH1 measures how many requests one HTTP/1.1 connection gets.
//
// It pipelines requests, which is fast, but some servers handle it badly: Envoy closes after the
// second answer if more requests wait. So if a connection ended while requests waited, another
// connection sends the requests around that point one at a time.
func RequestLimitH1(ctx context.Context, t Target, atMost int) (facts.Limit, error) {
	return requestLimit(ctx, t, plan{http1: true, atMost: atMost, busyCounts: true})
}

// requestLimit brings connections to their limit until one shows it exactly. The first has as many
// requests in flight as allowed; the next ones send one at a time around the place where the one
// before ended.
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
		p.alone = spans{r.around()}
		if p.http1 && n > 0 { // pipelining disturbed this connection too
			p.alone = all
		}
	}
	return facts.Limit{},
		fmt.Errorf("%s ends connections after a different number of requests each time; is it being reloaded?", t.Addr)
}

// limit brings the connection to its end and derives the limit. It is exact unless the connection
// ended while requests were pipelined and the server did not name the last one.
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

// exact reports whether the ending shows the number of requests. With pipelined requests, a GOAWAY
// whose id is exactly the newest stream is ambiguous: the stream may be the last accepted one, or
// the id may have lain ahead when it was sent (HAProxy).
func (r *run) exact() bool {
	if r.first != nil {
		return r.first.last < streamOf(r.first.sent) || r.plan.alone.has(r.first.sent)
	}
	return r.answered == r.sent || r.plan.alone.has(r.sent)
}

// met is the limit that an exact ending shows.
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

// settle reads the answers that a GOAWAY still promises, and the second GOAWAY of an announcement
// if it comes soon.
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
