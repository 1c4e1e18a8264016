package kit

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"os"
)

// Judge reads an HTTP answer to its end and reports whether the call succeeded: the requested
// protocol, a 2xx status and, where the server echoes, the body that was sent. It closes the body.
func (f Flags) Judge(resp *http.Response, sent []byte) (*Failure, error) {
	defer resp.Body.Close()
	major := 2
	if f.H1() {
		major = 1
	}
	if resp.ProtoMajor != major {
		return nil,
			fmt.Errorf("%w: %s was requested, but %s answered with %s: check whether it offers the protocol by ALPN",
				ErrProtocol, f.Protocol, f.URL, resp.Proto)
	}
	got, err := io.ReadAll(resp.Body)
	switch {
	case err != nil:
		return &Failure{Kind: Transport, Message: err.Error()}, nil
	case resp.StatusCode < 200 || resp.StatusCode > 299:
		return &Failure{Kind: Status, Message: "HTTP status " + resp.Status}, nil
	}
	return f.Compare(sent, got), nil
}

// Compare returns nil when got is what was sent to an echoing server.
func (f Flags) Compare(sent, got []byte) *Failure {
	if !f.Echoes() || bytes.Equal(got, sent) {
		return nil
	}
	return &Failure{
		Kind: Transport,
		Message: fmt.Sprintf("the answer is not the body that was sent: %d bytes sent, %d received", len(sent),
			len(got)),
	}
}

var tlsVersions = map[string]uint16{"1.2": tls.VersionTLS12, "1.3": tls.VersionTLS13}

// TLS makes the TLS configuration for the flags: it verifies certificates and counts handshakes. It
// has no ClientSessionCache, which is Go's default: no session is resumed, every dial is a full
// handshake.
func TLS(f Flags, m *Meter) (*tls.Config, error) {
	roots, err := readRoots(f.CA)
	if err != nil {
		return nil, err
	}
	return &tls.Config{
		RootCAs:          roots,
		MinVersion:       tls.VersionTLS12,
		MaxVersion:       tlsVersions[f.MaxTLS],
		VerifyConnection: m.Handshake,
	}, nil
}

// CheckCA rejects a --ca file that is missing or contains no certificate, for programs that pass
// the file's name on.
func CheckCA(f Flags) error {
	_, err := readRoots(f.CA)
	return err
}

// readRoots reads the --ca file; nil means the system's authorities.
func readRoots(file string) (*x509.CertPool, error) {
	if file == "" {
		return nil, nil
	}
	pem, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("%w: --ca: %w; make it with: make certs", ErrMissing, err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%w: --ca %s has no PEM certificate; make it again with: make certs", ErrMissing, file)
	}
	return pool, nil
}
