//go:build integration

package main

import (
	"bytes"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"h2lab/internal/base/labtest"
	"h2lab/internal/field/decode"
)

const decodeConf = `daemon off; worker_processes 1; pid %[1]s/nginx.pid; error_log %[1]s/error.log debug;
events { worker_connections 1024; }
http {
  client_body_temp_path %[1]s/b; proxy_temp_path %[1]s/p; fastcgi_temp_path %[1]s/f; uwsgi_temp_path %[1]s/u; ` +
	`scgi_temp_path %[1]s/s;
  access_log off;
  server { listen 127.0.0.1:%[2]d ssl http2; ssl_certificate %[1]s/server.crt; ssl_certificate_key %[1]s/server.key;
    keepalive_requests 20;
    location / { return 200 "ok\n"; } } }
`

// readOnce is a body that can't be read again.
type readOnce struct{ io.Reader }

// lostPosts sends POSTs whose body can't be sent again, as so many users, and returns what net/http says when they fail.
func lostPosts(t *testing.T, url string, cert labtest.Cert, users int, more func(sent int) bool) string {
	t.Helper()
	tr := &http.Transport{ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{RootCAs: cert.Pool}}
	defer tr.CloseIdleConnections()
	client := &http.Client{Transport: tr, Timeout: 20 * time.Second}
	var mu sync.Mutex
	var log strings.Builder
	var wg sync.WaitGroup
	for range users {
		wg.Go(func() {
			for sent := 0; more(sent); sent++ {
				resp, err := client.Post(url, "text/plain", readOnce{strings.NewReader("1")})
				if err != nil {
					mu.Lock()
					fmt.Fprintf(&log, "ERROR app: %v\n", err)
					mu.Unlock()
					continue
				}
				_, _ = io.Copy(io.Discard, resp.Body)
				_ = resp.Body.Close()
			}
		})
	}
	wg.Wait()
	if log.Len() == 0 {
		t.Fatal("no request failed: the limit was not met")
	}
	return log.String()
}

// decode reads the errors that a real client gets and a real nginx logs at the limit: Go's error
// says that the request wasn't executed, and nginx's last-stream-id gives the limit.
func TestDecodeWhatARealLimitLeavesInLogs(t *testing.T) {
	dir := t.TempDir()
	cert := labtest.WriteCert(t, dir)
	port := labtest.FreePort(t)
	labtest.Nginx(t, dir, port, fmt.Sprintf(decodeConf, dir, port))
	log := lostPosts(t, fmt.Sprintf("https://127.0.0.1:%d/", port), cert, 30, func(sent int) bool { return sent < 40 })
	app := filepath.Join(dir, "app.log")
	labtest.Write(t, app, log)
	said := decodedFile(t, app)
	if said.Unknown != 0 || said.Other != 0 {
		t.Errorf("of the client's own errors %d are unknown:\n%s", said.Unknown+said.Other, log)
	}
	if want := fmt.Sprintf("h2lab probe https://127.0.0.1:%d/", port); said.Next.String() != want {
		t.Errorf("next: %s, want %s", said.Next, want)
	}
	counts := map[string]int{}
	for _, f := range decodedFile(t, filepath.Join(dir, "error.log")).Findings {
		counts[f.ID] += f.Count
		if f.ID == "nginx-send-goaway" && (f.Facts.Requests == nil || *f.Facts.Requests != 20) {
			t.Errorf("nginx's GOAWAYs are read as %v of %v", f.Facts.Requests, f.LastStreamIDs)
		}
	}
	if counts["nginx-send-goaway"] == 0 || counts["nginx-skip-headers"] == 0 {
		t.Errorf("nginx's debug log: %v", counts)
	}
}

func decodedFile(t *testing.T, file string) decode.Report {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if got := run(t.Context(), []string{"decode", "--json", file}, &stdout, &stderr); got != statusDone {
		t.Fatalf("status %d: %s", got, stderr.String())
	}
	var r decode.Report
	if err := json.Unmarshal(stdout.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	return r
}
