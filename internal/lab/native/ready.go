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

// askTimeout bounds one request to a server that accepts and doesn't answer.
const askTimeout = 2 * time.Second

// healthURLs are the URLs that a ready server answers: its front over TLS, without a request to its
// upstream, and its counters.
func healthURLs(s facts.Server) []string {
	switch s.Kind {
	case facts.Nginx:
		return []string{"https://" + s.Front + "/lab/health", "http://" + s.Counters + "/stub_status"}
	case facts.Envoy:
		return []string{"https://" + s.Front + "/lab/health", "http://" + s.Counters + "/ready"}
	case facts.Gateway:
		return []string{"https://" + s.Front + "/lab/health", "http://" + s.Counters + "/lab/ready"}
	case facts.Service:
		return []string{"http://" + s.Front + "/lab/ready"}
	default:
		return []string{"https://" + s.Front + "/healthz", "http://" + s.Counters + "/healthz"}
	}
}

// healthClient trusts the lab's CA and leaves no connection open that a server would have to wait
// for.
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

// healthy sends one request to each health URL of a server.
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

// waitReady sends requests until the server answers. It stops when any server has died, when the
// context ends, and after within.
func (s *Site) waitReady(ctx context.Context, client *http.Client, p *process, within time.Duration) error {
	deadline := time.NewTimer(within)
	defer deadline.Stop()
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for {
		err := healthy(ctx, client, p.server)
		// Another server could answer on a dead server's port, so the processes are checked last.
		for _, started := range s.processes {
			if !started.Alive() {
				return started.died()
			}
		}
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for %s: %w", p.server.Name, ctx.Err())
		case <-deadline.C:
			return fmt.Errorf("%s is not ready after %v: %w; its output: cat %s", p.server.Name, within, err, p.log)
		case <-again.C:
		}
	}
}
