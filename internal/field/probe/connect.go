package probe

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"h2lab/internal/base/await"
	"h2lab/internal/facts"
)

// line is a TLS connection to a target, with its TCP connection.
type line struct {
	tls  *tls.Conn
	wire net.Conn // reads and writes go here: tls, except in tests without TLS
	tcp  *watched
	stop func() bool // detaches it from the context

	connecting, handshaking time.Duration
	handshaken              time.Time // when the TLS handshake was done
}

// opened describes another connection of a trace.
func (l *line) opened() facts.Text {
	return facts.T("trace.new-connection", tls.VersionName(l.tls.ConnectionState().Version),
		fmt.Sprintf("%.2f", ms(l.connecting)), fmt.Sprintf("%.2f", ms(l.handshaking)))
}

func (l *line) close() {
	l.stop()
	_ = l.tcp.Close()
}

// watched is a TCP connection that records the peer's FIN, because crypto/tls returns the same
// io.EOF for it as for TLS's close_notify.
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

// mostCA is far above any file of authorities.
const mostCA = 16 << 20

// dialContext opens connections; tests have some in memory.
var dialContext = new(net.Dialer).DialContext

// connect dials the target, verifies its certificate and requires one protocol.
func connect(ctx context.Context, t Target, alpn string) (*line, error) {
	cfg, err := t.tlsConfig(ctx, alpn)
	if err != nil {
		return nil, err
	}
	dialCtx, cancel := context.WithTimeout(ctx, t.patience())
	defer cancel()
	began := time.Now()
	tcp, err := dialContext(dialCtx, "tcp", cmp.Or(t.dial, t.Addr))
	if err != nil {
		return nil, t.dialError(ctx, err)
	}
	connected := time.Now()
	below := &watched{Conn: tcp}
	conn := tls.Client(below, cfg)
	if err := conn.HandshakeContext(dialCtx); err != nil {
		_ = tcp.Close()
		return nil, t.handshakeError(ctx, err, alpn)
	}
	shaken := time.Now()
	if got := conn.ConnectionState().NegotiatedProtocol; got != alpn && !t.plainH1(got, alpn) {
		_ = tcp.Close()
		return nil, t.alpnError(got, alpn)
	}
	return &line{tls: conn, wire: conn, tcp: below, stop: context.AfterFunc(ctx, func() { _ = tcp.Close() }),
		connecting: connected.Sub(began), handshaking: shaken.Sub(connected), handshaken: shaken}, nil
}

func (t Target) tlsConfig(ctx context.Context, alpn string) (*tls.Config, error) {
	name := t.ServerName
	if name == "" {
		host, _, err := net.SplitHostPort(t.Addr)
		if err != nil {
			return nil, fmt.Errorf("address %q: %w; write it as 127.0.0.1:18101", t.Addr, err)
		}
		name = host
	}
	cfg := &tls.Config{ServerName: name, NextProtos: []string{"http/1.1"}, MinVersion: tls.VersionTLS12,
		MaxVersion: t.version, KeyLogWriter: t.KeyLog, InsecureSkipVerify: t.Insecure, ClientSessionCache: t.session}
	if alpn != "http/1.1" {
		// Offering HTTP/1.1 as well makes a server without h2 choose it instead of failing the
		// handshake.
		cfg.NextProtos = []string{alpn, "http/1.1"}
	}
	if t.CAFile == "" {
		return cfg, nil
	}
	pem, err := await.Read(ctx, t.CAFile, mostCA) // it may be a pipe
	if err != nil {
		return nil, caError(err)
	}
	cfg.RootCAs = x509.NewCertPool()
	if !cfg.RootCAs.AppendCertsFromPEM(pem) {
		return nil, caError(fmt.Errorf("%s holds no certificate in PEM", t.CAFile))
	}
	return cfg, nil
}

func caError(err error) error {
	return fmt.Errorf("--cacert: %w; it must be a file of certificates in PEM", err)
}

// plainH1 reports whether to assume HTTP/1.1 for a server that chose no protocol: ALPN is newer
// (RFC 7301). The lab's servers all have ALPN.
func (t Target) plainH1(got, want string) bool {
	return t.url != "" && got == "" && want == "http/1.1"
}

// awaitFIN reads on below TLS until TCP's end, for a short time.
func (w *watched) awaitFIN() {
	_ = w.SetReadDeadline(time.Now().Add(goodbye))
	_, _ = io.Copy(io.Discard, io.LimitReader(w, maxFrame))
}

// resumption measures whether TLS sessions resume. For each TLS version of the server it makes one
// full handshake and one that offers the first one's ticket, without requests. TLS 1.3 sends its
// ticket after the handshake (RFC 8446 §4.6.1), so there the first handshake is that of look's
// connection, which read an answer.
func (s *survey) resumption(ctx context.Context) error {
	seen := versionOf(s.out.TLS.Version)
	v, err := s.again(ctx, s.target, s.out.TLS.HandshakeMS, s.out.TLS.Version)
	if err != nil {
		return err
	}
	s.out.TLS.Resumes, s.out.TLS.ResumedMS = v.Resumes, v.ResumedMS
	s.out.TLS.Versions = append(s.out.TLS.Versions, v)
	if seen != tls.VersionTLS13 {
		return nil
	}
	old := s.target
	old.version, old.session = tls.VersionTLS12, tls.NewLRUClientSessionCache(2)
	l, err := connect(ctx, old, s.alpn())
	if err != nil {
		return ctx.Err() // the server has only 1.3
	}
	s.out.Connections++
	took := ms(l.handshaking)
	l.goodbye()
	if v, err = s.again(ctx, old, &took, "TLS 1.2"); err != nil {
		return err
	}
	s.out.TLS.Versions = append(s.out.TLS.Versions, v)
	return nil
}

// again makes another handshake with the ticket that the target's cache may have.
func (s *survey) again(ctx context.Context, t Target, full *float64, version string) (facts.TLSVersion, error) {
	v := facts.TLSVersion{Version: version, HandshakeMS: full}
	l, err := connect(ctx, t, s.alpn())
	if err != nil {
		s.note("note.second-handshake", err.Error())
		return v, ctx.Err()
	}
	defer l.goodbye()
	s.out.Connections++
	resumed := l.tls.ConnectionState().DidResume
	if v.Resumes = &resumed; resumed {
		took := ms(l.handshaking)
		v.ResumedMS = &took
	}
	return v, nil
}

// goodbye closes a connection without requests by TLS's close_notify, so that the server logs no
// error.
func (l *line) goodbye() {
	_ = l.wire.SetDeadline(time.Now().Add(time.Second))
	_ = l.tls.Close()
	l.close()
}

func (s *survey) alpn() string { return alpnOf(s.ask.HTTP1) }

func versionOf(name string) uint16 {
	for _, v := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		if tls.VersionName(v) == name {
			return v
		}
	}
	return 0
}
