package native

import (
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// CertificateError means that a certificate is missing, unreadable, expired or not signed by the
// lab's CA. It ends h2lab with exit status 3.
type CertificateError struct {
	File string
	Err  error
}

func (e *CertificateError) Error() string {
	return fmt.Sprintf("certificate %s: %v; run: make certs", e.File, e.Err)
}

func (e *CertificateError) Unwrap() error { return e.Err }

// CheckCertificates checks that the CA, the server's certificate and its key exist, and that a
// client would accept the certificate at that time.
func CheckCertificates(root string, now time.Time) error {
	ca, err := readCertificate(root, caFile)
	if err != nil {
		return err
	}
	leaf, err := readCertificate(root, certFile)
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(root, keyFile)); err != nil {
		return &CertificateError{File: keyFile, Err: plain(err)}
	}
	for _, x := range []struct {
		file string
		cert *x509.Certificate
	}{{caFile, ca}, {certFile, leaf}} {
		if now.After(x.cert.NotAfter) {
			return &CertificateError{
				File: x.file,
				Err:  fmt.Errorf("expired on %s", x.cert.NotAfter.UTC().Format(time.DateOnly)),
			}
		}
	}
	roots := x509.NewCertPool()
	roots.AddCert(ca)
	if _, err := leaf.Verify(x509.VerifyOptions{Roots: roots, CurrentTime: now, DNSName: "127.0.0.1"}); err != nil {
		return &CertificateError{File: certFile, Err: err}
	}
	return nil
}

// readCertificate reads the first certificate of a PEM file.
func readCertificate(root, file string) (*x509.Certificate, error) {
	text, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		return nil, &CertificateError{File: file, Err: plain(err)}
	}
	block, _ := pem.Decode(text)
	if block == nil || block.Type != "CERTIFICATE" {
		return nil, &CertificateError{File: file, Err: errors.New("no PEM certificate in it")}
	}
	cert, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return nil, &CertificateError{File: file, Err: err}
	}
	return cert, nil
}

// plain removes the path from a file system error: the message already has it.
func plain(err error) error {
	var pe *os.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}
