package probe

import (
	"cmp"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	"h2lab/internal/field/output"
)

const (
	// patience is how long the probe waits for a connection, a handshake or an answer. Loopback
	// needs a millisecond; five seconds allow for a busy CPU.
	patience = 5 * time.Second
	// authority is the name in every request, and in the certificates of the lab's servers.
	authority = "localhost"
	// defaultPath is answered by the lab's proxies themselves, without their upstream.
	defaultPath = "/lab/health"
)

// Target is a server to probe.
type Target struct {
	// Addr is host:port of its TLS listener.
	Addr string
	// ServerName is the name that its certificate must have; empty means Addr's host.
	ServerName string
	// CAFile has the certificates of the accepted authorities in PEM; empty means the system's.
	CAFile string
	// Path is requested; empty means /lab/health. An answer with any status counts.
	Path string
	// Authority is the host in requests; empty means localhost.
	Authority string
	// Method is GET if empty. Body is sent with every request.
	Method string
	Body   []byte
	// Header is sent with every request after the probe's own fields, in this order.
	Header []Field
	// UserAgent is h2lab-probe if empty.
	UserAgent string
	// Insecure accepts any certificate.
	Insecure bool
	// KeyLog receives the TLS secrets in the format that Wireshark reads.
	KeyLog io.Writer
	// Patience is how long to wait for a connection, a handshake or an answer; 0 means five
	// seconds.
	Patience time.Duration

	url     string          // the argument of ParseTarget; errors then address its user instead of the lab's
	again   output.Question // for a command that asks the same
	verb    string          // that command's; "" is probe
	dial    string          // fixed ip:port, once Addr's name is resolved
	session tls.ClientSessionCache
	version uint16 // the only TLS version to offer, if set
	// literal switches off header compression (RFC 7541 §4.2) in both directions, so that the same
	// requests and answers have more bytes.
	literal bool
}

// Field is one header field of a request.
type Field struct{ Name, Value string }

func (t Target) path() string            { return cmp.Or(t.Path, defaultPath) }
func (t Target) authority() string       { return cmp.Or(t.Authority, authority) }
func (t Target) method() string          { return cmp.Or(t.Method, "GET") }
func (t Target) userAgent() string       { return cmp.Or(t.UserAgent, "h2lab-probe") }
func (t Target) patience() time.Duration { return cmp.Or(t.Patience, patience) }

// ParseTarget parses the address of a user's server: https://host[:port]/path?query.
func ParseTarget(raw string) (Target, error) {
	if len(raw) > maxURL {
		return Target{}, fmt.Errorf("a URL of %d bytes, where %d are enough", len(raw), maxURL)
	}
	u, err := url.Parse(raw)
	switch {
	case err == nil && strings.EqualFold(u.Scheme, "http"):
		return Target{}, fmt.Errorf("%s is plain http, and h2lab probes HTTP/2 over TLS only, not h2c: write "+
			"https:// and the port of the TLS listener", short(raw))
	case !strings.Contains(raw, "://"):
		return Target{}, fmt.Errorf("%q has no scheme; write https://%s", short(raw), short(strings.TrimLeft(raw, "/")))
	case err != nil || !strings.EqualFold(u.Scheme, "https") || u.Hostname() == "":
		return Target{}, fmt.Errorf("%q is no URL of a server with TLS; write https://host/path", notSecret(raw))
	case u.User != nil:
		return Target{}, fmt.Errorf("%s carries a user name; give it as a header: -H 'Authorization: …'", u.Redacted())
	}
	port, path := cmp.Or(u.Port(), "443"), u.RequestURI()
	if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
		return Target{}, fmt.Errorf("port %s of %s is out of range: 1 to 65535", port, short(raw))
	}
	if strings.ContainsFunc(u.Hostname()+path, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		return Target{}, fmt.Errorf("%q has a letter that a request can't carry; write it percent-encoded in a path, as %%20 for "+
			"a space, and in punycode in a name (xn--…)", short(raw))
	}
	u.Fragment, u.RawFragment = "", ""
	return Target{Addr: net.JoinHostPort(u.Hostname(), port), Authority: u.Host, Path: path, url: u.String(),
		again: output.Question{URL: u.String()}}, nil
}

const maxURL = 8192

// notSecret is a text without what may be a user's password.
func notSecret(raw string) string {
	if at := strings.LastIndex(raw, "@"); at >= 0 {
		raw = "…" + raw[at:]
	}
	return short(raw)
}
