package main

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"syscall"
	"time"
)

// errMissing marks errors that give status 3: something required is not there.
var errMissing = errors.New("missing")

// errUsage marks errors that give status 2.
var errUsage = errors.New("usage")

// statusError is an error whose kind decides the exit status but is not printed.
type statusError struct {
	kind error
	msg  string
	err  error
}

func (e *statusError) Error() string   { return e.msg }
func (e *statusError) Unwrap() []error { return []error{e.kind, e.err} }

func missing(cause error, format string, args ...any) error {
	return &statusError{errMissing, fmt.Sprintf(format, args...), cause}
}

func usage(format string, args ...any) error {
	return &statusError{errUsage, fmt.Sprintf(format, args...), nil}
}

// loadCert reads the certificate and key and rejects a certificate that is not valid today.
func loadCert(certFile, keyFile string, now time.Time) (tls.Certificate, error) {
	cert, err := tls.LoadX509KeyPair(certFile, keyFile)
	if path := new(fs.PathError); errors.As(err, &path) {
		return cert, missing(err, "%s: %v; make a pair with: make certs", path.Path, path.Err)
	}
	if err != nil {
		return cert, missing(err, "%s and %s are no pair (%v); make a new one with: make certs", certFile, keyFile, err)
	}
	switch leaf := cert.Leaf; {
	case now.After(leaf.NotAfter):
		err = missing(nil, "%s expired on %s; renew it with: make certs", certFile, leaf.NotAfter.Format(time.RFC3339))
	case now.Before(leaf.NotBefore):
		err = missing(nil, "%s is not valid before %s; look at the clock (date), then: make certs", certFile,
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
