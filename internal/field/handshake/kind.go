package handshake

import (
	"crypto/tls"
	"fmt"
)

// The keys of certificates.
const (
	RSA   = "rsa"   // RSA 2048
	ECDSA = "ecdsa" // ECDSA P-256
)

// Kind is one kind of handshake.
type Kind struct {
	Key     string // RSA or ECDSA
	TLS     string // "1.2" or "1.3"
	Resumed bool
}

func (k Kind) String() string {
	how := "full"
	if k.Resumed {
		how = "resumed"
	}
	return fmt.Sprintf("%s TLS %s %s", k.Key, k.TLS, how)
}

// version is TLS's number for the version.
func (k Kind) version() (uint16, error) {
	switch k.TLS {
	case "1.2":
		return tls.VersionTLS12, nil
	case "1.3":
		return tls.VersionTLS13, nil
	}
	return 0, fmt.Errorf("TLS %q can't be measured: 1.2 or 1.3", k.TLS)
}
