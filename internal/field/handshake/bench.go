package handshake

import (
	"crypto/tls"
	"crypto/x509"
)

// bench is the state shared by the handshakes with one key.
type bench struct {
	cert tls.Certificate
	pool *x509.CertPool
}

func newBench(key string) (*bench, error) {
	cert, pool, err := authority(key)
	return &bench{cert, pool}, err
}

// x25519 is the key exchange of the lab's servers and of every proxy whose TLS library has no
// post-quantum one (OpenSSL before 3.5).
var x25519 = []tls.CurveID{tls.X25519}

func (b *bench) server(version uint16) *tls.Config {
	return &tls.Config{
		Certificates:     []tls.Certificate{b.cert},
		CurvePreferences: x25519,
		MinVersion:       version,
		MaxVersion:       version,
	}
}

// client resumes only if k asks for resumed handshakes.
func (b *bench) client(k Kind, version uint16) *tls.Config {
	conf := &tls.Config{
		RootCAs:          b.pool,
		ServerName:       name,
		CurvePreferences: x25519,
		MinVersion:       version,
		MaxVersion:       version,
	}
	if k.Resumed {
		conf.ClientSessionCache = tls.NewLRUClientSessionCache(1)
	}
	return conf
}
