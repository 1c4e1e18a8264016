package probe

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"time"
)

const (
	// patience is how long the probe waits for a connection, a handshake or an
	// answer. Loopback needs a millisecond; five seconds forgive a starved CPU.
	patience = 5 * time.Second
	// authority is what every request names, as the servers' certificates do.
	authority = "localhost"
	// defaultPath is answered by the lab's proxies themselves, without their upstream.
	defaultPath = "/lab/health"
)

// Target is a server that is asked.
type Target struct {
	// Addr is host:port of its TLS listener.
	Addr string
	// ServerName is the name its certificate must carry; empty is Addr's host.
	ServerName string
	// CAFile holds the certificates that may have signed it, in PEM; empty is the system's.
	CAFile string
	// Path is requested; empty is /lab/health. Any answer counts, whatever its status.
	Path string
}

// path is what is requested.
func (t Target) path() string {
	if t.Path == "" {
		return defaultPath
	}
	return t.Path
}

// line is a TLS connection to a target, with the TCP connection below it.
type line struct {
	tls  *tls.Conn
	tcp  *watched
	stop func() bool // detaches it from the context
}

func (l *line) close() {
	l.stop()
	_ = l.tcp.Close()
}

// watched is a TCP connection that remembers the peer's FIN. crypto/tls gives
// the same io.EOF for it as for TLS's own goodbye.
type watched struct {
	net.Conn
	fin bool
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.Conn.Read(p)
	if errors.Is(err, io.EOF) {
		w.fin = true
	}
	return n, err
}

// connect dials the target, verifies its certificate and insists on one protocol.
func connect(ctx context.Context, t Target, alpn string) (*line, error) {
	cfg, err := t.tlsConfig(alpn)
	if err != nil {
		return nil, err
	}
	dialCtx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var d net.Dialer
	tcp, err := d.DialContext(dialCtx, "tcp", t.Addr)
	if err != nil {
		return nil, fmt.Errorf("%s does not answer: %w; see who listens: ss -ltnp", t.Addr, err)
	}
	below := &watched{Conn: tcp}
	conn := tls.Client(below, cfg)
	if err := conn.HandshakeContext(dialCtx); err != nil {
		_ = tcp.Close()
		return nil, t.handshakeError(err, alpn)
	}
	if got := conn.ConnectionState().NegotiatedProtocol; got != alpn {
		_ = tcp.Close()
		return nil, t.alpnError(got, alpn)
	}
	return &line{tls: conn, tcp: below, stop: context.AfterFunc(ctx, func() { _ = tcp.Close() })}, nil
}

func (t Target) tlsConfig(alpn string) (*tls.Config, error) {
	name := t.ServerName
	if name == "" {
		host, _, err := net.SplitHostPort(t.Addr)
		if err != nil {
			return nil, fmt.Errorf("address %q: %w; write it as 127.0.0.1:18101", t.Addr, err)
		}
		name = host
	}
	cfg := &tls.Config{ServerName: name, NextProtos: []string{"http/1.1"}, MinVersion: tls.VersionTLS12}
	if alpn != "http/1.1" {
		// Offered as well, so that a server without h2 says so instead of hanging up.
		cfg.NextProtos = []string{alpn, "http/1.1"}
	}
	if t.CAFile == "" {
		return cfg, nil
	}
	pem, err := os.ReadFile(t.CAFile)
	if err != nil {
		return nil, fmt.Errorf("the CA of %s: %w; make it with: make certs", t.Addr, err)
	}
	cfg.RootCAs = x509.NewCertPool()
	if !cfg.RootCAs.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s holds no certificate in PEM; make it anew with: make certs", t.CAFile)
	}
	return cfg, nil
}

func (t Target) handshakeError(err error, alpn string) error {
	var record tls.RecordHeaderError
	var cert *tls.CertificateVerificationError
	switch {
	case errors.As(err, &record):
		return fmt.Errorf("%s does not speak TLS: %w; try: curl -v http://%s/", t.Addr, err, t.Addr)
	case errors.As(err, &cert):
		return fmt.Errorf("%s shows a certificate that does not verify: %w; renew it with: make certs", t.Addr, err)
	case strings.Contains(err.Error(), "no application protocol"): // the alert of RFC 7301 §3.2 has no exported type
		return t.alpnError("", alpn)
	}
	return fmt.Errorf("%s refuses TLS: %w; try: openssl s_client -connect %s", t.Addr, err, t.Addr)
}

func (t Target) alpnError(got, want string) error {
	if got == "" {
		got = "nothing"
	}
	return fmt.Errorf("%s negotiates %s, not %s; try: openssl s_client -alpn %s -connect %s", t.Addr, got, want, want, t.Addr)
}
