package probe

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"time"
)

// The errors for a server that can't be probed. A target of ParseTarget is a user's own system, so
// its next step differs from that for the lab's servers.

func (t Target) dialError(ctx context.Context, err error) error {
	var dns *net.DNSError
	host, _, _ := net.SplitHostPort(t.Addr)
	switch {
	case t.url == "":
		return fmt.Errorf("%s does not answer: %w; see who listens: ss -ltnp", t.Addr, err)
	case ctx.Err() != nil:
		return fmt.Errorf("connecting to %s was stopped: %w", t.Addr, context.Cause(ctx))
	case errors.As(err, &dns) && dns.IsNotFound:
		return fmt.Errorf("the name %s does not resolve: no such host; check its spelling with: getent hosts %s", host,
			host)
	case errors.As(err, &dns):
		return fmt.Errorf("the name %s does not resolve: %w; try: getent hosts %s", host, dns, host)
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return fmt.Errorf("%s does not answer within %v: no connection came about; a firewall may drop it, or "+
			"--timeout is too short", t.Addr, t.patience())
	}
	return fmt.Errorf("%s can't be reached: %w; try: curl -v https://%s/", t.Addr, root(err), t.Addr)
}

// root is the innermost error: "connection refused" without the operation that failed.
func root(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}

func (t Target) handshakeError(ctx context.Context, err error, alpn string) error {
	var record tls.RecordHeaderError
	var cert *tls.CertificateVerificationError
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("the TLS handshake with %s was stopped: %w", t.Addr, context.Cause(ctx))
	case errors.As(err, &record) && t.url != "" && string(record.RecordHeader[:]) == "HTTP/":
		return fmt.Errorf("%s speaks plain HTTP on this port, not TLS: give the port of its TLS listener; see: curl "+
			"-v http://%s/", t.Addr, t.Addr)
	case errors.As(err, &record):
		return fmt.Errorf("%s does not speak TLS: %w; try: curl -v http://%s/", t.Addr, err, t.Addr)
	case errors.As(err, &cert):
		return t.certError(cert)
	case strings.Contains(err.Error(), "no application protocol"): // the alert of RFC 7301 §3.2 has no exported type
		return t.alpnError("", alpn)
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%s takes the connection but says nothing to a TLS handshake for %v; is it a TLS port? "+
			"try: openssl s_client -connect %s", t.Addr, t.patience(), t.Addr)
	case readEvent(err).what == ended:
		return fmt.Errorf("%s refuses TLS: it hangs up in the handshake (%w); try: openssl s_client -connect %s",
			t.Addr, err, t.Addr)
	}
	return fmt.Errorf("%s refuses TLS: %w; try: openssl s_client -connect %s", t.Addr, err, t.Addr)
}

// certError says why a certificate was rejected, and which flag would accept it.
func (t Target) certError(cert *tls.CertificateVerificationError) error {
	if t.url == "" {
		return fmt.Errorf("%s shows a certificate that does not verify: %w; renew it with: make certs", t.Addr, cert)
	}
	var name x509.HostnameError
	var issuer x509.UnknownAuthorityError
	var invalid x509.CertificateInvalidError
	const look = "or look without proof of who answers: --insecure"
	switch {
	case errors.As(cert.Err, &name):
		return fmt.Errorf("%s shows a certificate for another name: it is for %s; name one of them with "+
			"--servername, %s", t.Addr, names(name.Certificate), look)
	case errors.As(cert.Err, &issuer):
		by := "an issuer"
		if len(cert.UnverifiedCertificates) > 0 {
			by = fmt.Sprintf("%q",
				short(cert.UnverifiedCertificates[len(cert.UnverifiedCertificates)-1].Issuer.String()))
		}
		return fmt.Errorf("%s shows a certificate signed by %s, which is not trusted here; give the issuer's "+
			"certificate with --cacert FILE, %s", t.Addr, by, look)
	case errors.As(cert.Err, &invalid) && invalid.Reason == x509.Expired:
		c := invalid.Cert
		return fmt.Errorf("%s shows a certificate that is valid from %s to %s only, and now is %s; renew it, %s",
			t.Addr,
			c.NotBefore.Format(time.DateOnly), c.NotAfter.Format(time.DateOnly), time.Now().Format(time.DateOnly), look)
	}
	return fmt.Errorf("%s shows a certificate that does not verify: %w; give its issuer with --cacert FILE, %s", t.Addr,
		cert.Err, look)
}

// names lists a few of the names in a certificate.
func names(c *x509.Certificate) string {
	all := append([]string(nil), c.DNSNames...)
	for _, ip := range c.IPAddresses {
		all = append(all, ip.String())
	}
	if len(all) == 0 {
		return "no name at all"
	}
	if len(all) > 4 {
		all = append(all[:4], "…")
	}
	return short(strings.Join(all, ", "))
}

// short shortens a server's text to one line and removes control characters, so that it can't
// control a terminal.
func short(s string) string {
	return string(clip([]byte(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return '.'
		}
		return r
	}, strings.ToValidUTF8(s, "?")))))
}

func (t Target) caError(err error) error {
	if t.url == "" {
		return fmt.Errorf("the CA of %s: %w; make it with: make certs", t.Addr, err)
	}
	return fmt.Errorf("--cacert: %w; it must be a file of certificates in PEM", err)
}

// over is a command that asks the same over the other protocol.
func (t Target) over(http1 bool) string {
	t.again.HTTP1 = http1
	return t.again.Command(cmp.Or(t.verb, "probe"))
}

func (t Target) alpnError(got, want string) error {
	switch {
	case t.url == "" && got == "":
		got = "nothing"
	case t.url == "":
	case want == "h2" && got == "http/1.1":
		return fmt.Errorf("%s speaks HTTP/1.1 only: offered h2 and http/1.1 by ALPN, it chose http/1.1; switch "+
			"HTTP/2 on, or ask the same over HTTP/1.1: %s", t.Addr, t.over(true))
	case want == "h2" && got == "":
		return fmt.Errorf("%s chose no protocol by ALPN, so it does not speak HTTP/2; ask the same over HTTP/1.1: %s",
			t.Addr, t.over(true))
	case got == "":
		return fmt.Errorf("%s refuses %s; it may speak HTTP/2 only: %s", t.Addr, want, t.over(false))
	}
	return fmt.Errorf("%s negotiates %s, not %s; try: openssl s_client -alpn %s -connect %s", t.Addr, got, want, want,
		t.Addr)
}
