package counters

import (
	"context"
	"fmt"
	"net/http"

	"h2lab/internal/facts"
)

// ForgetIDs makes the backend forget the request ids it has seen, so that their memory stays
// bounded and distinct and duplicates stay exact. The backend's counters continue.
func ForgetIDs(ctx context.Context, backend facts.Server) error {
	return post(ctx, "http://"+backend.Counters+"/ids/forget", "ids of "+backend.Name+" are not forgotten")
}

// post sends a request without a body that changes a server's state; wrong describes its failure.
func post(ctx context.Context, url, wrong string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, nil)
	if err != nil {
		return fmt.Errorf("%s: %w", wrong, err)
	}
	client := http.Client{Timeout: viewTimeout, Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		return fmt.Errorf("%s: %w; try: curl -X POST %s", wrong, err, url)
	}
	_ = resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("%s: %s; try: curl -i -X POST %s", wrong, resp.Status, url)
	}
	return nil
}
