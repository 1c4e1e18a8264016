//go:build integration

package haproxyconf

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"h2lab/internal/field/lint"
	"h2lab/internal/field/lint/linttest"
)

// HAProxy must accept what this package reads, and reject what it calls broken. It must also accept
// the change that each finding proposes.
func TestHAProxyAgreesWithTheReaderAndTakesEveryFix(t *testing.T) {
	haproxy, dir := program(t), scratch(t)
	fixes := 0
	for _, f := range kind.Corpus(t) {
		if f.Name == "bad-empty.cfg" {
			continue // HAProxy accepts it as the first of several files
		}
		r, err := Lint([]lint.File{f}, kind.Options[f.Name])
		t.Run(f.Name, func(t *testing.T) {
			said, ok := validate(t, haproxy, dir, f.Name, f.Data)
			if ok != (err == nil) {
				t.Fatalf("read here: %v; HAProxy: %s", err, said)
			}
		})
		for _, found := range r.Findings {
			if found.Found == "" || found.Fix == "" {
				continue
			}
			fixes++
			t.Run(f.Name+" "+found.Rule, func(t *testing.T) {
				mended := linttest.Applied(t, f.Data, found)
				if said, ok := validate(t, haproxy, dir, f.Name, mended); !ok {
					t.Errorf("HAProxy refuses %q in place of %q: %s", found.Fix, found.Found, said)
				}
				again, err := Lint([]lint.File{{Name: f.Name, Data: mended}}, kind.Options[f.Name])
				if err != nil {
					t.Fatal(err)
				}
				for _, g := range again.Findings {
					if g.Rule == found.Rule && g.Line == found.Line && g.Why.String() == found.Why.String() {
						t.Errorf("the fix doesn't mend it: %s", g.Why)
					}
				}
			})
		}
	}
	if fixes < 10 {
		t.Errorf("%d fixes were tried: the corpus has more", fixes)
	}
}

// All fixes of a file applied together must load, too.
func TestHAProxyTakesAllFixesTogether(t *testing.T) {
	haproxy, dir := program(t), scratch(t)
	for _, f := range kind.Corpus(t) {
		if _, err := Lint([]lint.File{f}, kind.Options[f.Name]); err != nil {
			continue
		}
		data, _ := kind.Mended(t, f)
		if said, ok := validate(t, haproxy, dir, f.Name, data); !ok {
			t.Errorf("%s: %s\n%s", f.Name, said, data)
		}
	}
}

func validate(t *testing.T, haproxy, dir, name string, data []byte) (string, bool) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), haproxy, "-c", "-f", name)
	cmd.Dir = dir
	said, err := cmd.CombinedOutput()
	return string(bytes.TrimSpace(said)), err == nil
}

// program is the path of a HAProxy that has the keywords of 3.x.
func program(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs("../../../../tools/servers/bin/haproxy-current")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatal("haproxy-current is not in tools/servers; get it with: tools/servers.sh haproxy-current")
	}
	return path
}

// scratch is a directory with a certificate at the path that the corpus names.
func scratch(t *testing.T) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		Subject:               pkix.Name{CommonName: "localhost"},
		IsCA:                  true,
		BasicConstraintsValid: true,
		NotBefore:             time.Now().Add(-time.Hour),
		NotAfter:              time.Now().Add(time.Hour),
		DNSNames:              []string{"localhost"},
	}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	pkcs8, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "certs", "out"), 0o700); err != nil {
		t.Fatal(err)
	}
	both := append(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8})...)
	if err := os.WriteFile(filepath.Join(dir, "certs", "out", "server.pem"), both, 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}
