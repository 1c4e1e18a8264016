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

// watchInFlight reads how many requests the backend is handling until the returned function is
// called, which returns the largest number. The backend counts them, so a program can't claim it.
func (d *Desk) watchInFlight(ctx context.Context) func() int64 {
	ctx, stop := context.WithCancel(ctx)
	most := make(chan int64, 1)
	url := "http://" + d.topology(lowNginx).BackendServer().Counters + "/ledger.json"
	go func() {
		transport := &http.Transport{} // no proxy
		defer transport.CloseIdleConnections()
		client := &http.Client{Transport: transport, Timeout: time.Second}
		every := time.NewTicker(inFlightEvery)
		defer every.Stop()
		var peak int64
		for {
			select {
			case <-ctx.Done():
				most <- peak
				return
			case <-every.C:
				peak = max(peak, openNow(ctx, client, url))
			}
		}
	}()
	return func() int64 {
		stop()
		return <-most
	}
}

// openNow returns how many requests the backend is handling, or 0 if it doesn't answer: a check
// that needs the number fails then, and never passes.
func openNow(ctx context.Context, client *http.Client, url string) int64 {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0
	}
	res, err := client.Do(req)
	if err != nil {
		return 0
	}
	defer func() { _ = res.Body.Close() }()
	var page struct {
		Open int64 `json:"open_streams"`
	}
	if json.NewDecoder(res.Body).Decode(&page) != nil {
		return 0
	}
	return page.Open
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
