package compose

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"h2lab/internal/base/await"
)

// Health is the health check of one server.
type Health struct {
	URL    string // https; its certificate is verified
	CAFile string
	// Mark is a file that records that the server was healthy once; empty is one in the temporary
	// directory, which belongs to the container and starts empty with it.
	Mark string
	// Rest is the wait before the next check of a server that was healthy once; 0 is RestBetween.
	Rest time.Duration
}

// RestBetween is the time between two checks of a healthy server. A check adds a connection to the
// counters and a handshake to the server's CPU time, so hardly any may fall into a measurement.
const RestBetween = 10 * time.Minute

// patience bounds the wait for an answer, retries included.
const patience = 5 * time.Second

// Healthcheck is the health check of a service: it returns nil once the server has answered 200,
// and an error when it has not within five seconds. For a server that was healthy before, it waits
// first.
func Healthcheck(ctx context.Context, h Health) error {
	client, err := verifying(h.CAFile)
	if err != nil {
		return err
	}
	if h.Mark == "" {
		h.Mark = filepath.Join(os.TempDir(), "h2lab-healthy")
	}
	if h.Rest == 0 {
		h.Rest = RestBetween
	}
	if _, err := os.Stat(h.Mark); err == nil {
		if err := await.Pause(ctx, h.Rest); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := askUntilHealthy(ctx, client, h.URL); err != nil {
		return err
	}
	// Without the mark, the next check only comes earlier.
	_ = os.WriteFile(h.Mark, nil, 0o600)
	return nil
}

// askUntilHealthy sends requests until the answer is 200 or ctx ends; then it returns the last
// error.
func askUntilHealthy(ctx context.Context, client *http.Client, url string) error {
	var last error
	for {
		err := ask(ctx, client, url)
		if err == nil {
			return nil
		}
		if !errors.Is(err, context.DeadlineExceeded) || last == nil {
			last = err
		}
		if await.Pause(ctx, 50*time.Millisecond) != nil {
			return last
		}
	}
}

func ask(ctx context.Context, client *http.Client, url string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return fmt.Errorf("health check: %w", err)
	}
	response, err := client.Do(request)
	if err != nil {
		return fmt.Errorf("health check: %w", err)
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, 1<<16))
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("health check: %s answered %s", url, response.Status)
	}
	return nil
}

// verifying is an HTTP client that trusts one CA and keeps no connection.
func verifying(caFile string) (*http.Client, error) {
	pem, err := os.ReadFile(caFile)
	if err != nil {
		return nil, fmt.Errorf("the certificate authority: %w; make it with: make certs", err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s holds no certificate; make it again: rm -r certs/out && make certs", caFile)
	}
	return &http.Client{Timeout: 2 * time.Second, Transport: &http.Transport{
		DisableKeepAlives: true,
		TLSClientConfig:   &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
	}}, nil
}
