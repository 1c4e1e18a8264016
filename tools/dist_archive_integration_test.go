//go:build integration

package tools_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"testing"
	"time"

	"h2lab/internal/base/labtest"
)

// A file of an archive; the owner is of a zip's too, which has none.
type file struct {
	data     []byte
	mode     fs.FileMode
	modified string
	owner    string
}

// unpacked reads an archive: its files by name, without the directory that wraps them.
func unpacked(t *testing.T, name string, data []byte) map[string]file {
	t.Helper()
	if strings.HasSuffix(name, ".zip") {
		return unzipped(t, data)
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	labtest.Check(t, err)
	if !z.ModTime.IsZero() {
		t.Errorf("%s has the time %v in its gzip header", name, z.ModTime)
	}
	files := map[string]file{}
	for archive := tar.NewReader(z); ; {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		labtest.Check(t, err)
		if h.Typeflag == tar.TypeDir {
			continue
		}
		content, err := io.ReadAll(archive)
		labtest.Check(t, err)
		files[inside(t, h.Name)] = file{content, fs.FileMode(h.Mode), h.ModTime.UTC().Format(time.RFC3339),
			fmt.Sprintf("%s/%s %d/%d", h.Uname, h.Gname, h.Uid, h.Gid)}
	}
}

func unzipped(t *testing.T, data []byte) map[string]file {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	labtest.Check(t, err)
	files := map[string]file{}
	for _, f := range z.File {
		if f.Mode().IsDir() {
			continue
		}
		r, err := f.Open()
		labtest.Check(t, err)
		content, err := io.ReadAll(r)
		_ = r.Close()
		labtest.Check(t, err)
		files[inside(t, f.Name)] = file{content, f.Mode().Perm(), f.Modified.UTC().Format(time.RFC3339), "root/root 0/0"}
	}
	return files
}

// inside is a file's name below the one directory of the archive.
func inside(t *testing.T, name string) string {
	t.Helper()
	top, rest, found := strings.Cut(name, "/")
	if !found || !strings.HasPrefix(top, "h2lab_"+released+"_") {
		t.Errorf("%s lies outside the archive's directory", name)
	}
	return rest
}

// decode reads the half of a build id.
func decode(t *testing.T, id string) []byte {
	t.Helper()
	b, err := base64.RawURLEncoding.DecodeString(id)
	if err != nil || len(b) < 15 {
		t.Fatalf("build id %q: %v", id, err)
	}
	return b[:15]
}

// bom is what the tests read of a CycloneDX document.
type bom struct {
	Metadata   struct{ Timestamp string }
	Components []struct {
		Name, Version string
		Licenses      []struct{ License struct{ ID string } }
	}
}

func (b *bom) has(name, version string) bool {
	for _, c := range b.Components {
		if c.Name == name && c.Version == version {
			return len(c.Licenses) > 0 && c.Licenses[0].License.ID != ""
		}
	}
	return false
}

func readBOM(t *testing.T, document []byte) *bom {
	t.Helper()
	b := &bom{}
	if err := json.Unmarshal(document, b); err != nil {
		t.Fatalf("the SBOM: %v", err)
	}
	return b
}
