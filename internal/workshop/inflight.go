package workshop

import (
	"context"
	"encoding/json"
	"net/http"
	"time"
)

// How many requests the exercises keep in flight, and what the backend may see of them. A reading
// every few milliseconds can miss the moment in which all fifty are there, and Go's transport may
// hold back some of them for a moment, so the bounds are wide; they exclude one, six and five hundred.
const (
	inFlightAsked = 50
	inFlightLeast = 30
	inFlightMost  = 60
	// inFlightEvery is the interval between readings; the exercises' requests take longer.
	inFlightEvery = 4 * time.Millisecond
)

// seen is what the backend counted while a program ran.
type seen struct {
	peak  int64 // the most requests in flight
	ticks []tick

	first, last backendPage
}

// past is how many requests came to the backend without the front, which asks it over HTTP/1.1.
func (s seen) past() int64 { return s.last.Requests.H2 - s.first.Requests.H2 }

// posted is how many POSTs with a body and an id it executed.
func (s seen) posted() int64 { return s.last.Posted - s.first.Posted }

// watchInFlight reads how many requests the backend is handling, and how many it has received, until the
// returned function is called. The backend counts them, so a program can't claim it.
func (d *Desk) watchInFlight(ctx context.Context) func() seen {
	ctx, stop := context.WithCancel(ctx)
	all := make(chan seen, 1)
	url := "http://" + d.topology(lowNginx).BackendServer().Counters + "/ledger.json"
	transport := &http.Transport{} // no proxy
	client := &http.Client{Transport: transport, Timeout: time.Second}
	before, _ := backendNow(ctx, client, url)
	go func() {
		defer transport.CloseIdleConnections()
		every := time.NewTicker(inFlightEvery)
		defer every.Stop()
		s := seen{first: before}
		for {
			select {
			case <-ctx.Done():
				if p, ok := backendNow(context.WithoutCancel(ctx), client, url); ok {
					s.last = p
				}
				all <- s
				return
			case <-every.C:
				if p, ok := backendNow(ctx, client, url); ok {
					s.peak, s.ticks, s.last = max(s.peak, p.Open), append(s.ticks, tick{time.Now(), p.received()}), p
				}
			}
		}
	}()
	return func() seen {
		stop()
		return <-all
	}
}

// backendPage has the fields of the backend's ledger.json that the checks use.
type backendPage struct {
	Open     int64 `json:"open_streams"`
	Posted   int64 `json:"posted"`
	Requests struct {
		H1 int64 `json:"h1"`
		H2 int64 `json:"h2"`
	} `json:"requests"`
}

func (p backendPage) received() int64 { return p.Requests.H1 + p.Requests.H2 }

// backendNow reads the backend's ledger. If it never answers, no request is seen in flight: a check that needs the
// number fails then, and never passes.
func backendNow(ctx context.Context, client *http.Client, url string) (page backendPage, ok bool) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return page, false
	}
	res, err := client.Do(req)
	if err != nil {
		return page, false
	}
	defer func() { _ = res.Body.Close() }()
	return page, json.NewDecoder(res.Body).Decode(&page) == nil
}

// inFlightWrong says how a number of requests in flight differs from the one asked for, or "".
func inFlightWrong(c counted) string {
	switch {
	case c.inFlight < inFlightLeast:
		return "fewer"
	case c.inFlight > inFlightMost:
		return "more"
	}
	return ""
}
