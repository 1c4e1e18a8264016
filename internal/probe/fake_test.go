package probe

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/http2"
)

// writeCert makes a throw-away certificate for localhost and writes it to
// dir/server.crt and dir/server.key.
func writeCert(t *testing.T, dir string) (tls.Certificate, string, string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	tmpl := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "localhost"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
		DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, tmpl, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	pkcs8, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	crt, keyFile := filepath.Join(dir, "server.crt"), filepath.Join(dir, "server.key")
	certPEM := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	keyPEM := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8})
	for name, b := range map[string][]byte{crt: certPEM, keyFile: keyPEM} {
		if err := os.WriteFile(name, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pair, err := tls.X509KeyPair(certPEM, keyPEM)
	if err != nil {
		t.Fatal(err)
	}
	return pair, crt, keyFile
}

// serve runs a TLS server that gives each connection to handle, which closes
// it by returning, and gives the target to probe. All is over with the test.
func serve(t *testing.T, alpn string, handle func(*tls.Conn)) Target {
	t.Helper()
	cert, ca, _ := writeCert(t, t.TempDir())
	ln, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{cert}, NextProtos: []string{alpn}})
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			all.Go(func() {
				defer func() { _ = c.Close() }()
				_ = c.SetDeadline(time.Now().Add(20 * time.Second))
				handle(c.(*tls.Conn))
			})
		}
	})
	t.Cleanup(func() { _ = ln.Close(); all.Wait() })
	return Target{Addr: ln.Addr().String(), CAFile: ca}
}

// peer is the server's end of an HTTP/2 connection in a test.
type peer struct {
	conn  *tls.Conn
	br    *bufio.Reader
	bw    *bufio.Writer
	fr    *http2.Framer
	count int // requests seen
	max   uint32
}

// h2server gives each connection, its preface read and SETTINGS sent, to handle.
func h2server(t *testing.T, handle func(*peer), settings ...http2.Setting) Target {
	return serve(t, "h2", func(c *tls.Conn) {
		p := &peer{conn: c, br: bufio.NewReader(c), bw: bufio.NewWriter(c)}
		p.fr = http2.NewFramer(p.bw, p.br)
		if _, err := io.ReadFull(p.br, make([]byte, len(http2.ClientPreface))); err != nil {
			return
		}
		_ = p.fr.WriteSettings(settings...)
		handle(p)
		_ = p.bw.Flush()
	})
}

// next waits for a request and gives its stream, or 0 at the end of the
// connection. It answers SETTINGS and PING, and flushes before it blocks.
func (p *peer) next() uint32 {
	for {
		if p.br.Buffered() == 0 {
			_ = p.bw.Flush()
		}
		f, err := p.fr.ReadFrame()
		if err != nil {
			return 0
		}
		switch f := f.(type) {
		case *http2.SettingsFrame:
			if !f.IsAck() {
				_ = p.fr.WriteSettingsAck()
			}
		case *http2.PingFrame:
			_ = p.fr.WritePing(true, f.Data)
		case *http2.HeadersFrame:
			p.count++
			p.max = f.StreamID
			return f.StreamID
		}
	}
}

// answer sends a 200 with a body of three bytes.
func (p *peer) answer(id uint32) {
	_ = p.fr.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: []byte{0x88}, EndHeaders: true})
	_ = p.fr.WriteData(id, true, []byte("ok\n"))
}

// likeNginx names the last stream before it answers it, ignores what comes
// later, closes its side, and reads on until the client closes (ngx_http_v2.c).
func likeNginx(limit int) func(*peer) {
	return func(p *peer) {
		for id := p.next(); id != 0; id = p.next() {
			if p.count < limit {
				p.answer(id)
			}
			if p.count == limit {
				_ = p.fr.WriteGoAway(id, http2.ErrCodeNo, nil)
				p.answer(id)
				_ = p.bw.Flush()
				_ = p.conn.CloseWrite()
				_ = p.conn.NetConn().(*net.TCPConn).CloseWrite()
			}
		}
	}
}

// likeEnvoy announces that it will stop, serves on for a while, then names the
// last stream and closes.
func likeEnvoy(limit int) func(*peer) {
	return func(p *peer) {
		for id := p.next(); id != 0; id = p.next() {
			if p.count == limit {
				_ = p.fr.WriteGoAway(1<<31-1, http2.ErrCodeNo, nil)
				_ = p.conn.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
			}
			p.answer(id)
		}
		_ = p.fr.WriteGoAway(p.max, http2.ErrCodeNo, nil)
	}
}

// likeHAProxy answers first and then names a stream in the future.
func likeHAProxy(limit int) func(*peer) {
	return func(p *peer) {
		for id := p.next(); id != 0; id = p.next() {
			p.answer(id)
			if p.count == limit {
				_ = p.fr.WriteGoAway(id+200, http2.ErrCodeNo, nil)
				_ = p.conn.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
			}
		}
	}
}

// rude closes after the last answer without a word.
func rude(limit int) func(*peer) {
	return func(p *peer) {
		for p.count < limit {
			id := p.next()
			if id == 0 {
				return
			}
			p.answer(id)
		}
	}
}
