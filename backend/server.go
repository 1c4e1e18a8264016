package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"time"

	"h2lab/internal/base/loopback"
	"h2lab/internal/facts"
)

const (
	// readTimeout limits the TLS handshake, and a request's headers and body together; writeTimeout
	// limits the answer.
	readTimeout  = time.Minute
	writeTimeout = 2 * time.Minute
	// idleTimeout is longer than any measurement, so that only the proxies cause renewals.
	idleTimeout = 10 * time.Minute
	// maxHeaderBytes limits the size of a request's headers.
	maxHeaderBytes = 16 << 10
)

// server is the two listeners and their common ledger.
type server struct {
	ledger          *ledger
	front, counters *http.Server
	frontLn, cntrLn net.Listener
	grace           time.Duration
}

// open binds both addresses; serve starts to answer.
func open(cfg config, cert tls.Certificate, logs *log.Logger) (*server, error) {
	frontLn, err := listen("--listen", cfg.listen)
	if err != nil {
		return nil, err
	}
	cntrLn, err := listen("--counters", cfg.counters)
	if err != nil {
		_ = frontLn.Close()
		return nil, err
	}
	l := newLedger()
	return &server{
		ledger:   l,
		front:    newFrontServer(l, cert, logs),
		counters: newCountersServer(l, logs),
		frontLn:  trackConns(frontLn, maxConnections),
		cntrLn:   cntrLn,
		grace:    cfg.grace,
	}, nil
}

// newFrontServer sets no limit on the requests of a connection; net/http has none. TLS session
// tickets keep Go's default: on, with keys that Go makes and rotates, so TLS 1.2 and 1.3 clients
// that keep sessions resume them.
func newFrontServer(l *ledger, cert tls.Certificate, logs *log.Logger) *http.Server {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	return &http.Server{
		Handler:   newFront(l),
		Protocols: protocols, // by ALPN, h2 first
		TLSConfig: &tls.Config{
			MinVersion:   tls.VersionTLS12,
			Certificates: []tls.Certificate{cert},
		},
		HTTP2:             &http.HTTP2Config{MaxConcurrentStreams: facts.MaxConcurrentStreams},
		ReadHeaderTimeout: readTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ConnState:         l.moved,
		ConnContext:       keepConn,
		ErrorLog:          log.New(&frontLog{l, logs}, "", 0),
	}
}

func newCountersServer(l *ledger, logs *log.Logger) *http.Server {
	return &http.Server{
		Handler:        loopback.Only(newCounters(l)),
		ReadTimeout:    10 * time.Second,
		WriteTimeout:   10 * time.Second,
		IdleTimeout:    idleTimeout,
		MaxHeaderBytes: maxHeaderBytes,
		ErrorLog:       logs,
	}
}

// serve runs both servers until ctx ends or one of them fails. It then shuts the front down
// gracefully (GOAWAY; answers in flight get at most grace) and stops the counters last, so that the
// final ledger can be read.
func (s *server) serve(ctx context.Context) error {
	failed := make(chan error, 2)
	go func() { failed <- s.front.ServeTLS(s.frontLn, "", "") }()
	go func() { failed <- s.counters.Serve(s.cntrLn) }()
	var err error
	select {
	case <-ctx.Done():
	case err = <-failed:
		err = fmt.Errorf("the server stopped unexpectedly: %w", err)
	}
	return errors.Join(err, s.stop())
}

func (s *server) stop() error {
	defer s.counters.Close()
	ctx, cancel := context.WithTimeout(context.Background(), s.grace)
	defer cancel()
	if err := s.front.Shutdown(ctx); err == nil || !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	cut := s.ledger.open.Load()
	if err := s.front.Close(); err != nil {
		return fmt.Errorf("closing the front: %w", err)
	}
	if cut > 0 {
		return fmt.Errorf("%d requests were still in flight %s after the stop signal and were aborted; allow more "+
			"with --grace", cut, s.grace)
	}
	return nil
}
