package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
)

// archiveOf packs a file under a name, as a tar.gz or a zip.
func archiveOf(t *testing.T, archive, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), archive)
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if strings.HasSuffix(archive, ".zip") {
		z := zip.NewWriter(f)
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write(data)
		}
		if err == nil {
			err = z.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	z := gzip.NewWriter(f)
	files := tar.NewWriter(z)
	if err := files.WriteHeader(&tar.Header{Name: name, Mode: 0o755, Size: int64(len(data)), Typeflag: tar.TypeReg}); err != nil {
		t.Fatal(err)
	}
	for _, step := range []func() error{func() error { _, err := files.Write(data); return err }, files.Close, z.Close} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

// self is this test's program, which has a build record.
func self(t *testing.T) []byte {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// index is an index of licences of everything that this test links, without one module.
func index(t *testing.T, without string) string {
	t.Helper()
	info, ok := debug.ReadBuildInfo()
	if !ok {
		t.Fatal("this program has no build record")
	}
	ids := map[string][]string{"std@" + strings.TrimPrefix(info.GoVersion, "go"): {"BSD-3-Clause"}}
	for _, m := range info.Deps {
		if m.Path != without {
			ids[m.Path+"@"+m.Version] = []string{"MIT"}
		}
	}
	b, err := json.Marshal(ids)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "licences.json")
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestADocumentListsWhatIsLinkedTheSameEachTime(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "1767323045")
	for _, c := range [][2]string{{"a.tar.gz", "a/h2lab"}, {"a.zip", "a/h2lab.exe"}} {
		archive, licences := archiveOf(t, c[0], c[1], self(t)), index(t, "")
		var written [2]string
		for i := range written {
			to := filepath.Join(t.TempDir(), "sbom.json")
			if err := run(licences, archive, to); err != nil {
				t.Fatal(err)
			}
			b, err := os.ReadFile(to)
			if err != nil {
				t.Fatal(err)
			}
			written[i] = string(b)
		}
		if written[0] != written[1] {
			t.Errorf("%s: two documents differ", c[0])
		}
		for _, want := range []string{`"timestamp": "2026-01-02T03:04:05Z"`, `"pkg:golang/github.com/cyclonedx/cyclonedx-go@v`,
			`"pkg:golang/std@1.`, `"bomFormat": "CycloneDX"`, `"id": "MIT"`} {
			if !strings.Contains(written[0], want) {
				t.Errorf("%s: %s is missing in\n%s", c[0], want, written[0])
			}
		}
	}
}

func TestWhatCanNotBeDescribedIsAnError(t *testing.T) {
	good := archiveOf(t, "a.tar.gz", "a/h2lab", self(t))
	for name, c := range map[string]struct{ archive, licences, epoch, want string }{
		"a module without a licence": {good, index(t, "github.com/CycloneDX/cyclonedx-go"), "1",
			"is linked and its licence isn't in the index"},
		"no index":            {good, "/nowhere", "1", "the index of licences"},
		"no time":             {good, index(t, ""), "", "SOURCE_DATE_EPOCH"},
		"no archive":          {"/nowhere.tar.gz", index(t, ""), "1", "/nowhere.tar.gz"},
		"no program":          {archiveOf(t, "a.zip", "a/README.md", nil), index(t, ""), "1", "there is no h2lab in it"},
		"a program not of Go": {archiveOf(t, "a.tar.gz", "h2lab", []byte("#!/bin/sh")), index(t, ""), "1", "the program's build record"},
		"a cut archive":       {cut(t, good), index(t, ""), "1", "unexpected EOF"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("SOURCE_DATE_EPOCH", c.epoch)
			to := filepath.Join(t.TempDir(), "sbom.json")
			err := run(c.licences, c.archive, to)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
			if _, err := os.Stat(to); err == nil {
				t.Error("a document was written")
			}
		})
	}
}

// cut is the first half of a file.
func cut(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	half := filepath.Join(t.TempDir(), "cut.tar.gz")
	if err := os.WriteFile(half, b[:len(b)/2], 0o644); err != nil {
		t.Fatal(err)
	}
	return half
}
