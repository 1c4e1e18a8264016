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
}

// watchInFlight reads how many requests the backend is handling, and how many it has received, until the
// returned function is called. The backend counts them, so a program can't claim it.
func (d *Desk) watchInFlight(ctx context.Context) func() seen {
	ctx, stop := context.WithCancel(ctx)
	all := make(chan seen, 1)
	url := "http://" + d.topology(lowNginx).BackendServer().Counters + "/ledger.json"
	go func() {
		transport := &http.Transport{} // no proxy
		defer transport.CloseIdleConnections()
		client := &http.Client{Transport: transport, Timeout: time.Second}
		every := time.NewTicker(inFlightEvery)
		defer every.Stop()
		var s seen
		for {
			select {
			case <-ctx.Done():
				all <- s
				return
			case <-every.C:
				if open, received, ok := backendNow(ctx, client, url); ok {
					s.peak, s.ticks = max(s.peak, open), append(s.ticks, tick{time.Now(), received})
				}
			}
		}
	}()
	return func() seen {
		stop()
		return <-all
	}
}

// backendNow returns how many requests the backend is handling and how many it has received. If it never
// answers, no request is seen in flight: a check that needs the number fails then, and never passes.
func backendNow(ctx context.Context, client *http.Client, url string) (open, received int64, ok bool) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, 0, false
	}
	res, err := client.Do(req)
	if err != nil {
		return 0, 0, false
	}
	defer func() { _ = res.Body.Close() }()
	var page struct {
		Open     int64 `json:"open_streams"`
		Requests struct {
			H1 int64 `json:"h1"`
			H2 int64 `json:"h2"`
		} `json:"requests"`
	}
	if json.NewDecoder(res.Body).Decode(&page) != nil {
		return 0, 0, false
	}
	return page.Open, page.Requests.H1 + page.Requests.H2, true
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
