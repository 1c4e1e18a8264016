package kit

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
)

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
