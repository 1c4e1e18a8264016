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
	url := "http://" + backend.Counters + "/ids/forget"
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, nil)
	if err != nil {
		return fmt.Errorf("ids of %s: %w", backend.Name, err)
	}
	client := http.Client{Timeout: readTimeout, Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		return fmt.Errorf("ids of %s are not forgotten: %w; try: curl -X POST %s", backend.Name, err, url)
	}
	_ = resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("ids of %s are not forgotten: %s; try: curl -i -X POST %s", backend.Name, resp.Status, url)
	}
	return nil
}
