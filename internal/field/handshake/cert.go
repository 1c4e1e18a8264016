package handshake

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"math/big"
	"time"
)

// name is the subject of the temporary certificates.
const name = "localhost"

// authority returns a certificate with such a key, signed by an authority with the same kind of
// key, and the pool that trusts it: a chain as servers use it.
func authority(key string) (tls.Certificate, *x509.CertPool, error) {
	rootKey, err := newKey(key)
	if err != nil {
		return tls.Certificate{}, nil, err
	}
	leafKey, err := newKey(key)
	if err != nil {
		return tls.Certificate{}, nil, err
	}
	root := template(1)
	root.IsCA, root.BasicConstraintsValid, root.KeyUsage = true, true, x509.KeyUsageCertSign
	rootDER, err := x509.CreateCertificate(rand.Reader, root, root, rootKey.Public(), rootKey)
	if err != nil {
		return tls.Certificate{}, nil, err
	}
	leaf := template(2)
	leaf.DNSNames, leaf.KeyUsage = []string{name}, x509.KeyUsageDigitalSignature
	leaf.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	der, err := x509.CreateCertificate(rand.Reader, leaf, root, leafKey.Public(), rootKey)
	if err != nil {
		return tls.Certificate{}, nil, err
	}
	parsed, err := x509.ParseCertificate(rootDER)
	if err != nil {
		return tls.Certificate{}, nil, err
	}
	pool := x509.NewCertPool()
	pool.AddCert(parsed)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: leafKey}, pool, nil
}

func template(serial int64) *x509.Certificate {
	now := time.Now()
	return &x509.Certificate{SerialNumber: big.NewInt(serial),
		Subject:   pkix.Name{CommonName: fmt.Sprint(name, " ", serial)},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(time.Hour)}
}

func newKey(key string) (crypto.Signer, error) {
	switch key {
	case RSA:
		return rsa.GenerateKey(rand.Reader, 2048)
	case ECDSA:
		return ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	}
	return nil, fmt.Errorf("key %q can't be measured: %s or %s", key, RSA, ECDSA)
}
