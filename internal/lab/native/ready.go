package native

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

	"h2lab/internal/facts"
)

// askTimeout bounds one question to a server that accepts and doesn't answer.
const askTimeout = 2 * time.Second

// healthURLs are what a server must answer before it counts as ready: its front
// over TLS, without asking its upstream, and its counters.
func healthURLs(s facts.Server) []string {
	switch s.Kind {
	case facts.Nginx:
		return []string{"https://" + s.Front + "/lab/health", "http://" + s.Counters + "/stub_status"}
	case facts.Envoy:
		return []string{"https://" + s.Front + "/lab/health", "http://" + s.Counters + "/ready"}
	default:
		return []string{"https://" + s.Front + "/healthz", "http://" + s.Counters + "/healthz"}
	}
}

// healthClient verifies the servers against the lab's CA and leaves no
// connection behind that a server would have to wait for.
func healthClient(root string) (*http.Client, error) {
	text, err := os.ReadFile(filepath.Join(root, caFile))
	if err != nil {
		return nil, &CertificateError{File: caFile, Err: plain(err)}
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(text) {
		return nil, &CertificateError{File: caFile, Err: errors.New("no PEM certificate in it")}
	}
	return &http.Client{Timeout: askTimeout, Transport: &http.Transport{
		DisableKeepAlives: true,
		TLSClientConfig:   &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
	}}, nil
}

// healthy asks a server once.
func healthy(ctx context.Context, client *http.Client, s facts.Server) error {
	for _, url := range healthURLs(s) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return err
		}
		resp, err := client.Do(req)
		if err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<20))
		_ = resp.Body.Close()
		if err != nil {
			return fmt.Errorf("GET %s: %w", url, err)
		}
		if resp.StatusCode != http.StatusOK {
			return fmt.Errorf("GET %s: status %d", url, resp.StatusCode)
		}
	}
	return nil
}

// waitReady asks until the server answers. It gives up when the server has
// died, when the context ends, and after within.
func waitReady(ctx context.Context, client *http.Client, p *process, within time.Duration) error {
	deadline := time.NewTimer(within)
	defer deadline.Stop()
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for {
		err := healthy(ctx, client, p.server)
		// A stranger could answer in a dead server's place, so that it lives is asked last.
		if !p.Alive() {
			return p.died()
		}
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for %s: %w", p.server.Name, ctx.Err())
		case <-deadline.C:
			return fmt.Errorf("%s is not ready after %v: %w; what it said: cat %s", p.server.Name, within, err, p.log)
		case <-again.C:
		}
	}
}
