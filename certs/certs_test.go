// Package certs_test runs make.sh in a copy of its directory and reads the results with Go's crypto
// packages. Every server reads the certificates and every client verifies them.
package certs_test

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"h2lab/internal/base/labtest"
)

// folder is a copy of certs/ in which nothing has been made yet.
type folder struct {
	t   *testing.T
	dir string
}

func newCopy(t *testing.T) folder {
	t.Helper()
	r := folder{t, t.TempDir()}
	labtest.Check(t, r.fill())
	return r
}

func (r folder) fill() error {
	for _, name := range []string{"make.sh", "openssl.cnf"} {
		b, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(r.dir, name), b, 0o755); err != nil {
			return err
		}
	}
	return nil
}

// base is a directory in which the script has run, once for all tests, because making keys is slow, and what it said.
var base, baseSaid string

func TestMain(m *testing.M) { os.Exit(runAll(m)) }

func runAll(m *testing.M) int {
	if _, err := exec.LookPath("openssl"); err != nil {
		fmt.Fprintln(os.Stderr, "skipped: openssl is not on the PATH; install it, e.g. with: apt-get install openssl")
		return 0
	}
	dir, err := os.MkdirTemp("", "certs")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	base = dir
	if err := (folder{dir: dir}).fill(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	out, err := exec.Command(filepath.Join(dir, "make.sh")).CombinedOutput()
	if baseSaid = string(out); err != nil {
		fmt.Fprintf(os.Stderr, "make.sh: %v: %s\n", err, out)
		return 1
	}
	return m.Run()
}

// madeCopy returns a copy in which everything has been made already.
func madeCopy(t *testing.T) folder {
	t.Helper()
	r := newCopy(t)
	labtest.Check(t, os.CopyFS(filepath.Join(r.dir, "out"), os.DirFS(filepath.Join(base, "out"))))
	return r
}

func (r folder) path(name string) string { return filepath.Join(r.dir, "out", name) }

// make runs the script with extra environment and returns its output and status.
func (r folder) make(env []string, args ...string) (string, int) {
	r.t.Helper()
	cmd := exec.Command(filepath.Join(r.dir, "make.sh"), args...)
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if _, exited := err.(*exec.ExitError); err != nil && !exited {
		r.t.Fatal(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// must runs the script and fails the test unless it succeeds.
func (r folder) must(env []string, args ...string) string {
	r.t.Helper()
	out, status := r.make(env, args...)
	if status != 0 {
		r.t.Fatalf("make.sh %v ended with %d: %s", args, status, out)
	}
	return out
}

func (r folder) read(name string) string {
	r.t.Helper()
	return labtest.Read(r.t, r.path(name))
}

func (r folder) write(name, text string) {
	r.t.Helper()
	labtest.Check(r.t, os.WriteFile(r.path(name), []byte(text), 0o600))
}

// verified returns the leaf certificate of a pair, after checking that certificate and key match
// and that a client which trusts ca.crt accepts it under every name of the lab.
func (r folder) verified(crt, key string) *x509.Certificate {
	r.t.Helper()
	pair, err := tls.LoadX509KeyPair(r.path(crt), r.path(key))
	if err != nil {
		r.t.Fatal(err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM([]byte(r.read("ca.crt"))) {
		r.t.Fatal("ca.crt holds no certificate")
	}
	for _, name := range []string{"localhost", "127.0.0.1", "::1", "pod", "backend", "nginx-1000", "nginx-100000",
		"nginx-1000-envoy", "nginx-1000-h2-upstream", "envoy", "envoy-1000"} {
		if _, err := pair.Leaf.Verify(x509.VerifyOptions{DNSName: name, Roots: roots}); err != nil {
			r.t.Errorf("%s is not accepted as %s: %v", crt, name, err)
		}
	}
	return pair.Leaf
}

func TestBothPairsAreMadeAndVerify(t *testing.T) {
	r := folder{t, base}
	if !strings.Contains(baseSaid, "made RSA 2048 and ECDSA P-256") {
		t.Errorf("said %q", baseSaid)
	}
	if leaf := r.verified("server-rsa.crt", "server-rsa.key"); leaf.PublicKeyAlgorithm != x509.RSA {
		t.Errorf("server-rsa.crt has a key of %s", leaf.PublicKeyAlgorithm)
	}
	ecdsa := r.verified("server-ecdsa.crt", "server-ecdsa.key")
	if ecdsa.PublicKeyAlgorithm != x509.ECDSA {
		t.Errorf("server-ecdsa.crt has a key of %s", ecdsa.PublicKeyAlgorithm)
	}
	if ecdsa.KeyUsage != x509.KeyUsageDigitalSignature || ecdsa.IsCA || len(ecdsa.SubjectKeyId) == 0 ||
		len(ecdsa.AuthorityKeyId) == 0 {
		t.Errorf("server-ecdsa.crt: usage %v, CA %v, key ids %x %x", ecdsa.KeyUsage, ecdsa.IsCA, ecdsa.SubjectKeyId,
			ecdsa.AuthorityKeyId)
	}
	if life := ecdsa.NotAfter.Sub(ecdsa.NotBefore); life != 30*24*time.Hour {
		t.Errorf("good for %s, want 30 days", life)
	}
}

func TestOnlyTheOwnerReadsAndNothingElseIsLeft(t *testing.T) {
	r := folder{t, base}
	if info, err := os.Stat(r.path("")); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("out: %v, %v, want 0700", info.Mode(), err)
	}
	entries, err := os.ReadDir(r.path(""))
	labtest.Check(t, err)
	want := map[string]bool{".lock": true, "ca.crt": true, "openssl.cnf": true, "server.crt": true, "server.key": true,
		"server-rsa.crt": true, "server-rsa.key": true, "server-ecdsa.crt": true, "server-ecdsa.key": true}
	for _, e := range entries {
		if !want[e.Name()] {
			t.Errorf("%s was left in out", e.Name())
		}
		info, err := os.Stat(r.path(e.Name()))
		labtest.Check(t, err)
		if info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v, want 0600", e.Name(), info.Mode().Perm())
		}
	}
}

func TestASecondRunDoesAndSaysNothing(t *testing.T) {
	r := madeCopy(t)
	before := r.read("ca.crt") + r.read("server.crt")
	if said := r.must(nil); said != "" {
		t.Errorf("said %q", said)
	}
	if r.read("ca.crt")+r.read("server.crt") != before {
		t.Error("the certificates changed")
	}
}

func TestTheKeyTypeSwitchesByRelativeLink(t *testing.T) {
	r := madeCopy(t)
	made := r.read("server-rsa.crt")
	for _, key := range []string{"ecdsa", "rsa", "ecdsa"} {
		r.must(nil, key)
		for _, end := range []string{".crt", ".key"} {
			if to, err := os.Readlink(r.path("server" + end)); err != nil || to != "server-"+key+end {
				t.Errorf("server%s points at %q (%v), want server-%s%s", end, to, err, key, end)
			}
		}
		r.verified("server.crt", "server.key")
	}
	if r.read("server-rsa.crt") != made {
		t.Error("switching made new certificates")
	}
}

func TestWhatCannotBeDoneIsSaidClearly(t *testing.T) {
	fileAsOut := func(r folder) {
		if err := os.WriteFile(filepath.Join(r.dir, "out"), nil, 0o600); err != nil {
			r.t.Fatal(err)
		}
	}
	faults := labtest.NewFaults(t, labtest.Certificates)
	for _, c := range []struct {
		name   string
		before func(folder)
		env    []string
		args   []string
		status int
		says   string
	}{
		{"an unknown key type", nil, nil, []string{"dsa"}, 2, "unknown key type 'dsa'; use: certs/make.sh [rsa|ecdsa]"},
		{"two key types", nil, nil, []string{"rsa", "ecdsa"}, 2, "one key type at most"},
		{"no days", nil, []string{"CERT_DAYS=0"}, nil, 2, "CERT_DAYS='0'"},
		{"days that are none", nil, []string{"CERT_DAYS=x"}, nil, 2, "CERT_DAYS='x'"},
		{"a renewal that is none", nil, []string{"CERT_RENEW_DAYS=-1"}, nil, 2, "CERT_RENEW_DAYS='-1'"},
		{"a file in the way", fileAsOut, nil, nil, 1, "out is not a writable directory"},
		{"no openssl", nil, []string{"PATH=" + toolsWithoutOpenssl(t)}, nil, 3, "openssl is not on the PATH"},
	} {
		faults.Try("make certs with "+c.name, func(t *testing.T) {
			r := newCopy(t)
			if c.before != nil {
				c.before(r)
			}
			said, status := r.make(c.env, c.args...)
			if status != c.status || !strings.Contains(said, c.says) || strings.Count(said, "\n") != 1 {
				t.Errorf("status %d and %q, want %d and one line with %q", status, said, c.status, c.says)
			}
		})
	}
}

// toolsWithoutOpenssl is a PATH with the programs that the script uses before it looks for openssl.
func toolsWithoutOpenssl(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"sh", "dirname"} {
		path, err := exec.LookPath(name)
		labtest.Check(t, err)
		labtest.Check(t, os.Symlink(path, filepath.Join(dir, name)))
	}
	return dir
}
