//go:build linux

package native

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	mathrand "math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"h2lab/internal/base/child"
	"h2lab/internal/base/labtest"
	"h2lab/internal/base/proc"
	"h2lab/internal/facts"
)

type labServer = facts.Server

// newRoot is a project with certificates only.
func newRoot(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	writeCertificates(t, root, time.Now().Add(time.Hour))
	return root
}

// writeCertificates makes a CA and a server certificate that expire at notAfter.
func writeCertificates(t *testing.T, root string, notAfter time.Time) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	labtest.Check(t, err)
	ca := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test CA"}, IsCA: true,
		BasicConstraintsValid: true, NotBefore: notAfter.Add(-48 * time.Hour), NotAfter: notAfter}
	leaf := &x509.Certificate{SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "test"},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, NotBefore: ca.NotBefore, NotAfter: notAfter}
	for file, cert := range map[string]*x509.Certificate{caFile: ca, certFile: leaf} {
		der, err := x509.CreateCertificate(rand.Reader, cert, ca, &key.PublicKey, key)
		labtest.Check(t, err)
		write(t, root, file, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})))
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	labtest.Check(t, err)
	write(t, root, keyFile, string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})))
}

func write(t *testing.T, root, rel, text string) {
	t.Helper()
	path := filepath.Join(root, rel)
	labtest.Write(t, path, text)
}

// freeAddrs are unused loopback addresses. They lie below the ports that the kernel gives to
// outgoing connections (32768 and up), one of which could take the port of a stopped server.
func freeAddrs(t *testing.T, n int) []string {
	t.Helper()
	var out []string
	for tries := 0; len(out) < n; tries++ {
		if tries > 1000 {
			t.Fatal("no free ports between 20000 and 32000")
		}
		l, err := net.Listen("tcp", fmt.Sprintf(":%d", 20000+mathrand.IntN(12000)))
		if err != nil {
			continue
		}
		defer l.Close() // all at the end, so that no address comes twice
		out = append(out, fmt.Sprintf("127.0.0.1:%d", l.Addr().(*net.TCPAddr).Port))
	}
	return out
}

func backendAt(front, counters string) facts.Server {
	return facts.Server{Name: "backend", Kind: facts.Backend, Front: front, Counters: counters}
}

// topology writes the fake nginx's configuration and returns [nginx-1000, backend] on free ports,
// with the tools to run them.
func topology(t *testing.T, root, nginxMode string) ([]facts.Server, Options) {
	t.Helper()
	a := freeAddrs(t, 4)
	front := facts.Server{Name: "nginx-1000", Kind: facts.Nginx, Config: "nginx/keepalive-1000.conf",
		Front: a[0], Counters: a[1], UsedLog: "var/nginx-1000.used.log"}
	write(t, root, front.Config,
		fmt.Sprintf("front %s\ncounters %s\nmode %s\nkeepalive_requests 1000; # the limit\n", a[0], a[1], nginxMode))
	return []facts.Server{front, backendAt(a[2], a[3])},
		Options{Root: root, Tools: Tools{Nginx: os.Args[0], Backend: os.Args[0]}, Grace: 2 * time.Second}
}

// mustUp starts servers and stops them at the end of the test.
func mustUp(t *testing.T, opts Options, servers []facts.Server) *Site {
	t.Helper()
	site, err := Up(t.Context(), opts, servers)
	labtest.Check(t, err)
	t.Cleanup(func() {
		if err := site.Down(t.Context()); err != nil {
			t.Errorf("down: %v", err)
		}
		nothingLeft(t, site.root, servers)
	})
	return site
}

// nothingLeft checks for leftovers at the end of a test: children, used ports, derived files.
func nothingLeft(t *testing.T, root string, servers []facts.Server) {
	t.Helper()
	if children := slices.DeleteFunc(proc.Tree(os.Getpid()), func(pid int) bool {
		return pid == os.Getpid()
	}); len(children) > 0 {
		t.Errorf("processes are left: %v", children)
	}
	if err := portsFree(root, servers); err != nil {
		t.Errorf("ports are left taken: %v", err)
	}
	for _, rel := range []string{"var/nginx", "var/envoy", certsLink, StateFile} {
		if _, err := os.Lstat(filepath.Join(root, rel)); err == nil {
			t.Errorf("%s is left", rel)
		}
	}
}

// eventually waits for a condition, and fails the test with its name.
func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	if !child.Await(t.Context(), 10*time.Second, condition) {
		t.Fatalf("after 10 s still not: %s", what)
	}
}

// die makes a fake server end by itself.
func die(t *testing.T, counters string) {
	t.Helper()
	resp, err := http.Get("http://" + counters + "/die")
	if err == nil {
		_ = resp.Body.Close()
	}
}
