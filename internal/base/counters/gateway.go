package counters

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"h2lab/internal/facts"
)

// gateway reads the counters of Spring Cloud Gateway's front (services/spring). They are on a
// separate listener, whose connections and requests they don't count.
type gateway struct {
	*fetcher
	server facts.Server
}

func openGateway(s facts.Server) *gateway { return newGateway(s, new(own)) }

func newGateway(s facts.Server, o *own) *gateway {
	return &gateway{newFetcher(s, "/lab/counters.json", o), s}
}

func (src *gateway) twin() Source { return newGateway(src.server, src.own) }

// Observe implements Source.
func (src *gateway) Observe(ctx context.Context) (facts.Observation, error) {
	src.own.Lock()
	defer src.own.Unlock()
	if err := src.get(ctx); err != nil {
		return facts.Observation{}, err
	}
	o := facts.Observation{At: time.Now()}
	var page struct{ Accepted, Used, Requests *int64 }
	if err := json.Unmarshal(src.body.Bytes(), &page); err != nil {
		return facts.Observation{}, src.unreadable(err)
	}
	o.Accepted, o.Used, o.Requests = page.Accepted, page.Used, page.Requests
	for _, number := range []*int64{o.Accepted, o.Used, o.Requests} {
		if number == nil || *number < 0 {
			return facts.Observation{}, src.unreadable(
				errors.New("accepted, used and requests must be numbers from 0 up"))
		}
	}
	o.Raw = map[string]int64{"accepted": *o.Accepted, "used": *o.Used, "requests": *o.Requests}
	return o, nil
}
