package main

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"h2lab/internal/base/labtest"
)

// pair is a self-signed certificate on disk, valid between the two times.
type pair struct {
	certFile, keyFile string
	roots             *x509.CertPool
}

func newPair(t testing.TB, from, to time.Time) pair {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	labtest.Check(t, err)
	leaf := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "localhost"},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, NotBefore: from, NotAfter: to}
	der, err := x509.CreateCertificate(rand.Reader, leaf, leaf, key.Public(), key)
	labtest.Check(t, err)
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	labtest.Check(t, err)
	p := pair{roots: x509.NewCertPool()}
	p.certFile = writePEM(t, "server.crt", "CERTIFICATE", der)
	p.keyFile = writePEM(t, "server.key", "PRIVATE KEY", keyDER)
	if cert, err := x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	} else {
		p.roots.AddCert(cert)
	}
	return p
}

func writePEM(t testing.TB, name, kind string, der []byte) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	labtest.Write(t, file, string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})))
	return file
}

// running is a real backend on free ports.
type running struct {
	*server
	t     testing.TB
	roots *x509.CertPool
	end   context.CancelFunc
	ended chan error
}

func startBackend(t testing.TB, grace time.Duration) *running {
	t.Helper()
	p := newPair(t, time.Now().Add(-time.Hour), time.Now().Add(time.Hour))
	cert, err := loadCert(p.certFile, p.keyFile, time.Now())
	labtest.Check(t, err)
	s, err := open(config{
		listen:   "127.0.0.1:0",
		counters: "127.0.0.1:0",
		grace:    grace,
	}, cert, log.New(io.Discard, "", 0))
	labtest.Check(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	r := &running{server: s, t: t, roots: p.roots, end: cancel, ended: make(chan error, 1)}
	go func() { r.ended <- s.serve(ctx); close(r.ended) }()
	t.Cleanup(func() {
		cancel()
		<-r.ended
	})
	return r
}

// url returns a URL of the front.
func (r *running) url(path string) string { return "https://" + r.frontLn.Addr().String() + path }

// client has its own pool: one connection as long as no more requests are in flight than the
// connection allows streams.
func (r *running) client(h2 bool) *http.Client {
	tr := &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: r.roots},
		MaxConnsPerHost: 1,
		Protocols:       new(http.Protocols),
	}
	tr.Protocols.SetHTTP1(!h2)
	tr.Protocols.SetHTTP2(h2)
	r.t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr, Timeout: 20 * time.Second}
}

// reply is an answer that was read to its end.
type reply struct {
	status int
	proto  int
	header http.Header
	body   string
}

// send makes one request; an empty id sends none.
func (r *running) send(c *http.Client, method, path, id string, body io.Reader) (reply, error) {
	req, err := http.NewRequest(method, r.url(path), body)
	if err != nil {
		return reply{}, err
	}
	if id != "" {
		req.Header.Set(requestIDHeader, id)
	}
	res, err := c.Do(req)
	if err != nil {
		return reply{}, err
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	return reply{res.StatusCode, res.ProtoMajor, res.Header, string(b)}, err
}

// must sends a request and fails the test unless there is an answer.
func (r *running) must(c *http.Client, method, path, id, body string) reply {
	r.t.Helper()
	a, err := r.send(c, method, path, id, strings.NewReader(body))
	if err != nil {
		r.t.Fatalf("%s %s: %v", method, path, err)
	}
	return a
}

// counter reads a page of the counters' listener.
func (r *running) counter(method, path string) []byte {
	r.t.Helper()
	req, err := http.NewRequest(method, "http://"+r.cntrLn.Addr().String()+path, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		r.t.Fatalf("%s %s: %s, %v, %q", method, path, res.Status, err, b)
	}
	return b
}

// page reads /ledger.json, and rejects fields that the type page doesn't have.
func (r *running) page() page {
	r.t.Helper()
	var p page
	d := json.NewDecoder(bytes.NewReader(r.counter(http.MethodGet, "/ledger.json")))
	d.DisallowUnknownFields()
	if err := d.Decode(&p); err != nil {
		r.t.Fatal(err)
	}
	return p
}

// until waits until the ledger fulfils a condition.
func (r *running) until(what string, holds func(page) bool) page {
	r.t.Helper()
	for began := time.Now(); ; {
		p := r.page()
		if holds(p) {
			return p
		}
		if time.Since(began) > 10*time.Second {
			r.t.Fatalf("waited 10 s for %s; the ledger is %+v", what, p)
		}
	}
}
