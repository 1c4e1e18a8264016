package probe

import (
	"cmp"
	"crypto/tls"
	"io"
	"time"
)

const (
	// patience is how long the probe waits for a connection, a handshake or an
	// answer. Loopback needs a millisecond; five seconds forgive a starved CPU.
	patience = 5 * time.Second
	// authority is what every request names, as the servers' certificates do.
	authority = "localhost"
	// defaultPath is answered by the lab's proxies themselves, without their upstream.
	defaultPath = "/lab/health"
)

// Target is a server that is asked.
type Target struct {
	// Addr is host:port of its TLS listener.
	Addr string
	// ServerName is the name its certificate must carry; empty is Addr's host.
	ServerName string
	// CAFile holds the certificates that may have signed it, in PEM; empty is the system's.
	CAFile string
	// Path is requested; empty is /lab/health. Any answer counts, whatever its status.
	Path string
	// Authority is what requests name as their host; empty is localhost.
	Authority string
	// Method is GET when empty. Body goes with every request.
	Method string
	Body   []byte
	// Header holds what goes with every request beside the probe's own fields, in its order.
	Header []Field
	// UserAgent is h2lab-probe when empty.
	UserAgent string
	// Insecure takes any certificate.
	Insecure bool
	// KeyLog gets the TLS secrets, as Wireshark reads them.
	KeyLog io.Writer
	// Patience is how long a connection, a handshake or an answer is waited for; 0 is five seconds.
	Patience time.Duration

	url     string // what ParseTarget read; such a target's errors speak to its user, not to the lab's
	dial    string // ip:port to stay with, once Addr's name was resolved
	session tls.ClientSessionCache
	version uint16 // of TLS, when only this one is offered
}

// Field is one header field of a request.
type Field struct{ Name, Value string }

func (t Target) path() string            { return cmp.Or(t.Path, defaultPath) }
func (t Target) authority() string       { return cmp.Or(t.Authority, authority) }
func (t Target) method() string          { return cmp.Or(t.Method, "GET") }
func (t Target) userAgent() string       { return cmp.Or(t.UserAgent, "h2lab-probe") }
func (t Target) patience() time.Duration { return cmp.Or(t.Patience, patience) }
