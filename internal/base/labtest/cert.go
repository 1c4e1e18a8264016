package labtest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Cert is a temporary, self-signed certificate for localhost.
type Cert struct {
	Pair tls.Certificate
	Pool *x509.CertPool // trusts the certificate
	File string         // path of the certificate
}

// WriteCert makes a certificate and writes it to dir/server.crt and dir/server.key, the paths in
// the scratch servers' configurations.
func WriteCert(t testing.TB, dir string) Cert {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	Check(t, err)
	tmpl := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "localhost"},
		NotBefore:             time.Now().Add(-time.Hour),
		NotAfter:              time.Now().Add(time.Hour),
		IsCA:                  true,
		BasicConstraintsValid: true,
		DNSNames:              []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, tmpl, &key.PublicKey, key)
	Check(t, err)
	pkcs8, err := x509.MarshalPKCS8PrivateKey(key)
	Check(t, err)
	crt, keyFile := filepath.Join(dir, "server.crt"), filepath.Join(dir, "server.key")
	certPEM := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	keyPEM := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8})
	for name, b := range map[string][]byte{crt: certPEM, keyFile: keyPEM} {
		Check(t, os.WriteFile(name, b, 0o600))
	}
	pair, err := tls.X509KeyPair(certPEM, keyPEM)
	Check(t, err)
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(certPEM)
	return Cert{Pair: pair, Pool: pool, File: crt}
}
