// Command backend is the last server of every topology. It serves TLS with HTTP/2 and HTTP/1.1,
// sets no limit on requests per connection, and keeps the ledger that the proxies' and the clients'
// counts are compared with.
//
// The backend measures and judges nothing: the verdict rules decide what a duplicate or a lost POST
// means.
//
// It has two listeners, so that reading the counters never changes them. The front (TLS) serves the
// requests; the other (plain HTTP) shows the ledger as JSON and in Prometheus text. The second
// listener accepts a loopback address only and refuses requests that a web page can send; the front
// listens on loopback by default.
package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/alecthomas/kong"
	"golang.org/x/net/netutil"

	"h2lab/internal/base/loopback"
	"h2lab/internal/facts"
)

// The exit statuses, as everywhere in the lab.
const (
	done       = 0
	couldNot   = 1
	wrongUsage = 2
	isMissing  = 3
)

const about = `The lab's server behind the proxies: TLS 1.2 and 1.3 with session tickets, HTTP/2 and HTTP/1.1, no limit on requests per
connection.

/delay answers 200 after ms milliseconds, without a body; /check the same, with the body "ok"; /echo sends the body back after ms, for
any method; /post takes JSON and answers after ms with that many random fields (X-Lab-Text-Length is the sum of the lengths of the
string values it received, in UTF-16 units). /timings.json says how many requests took how long since the start:
{"unit":"us","counts":[[time,count],…]}`

type config struct {
	Listen   string        `default:"127.0.0.1:18443" placeholder:"ADDR" help:"TLS front: /delay?ms= /check?ms= /echo?ms= /post/{ms}/{items} /healthz, gRPC h2lab.Echo/Say (${default})."`
	Counters string        `default:"127.0.0.1:18090" placeholder:"ADDR" help:"Plain HTTP, loopback only: /ledger.json /timings.json /metrics /healthz, POST /ids/forget (${default})."`
	Cert     string        `default:"certs/out/server.crt" placeholder:"FILE" help:"Certificate (${default})."`
	Key      string        `default:"certs/out/server.key" placeholder:"FILE" help:"Its private key (${default})."`
	Grace    time.Duration `default:"5s" help:"How long a stop waits for answers in flight (${default})."`
}

// Running the garbage collector less often makes a request cost about a tenth less processor time
// (measured over h2, GOGC 100 against 400); the soft memory limit bounds the memory under attack.
const (
	gcPercent   = 400
	memoryLimit = 512 << 20
)

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	context.AfterFunc(ctx, stop) // after the first signal a second one ends the process at once
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run runs the program and returns the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	logs := log.New(stderr, "backend: ", 0)
	cfg, helped, err := parse(args, stdout)
	if err == nil && !helped {
		err = start(ctx, cfg, logs)
	}
	if err == nil {
		return done
	}
	logs.Print(err)
	if f := new(failure); errors.As(err, &f) {
		return f.status
	}
	return couldNot
}

func start(ctx context.Context, cfg config, logs *log.Logger) error {
	cert, err := loadCert(cfg.Cert, cfg.Key, time.Now())
	if err != nil {
		return err
	}
	s, err := open(cfg, cert, logs)
	if err != nil {
		return err
	}
	logs.Printf("serving h2 and http/1.1 over TLS on %s, the ledger on http://%s/ledger.json; %s (%s) is good until %s",
		s.frontLn.Addr(), s.cntrLn.Addr(), cfg.Cert, cert.Leaf.PublicKeyAlgorithm,
		cert.Leaf.NotAfter.Format(time.RFC3339))
	return s.serve(ctx)
}

// parse reads the flags and checks what it can check without opening files or ports. helped is true after --help.
func parse(args []string, stdout io.Writer) (cfg config, helped bool, err error) {
	k, err := kong.New(&cfg, kong.Name("backend"), kong.Description(about), kong.Writers(stdout, stdout),
		kong.Exit(func(int) { helped = true }))
	if err != nil {
		return cfg, false, err
	}
	if _, err := k.Parse(args); helped {
		return cfg, true, nil
	} else if err != nil {
		return cfg, false, usage("%w; see: backend --help", err)
	}
	if cfg.Grace <= 0 {
		return cfg, false, usage("--grace %s is not a time above zero; use e.g. --grace 5s", cfg.Grace)
	}
	if _, _, err := net.SplitHostPort(cfg.Listen); err != nil {
		return cfg, false, usage("--listen %q is not HOST:PORT; use e.g. --listen 127.0.0.1:18443", cfg.Listen)
	}
	return cfg, false, loopbackOnly(cfg.Counters)
}

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
	frontLn, err := listen("--listen", cfg.Listen)
	if err != nil {
		return nil, err
	}
	cntrLn, err := listen("--counters", cfg.Counters)
	if err != nil {
		_ = frontLn.Close()
		return nil, err
	}
	l := newLedger()
	return &server{
		ledger:   l,
		front:    newFrontServer(l, cert, logs),
		counters: newCountersServer(l, logs),
		frontLn:  trackingListener{netutil.LimitListener(frontLn, maxConnections)},
		cntrLn:   cntrLn,
		grace:    cfg.Grace,
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

// quiet lists the prefixes of the lines that net/http logs for a connection that ends before its
// first request. A stampede causes a thousand such lines a second; the backend counts them instead
// of writing them.
var quiet = [][]byte{
	[]byte("http: TLS handshake error"),
	[]byte("http2: server: error reading preface"),
}

// frontLog passes on net/http's log of the front, without the quiet lines.
type frontLog struct {
	ledger *ledger
	logs   *log.Logger
}

// Write receives one line of a log.Logger.
func (f *frontLog) Write(line []byte) (int, error) {
	for _, q := range quiet {
		if bytes.HasPrefix(line, q) {
			f.ledger.handshakeErrors.Add(1)
			return len(line), nil
		}
	}
	f.logs.Print(string(line))
	return len(line), nil
}

// failure is an error that decides the exit status.
type failure struct {
	error
	status int
}

func missing(format string, args ...any) error {
	return &failure{fmt.Errorf(format, args...), isMissing}
}

func usage(format string, args ...any) error {
	return &failure{fmt.Errorf(format, args...), wrongUsage}
}

// loadCert reads the certificate and key and rejects a certificate that is not valid today.
func loadCert(certFile, keyFile string, now time.Time) (tls.Certificate, error) {
	cert, err := tls.LoadX509KeyPair(certFile, keyFile)
	if path := new(fs.PathError); errors.As(err, &path) {
		return cert, missing("%s: %v; make a pair with: make certs", path.Path, path.Err)
	}
	if err != nil {
		return cert, missing("%s and %s are no pair (%v); make a new one with: make certs", certFile, keyFile, err)
	}
	switch leaf := cert.Leaf; {
	case now.After(leaf.NotAfter):
		err = missing("%s expired on %s; renew it with: make certs", certFile, leaf.NotAfter.Format(time.RFC3339))
	case now.Before(leaf.NotBefore):
		err = missing("%s is not valid before %s; look at the clock (date), then: make certs", certFile,
			leaf.NotBefore.Format(time.RFC3339))
	}
	return cert, err
}

// loopbackOnly rejects an address that other machines can reach.
func loopbackOnly(addr string) error {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return usage("--counters %q is not HOST:PORT; use e.g. --counters 127.0.0.1:18090", addr)
	}
	ip, err := netip.ParseAddr(host)
	if err != nil || !ip.IsLoopback() {
		return usage("--counters %s is not a loopback address, and the ledger is never served to a network; use "+
			"--counters 127.0.0.1:%s", addr, port)
	}
	return nil
}

// listen binds an address; its error names the address and the flag.
func listen(flag, addr string) (net.Listener, error) {
	ln, err := net.Listen("tcp", addr)
	if err == nil {
		return ln, nil
	}
	if errors.Is(err, syscall.EADDRINUSE) {
		_, port, _ := net.SplitHostPort(addr)
		return nil, fmt.Errorf("%s %s: the address is in use; find the program with: ss -ltnp sport = :%s (%w)", flag, addr,
			port, err)
	}
	return nil, fmt.Errorf("%s %s: %w", flag, addr, err)
}
