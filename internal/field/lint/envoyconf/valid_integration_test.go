//go:build integration

package envoyconf

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
	"slices"
	"testing"
	"time"

	"h2lab/internal/field/lint"
	"h2lab/internal/field/lint/linttest"
)

// bare are the files of the corpus that Envoy accepts from a control plane, but not with -c.
var bare = []string{"config_dump.json", "resources.yaml"}

// Envoy must accept the corpus, reject what this package calls broken, and accept the change that each finding proposes.
func TestEnvoyAgreesWithTheReaderAndTakesEveryFix(t *testing.T) {
	envoy, dir := program(t), scratch(t)
	fixes := 0
	for _, f := range kind.Corpus(t) {
		if slices.Contains(bare, f.Name) {
			continue
		}
		r, err := Lint([]lint.File{f}, kind.Options[f.Name])
		t.Run(f.Name, func(t *testing.T) {
			said, ok := validate(t, envoy, dir, f.Name, f.Data)
			if ok != (err == nil) {
				t.Fatalf("read here: %v; Envoy: %s", err, said)
			}
		})
		for _, found := range r.Findings {
			if found.Found == "" || found.Fix == "" {
				continue
			}
			fixes++
			t.Run(f.Name+" "+found.Rule, func(t *testing.T) {
				mended := linttest.Applied(t, f.Data, found)
				if said, ok := validate(t, envoy, dir, f.Name, mended); !ok {
					t.Errorf("Envoy refuses %q in place of %q: %s", found.Fix, found.Found, said)
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

// The real Envoy decides which spellings are right.
func TestEnvoyTakesTheSpellingsThatAreRead(t *testing.T) {
	envoy, dir := program(t), scratch(t)
	for text, want := range spellings {
		if said, ok := validate(t, envoy, dir, "spelling.yaml", options(text).Data); ok != want {
			t.Errorf("%s: Envoy takes it: %v, %s", text, ok, said)
		}
	}
}

// All fixes of a file applied together must load, too.
func TestEnvoyTakesAllFixesTogether(t *testing.T) {
	envoy, dir := program(t), scratch(t)
	for _, f := range kind.Corpus(t) {
		if _, err := Lint([]lint.File{f}, kind.Options[f.Name]); err != nil || slices.Contains(bare, f.Name) {
			continue
		}
		data, _ := kind.Mended(t, f)
		if said, ok := validate(t, envoy, dir, f.Name, data); !ok {
			t.Errorf("%s: %s\n%s", f.Name, said, data)
		}
	}
}

func validate(t *testing.T, envoy, dir, name string, data []byte) (string, bool) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), envoy, "--mode", "validate", "-c", name, "--use-dynamic-base-id",
		"--log-level", "error")
	cmd.Dir = dir
	said, err := cmd.CombinedOutput()
	return string(bytes.TrimSpace(said)), err == nil
}

func program(t *testing.T) string {
	t.Helper()
	if path, err := exec.LookPath("envoy"); err == nil {
		return path
	}
	path, err := filepath.Abs("../../../../tools/bin/envoy")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatal("envoy is neither on PATH nor in tools/bin; get it with: make tools")
	}
	return path
}

// scratch is a directory with certificates at the paths that the corpus names.
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
	for _, d := range []string{"certs/out", "run"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	certPEM := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert})
	for name, data := range map[string][]byte{"server.crt": certPEM, "ca.crt": certPEM,
		"server.key": pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8})} {
		if err := os.WriteFile(filepath.Join(dir, "certs", "out", name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
