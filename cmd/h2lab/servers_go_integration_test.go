//go:build integration

package main_test

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"h2lab/internal/base/labtest"
)

// golang is Go's own server in this process. With a limit its handler sets Connection: close once a
// connection has carried that many requests, as Traefik's keepAliveMaxRequests does.
func golang(t *testing.T, limit int64) (addr, ca string) {
	t.Helper()
	cert := labtest.WriteCert(t, t.TempDir())
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	type counter struct{}
	server := &http.Server{
		IdleTimeout: idleFor,
		TLSConfig:   &tls.Config{Certificates: []tls.Certificate{cert.Pair}},
		ConnContext: func(ctx context.Context, _ net.Conn) context.Context {
			return context.WithValue(ctx, counter{}, new(atomic.Int64))
		},
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if n := r.Context().Value(counter{}).(*atomic.Int64).Add(1); limit > 0 && n >= limit {
				w.Header().Set("Connection", "close")
			}
			_, _ = io.WriteString(w, "ok\n")
		}),
	}
	served := make(chan struct{})
	go func() { _ = server.ServeTLS(ln, "", ""); close(served) }()
	t.Cleanup(func() { _ = server.Close(); <-served })
	return ln.Addr().String(), cert.File
}

// origin is the server behind proxies that can only forward requests; nghttpx requires its address
// with a comma.
func origin(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "ok\n")
	}))
	t.Cleanup(s.Close)
	return strings.Replace(s.Listener.Addr().String(), ":", ",", 1)
}

// idleFor is how long every server here keeps an idle connection.
const idleFor = 2 * time.Second
