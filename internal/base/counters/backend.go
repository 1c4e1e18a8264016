package counters

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"h2lab/internal/facts"
)

// backend reads the ledger from a separate listener, whose connections and requests the ledger
// doesn't count.
type backend struct {
	*fetcher
	server facts.Server
}

func openBackend(s facts.Server) *backend { return newBackend(s, new(own)) }

func newBackend(s facts.Server, o *own) *backend {
	return &backend{newFetcher(s, "/ledger.json", o), s}
}

func (src *backend) twin() Source { return newBackend(src.server, src.own) }

// ledger has the fields of the backend's ledger.json that are used here.
type ledger struct {
	Connections *struct {
		New  int64 `json:"new"`
		Used int64 `json:"used"`
	} `json:"connections"`
	Requests *struct {
		H1 int64 `json:"h1"`
		H2 int64 `json:"h2"`
	} `json:"requests"`
	Executed   int64 `json:"executed"`
	Distinct   int64 `json:"distinct"`
	Duplicates int64 `json:"duplicates"`
	// Saturated means that the backend saw more ids than it can remember: distinct and duplicates
	// are no longer exact, so they are unknown.
	Saturated bool `json:"ids_saturated"`
}

// Observe implements Source.
func (src *backend) Observe(ctx context.Context) (facts.Observation, error) {
	src.own.Lock()
	defer src.own.Unlock()
	if err := src.get(ctx); err != nil {
		return facts.Observation{}, err
	}
	o := facts.Observation{At: time.Now()}
	var l ledger
	if err := json.Unmarshal(src.body.Bytes(), &l); err != nil {
		return facts.Observation{}, src.unreadable(err)
	}
	if l.Connections == nil || l.Requests == nil {
		return facts.Observation{}, src.unreadable(errors.New("no connections or requests in the ledger"))
	}
	o.Accepted, o.Used, o.Requests = new(l.Connections.New), new(l.Connections.Used), new(l.Requests.H1+l.Requests.H2)
	o.Raw = map[string]int64{"executed": l.Executed, "connections_new": l.Connections.New,
		"connections_used": l.Connections.Used,
		"requests_h1":      l.Requests.H1, "requests_h2": l.Requests.H2}
	if !l.Saturated {
		o.Raw["distinct"], o.Raw["duplicates"] = l.Distinct, l.Duplicates
	}
	return o, nil
}
