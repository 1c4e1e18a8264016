package certs_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"maps"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"h2lab/internal/base/labtest"
)

func TestWhatIsNoLongerGoodIsRenewed(t *testing.T) {
	overwrite := func(name, text string) func(r folder) { return func(r folder) { r.write(name, text) } }
	spoilers := map[string]func(r folder){
		"a missing file":        func(r folder) { _ = os.Remove(r.path("server-ecdsa.key")) },
		"a file cut short":      overwrite("server-rsa.crt", "-----BEGIN CERTIFICATE-----\n"),
		"a key of another pair": func(r folder) { r.write("server-rsa.key", r.read("server-ecdsa.key")) },
		"another authority": func(r folder) {
			o := madeCopy(r.t)
			signAnew(o, time.Now().Add(30*24*time.Hour))
			r.write("ca.crt", o.read("ca.crt"))
		},
		"another list of names":      overwrite("openssl.cnf", "# older\n"),
		"the rest of a killed run":   func(r folder) { _ = os.Mkdir(r.path(".new.killed"), 0o700); _ = os.Remove(r.path("ca.crt")) },
		"a link in a file's place":   func(r folder) { _ = os.Remove(r.path("ca.crt")); _ = os.Symlink("server-rsa.crt", r.path("ca.crt")) },
		"fewer days than are wanted": func(r folder) { r.must([]string{"CERT_DAYS=1", "CERT_RENEW_DAYS=31"}) },
	}
	faults := labtest.NewFaults(t, labtest.Certificates)
	for _, name := range slices.Sorted(maps.Keys(spoilers)) {
		faults.Try("certs/out: "+name, func(t *testing.T) {
			r := madeCopy(t)
			spoilers[name](r)
			before, _ := os.ReadFile(r.path("server-ecdsa.crt"))
			r.must(nil)
			r.verified("server-rsa.crt", "server-rsa.key")
			r.verified("server-ecdsa.crt", "server-ecdsa.key")
			if r.read("server-ecdsa.crt") == string(before) {
				t.Error("nothing was renewed")
			}
			if left, _ := filepath.Glob(r.path(".new.*")); len(left) > 0 {
				t.Errorf("%v was left", left)
			}
		})
	}
}

func TestAnExpiredPairIsRenewedAndAGoodOneIsNot(t *testing.T) {
	day := 24 * time.Hour
	faults := labtest.NewFaults(t, labtest.Certificates)
	for _, c := range []struct {
		name    string
		until   time.Duration
		renewed bool
	}{
		{"expired an hour ago", -time.Hour, true},
		{"good for 6 days", 6 * day, true},
		{"good for 8 days", 8 * day, false},
	} {
		faults.Try("a certificate "+c.name, func(t *testing.T) {
			r := madeCopy(t)
			signAnew(r, time.Now().Add(c.until))
			before := r.read("server-rsa.crt")
			r.must(nil)
			if renewed := r.read("server-rsa.crt") != before; renewed != c.renewed {
				t.Errorf("renewed: %v, want %v", renewed, c.renewed)
			}
			r.verified("server-rsa.crt", "server-rsa.key")
		})
	}
}

// signAnew replaces the authority and the certificates by valid ones, except that the RSA
// certificate ends at notAfter. openssl makes no expired certificate.
func signAnew(r folder, notAfter time.Time) {
	r.t.Helper()
	caKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		r.t.Fatal(err)
	}
	now := time.Now()
	ca := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, IsCA: true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageCertSign, NotBefore: now.Add(-48 * time.Hour),
		NotAfter:     now.AddDate(0, 0, 30),
		SubjectKeyId: []byte{1}}
	defer r.write("ca.crt", sign(r.t, ca, ca, caKey.Public(), caKey)) // the old ones are read and verified first
	for name, until := range map[string]time.Time{"server-rsa": notAfter, "server-ecdsa": ca.NotAfter} {
		old := r.verified(name+".crt", name+".key")
		leaf := &x509.Certificate{SerialNumber: big.NewInt(2), Subject: old.Subject, DNSNames: old.DNSNames,
			IPAddresses: old.IPAddresses,
			KeyUsage:    old.KeyUsage, ExtKeyUsage: old.ExtKeyUsage, BasicConstraintsValid: true,
			SubjectKeyId: old.SubjectKeyId,
			NotBefore:    ca.NotBefore, NotAfter: until}
		defer r.write(name+".crt", sign(r.t, leaf, ca, old.PublicKey, caKey))
	}
}

func sign(t *testing.T, cert, by *x509.Certificate, key any, with *ecdsa.PrivateKey) string {
	t.Helper()
	der, err := x509.CreateCertificate(rand.Reader, cert, by, key, with)
	labtest.Check(t, err)
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

func TestAnInterruptedRunLeavesNothingHalfMade(t *testing.T) {
	r := newCopy(t)
	// A fake openssl that reports that it has started, and then waits to be killed.
	bin := t.TempDir()
	slow := fmt.Sprintf("#!/bin/sh\n: >%[1]s/asked\nexec sleep 60\n", bin)
	labtest.WriteProgram(t, filepath.Join(bin, "openssl"), slow)
	cmd := exec.Command(filepath.Join(r.dir, "make.sh"))
	cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // as a terminal does
	labtest.Check(t, cmd.Start())
	for began := time.Now(); ; {
		if _, err := os.Stat(filepath.Join(bin, "asked")); err == nil {
			break
		}
		if time.Since(began) > 10*time.Second {
			t.Error("make.sh never came to openssl")
			break
		}
	}
	labtest.Check(t, syscall.Kill(-cmd.Process.Pid, syscall.SIGINT))
	if err := cmd.Wait(); err == nil {
		t.Error("an interrupted run ended with status 0")
	}
	entries, err := os.ReadDir(r.path(""))
	labtest.Check(t, err)
	for _, e := range entries {
		if e.Name() != ".lock" {
			t.Errorf("%s was left", e.Name())
		}
	}
}
