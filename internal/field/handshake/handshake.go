// Package handshake measures what a TLS handshake costs on this machine: the processor time of the
// server's side and of the client's side, separately, in Go's crypto/tls over loopback TCP. Its
// certificates are temporary and exist in memory only.
//
// The measurement covers what a proxy spends on a connection without requests: accept, handshake
// and close. The key exchange is X25519, as in the lab's servers. A proxy with another TLS library
// has another cost of the same order.
package handshake

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"runtime"
	"slices"
	"time"
)

// leastSamples is the minimum number of handshakes for a result.
const leastSamples = 5

// warmUp handshakes come first and don't count: the first ones fill caches, and a resumed handshake
// needs an earlier session.
const warmUp = 3

// Measure makes handshakes of each kind, one at a time, for about budget in total, and returns
// their costs. It returns at once when ctx ends.
func Measure(ctx context.Context, budget time.Duration, kinds ...Kind) ([]Cost, error) {
	out := make([]Cost, 0, len(kinds))
	benches := map[string]*bench{}
	for _, k := range kinds {
		b := benches[k.Key]
		if b == nil {
			var err error
			if b, err = newBench(k.Key); err != nil {
				return nil, err
			}
			benches[k.Key] = b
		}
		c, err := b.measure(ctx, k, budget/time.Duration(len(kinds)))
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			return nil, fmt.Errorf("measuring a handshake (%+v): %w", k, err)
		}
		out = append(out, c)
	}
	return out, nil
}

// side is the result of one side of a handshake.
type side struct {
	cpu time.Duration
	err error
}

// measure measures one kind: the server runs in a goroutine locked to its own thread, the client in
// this one.
func (b *bench) measure(ctx context.Context, k Kind, budget time.Duration) (Cost, error) {
	version, err := k.version()
	if err != nil {
		return Cost{}, err
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return Cost{}, err
	}
	stop := context.AfterFunc(ctx, func() { _ = ln.Close() })
	defer stop()
	bills := make(chan side, 1)
	done := make(chan struct{})
	go func() {
		defer close(done)
		serve(ctx, ln, b.config(Kind{}, version), bills)
	}()
	defer func() { _ = ln.Close(); <-done }()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return collect(ctx, k, time.Now().Add(budget), b.config(k, version), ln.Addr().String(), bills)
}

// collect dials until the deadline, one connection at a time, so that both times belong to the same
// handshake.
func collect(ctx context.Context, k Kind, deadline time.Time, conf *tls.Config, addr string, bills <-chan side) (Cost,
	error) {
	var server, client []time.Duration
	for i := 0; i < warmUp+leastSamples || time.Now().Before(deadline); i++ {
		mine, resumed, err := dial(ctx, conf, addr)
		if err != nil {
			return Cost{}, err
		}
		theirs, open := <-bills
		if !open {
			return Cost{}, errors.New("the server's side ended early")
		}
		if theirs.err != nil {
			return Cost{}, theirs.err
		}
		if i < warmUp {
			continue
		}
		if resumed != k.Resumed {
			return Cost{}, fmt.Errorf("resumed is %v, which is another kind", resumed)
		}
		server, client = append(server, theirs.cpu), append(client, mine)
	}
	return Cost{Kind: k, Count: len(server), Server: spread(server), Client: spread(client)}, nil
}

// serve accepts connections, does the handshake, closes, and sends the time of each.
func serve(ctx context.Context, ln net.Listener, conf *tls.Config, bills chan<- side) {
	runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
	defer close(bills)
	for {
		before, err := spent()
		var conn net.Conn
		if err == nil {
			conn, err = ln.Accept()
		}
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err == nil {
			err = greet(ctx, tls.Server(conn, conf))
		}
		after, err2 := spent()
		select {
		case bills <- side{after - before, errors.Join(err, err2)}:
		case <-ctx.Done():
			return
		}
	}
}

// greet does the server's handshake and sends one byte: when the client reads it, it has TLS 1.3's
// tickets.
func greet(ctx context.Context, c *tls.Conn) error {
	defer func() { _ = c.Close() }()
	release, err := within(ctx, c)
	defer release()
	if err != nil {
		return err
	}
	if err := c.Handshake(); err != nil {
		return err
	}
	_, err = c.Write([]byte{1})
	return err
}

// dial does the client's handshake.
func dial(ctx context.Context, conf *tls.Config, addr string) (cpu time.Duration, resumed bool, err error) {
	before, err := spent()
	if err != nil {
		return 0, false, err
	}
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", addr)
	if err != nil {
		return 0, false, err
	}
	c := tls.Client(conn, conf)
	defer func() { _ = c.Close() }()
	release, err := within(ctx, c)
	defer release()
	if err != nil {
		return 0, false, err
	}
	if _, err := io.ReadFull(c, make([]byte, 1)); err != nil {
		return 0, false, err
	}
	after, err := spent()
	return after - before, c.ConnectionState().DidResume, err
}

// patience is the maximum time of one handshake; on loopback it takes milliseconds.
const patience = 5 * time.Second

// within sets a deadline on a connection, and closes it when ctx ends, until released.
func within(ctx context.Context, c net.Conn) (release func() bool, err error) {
	err = c.SetDeadline(time.Now().Add(patience))
	return context.AfterFunc(ctx, func() { _ = c.SetDeadline(time.Unix(1, 0)) }), err
}

// bench is the state shared by the handshakes with one key.
type bench struct {
	cert tls.Certificate
	pool *x509.CertPool
}

// newBench makes a key and a certificate that only its own pool trusts.
func newBench(key string) (*bench, error) {
	signer, err := newKey(key)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, signer.Public(), signer)
	if err != nil {
		return nil, err
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	pool.AddCert(parsed)
	return &bench{tls.Certificate{Certificate: [][]byte{der}, PrivateKey: signer}, pool}, nil
}

// config is what both sides have in common. X25519 is the key exchange of the lab's servers and of every proxy whose TLS
// library has no post-quantum one (OpenSSL before 3.5). The client resumes only if k asks for resumed handshakes.
func (b *bench) config(k Kind, version uint16) *tls.Config {
	conf := &tls.Config{Certificates: []tls.Certificate{b.cert}, RootCAs: b.pool, ServerName: name,
		CurvePreferences: []tls.CurveID{tls.X25519}, MinVersion: version, MaxVersion: version}
	if k.Resumed {
		conf.ClientSessionCache = tls.NewLRUClientSessionCache(1)
	}
	return conf
}

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

// Cost is the measured processor time of one kind of handshake in ms: the median, and the 5th and
// 95th percentiles.
type Cost struct {
	Kind   Kind
	Count  int // measured handshakes
	Server Spread
	Client Spread
}

// Spread is a median and the 5th and 95th percentile.
type Spread struct{ MedianMS, LoMS, HiMS float64 }

func spread(samples []time.Duration) Spread {
	slices.Sort(samples)
	at := func(q float64) float64 {
		return samples[int(q*float64(len(samples)-1)+0.5)].Seconds() * 1000
	}
	return Spread{MedianMS: at(0.5), LoMS: at(0.05), HiMS: at(0.95)}
}

// name is the subject of the temporary certificates.
const name = "localhost"

func newKey(key string) (crypto.Signer, error) {
	switch key {
	case RSA:
		return rsa.GenerateKey(rand.Reader, 2048)
	case ECDSA:
		return ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	}
	return nil, fmt.Errorf("key %q can't be measured: %s or %s", key, RSA, ECDSA)
}
