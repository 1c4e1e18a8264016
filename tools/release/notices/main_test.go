package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// mit is the text of a licence that licensecheck knows.
const mit = `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
`

// moduleOf writes the files of a module whose package in part/deep is linked.
func moduleOf(t *testing.T, files map[string]string) *module {
	t.Helper()
	dir := t.TempDir()
	linked := filepath.Join(dir, "part", "deep")
	if err := os.MkdirAll(linked, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return &module{path: "example.org/m", version: "v1.0.0", dir: dir, packages: []string{linked, dir}}
}

func TestEveryLicenceFromTheRootToALinkedPackageIsKept(t *testing.T) {
	m := moduleOf(t, map[string]string{"LICENSE": mit, "NOTICE.txt": "made by somebody\n", "part/LICENSE-MIT": mit,
		"licenses/mit.txt": mit, "other/LICENSE": mit, "license.go": "package m\n", "README.md": mit})
	if err := m.readTexts(); err != nil {
		t.Fatal(err)
	}
	slices.Sort(m.files)
	if want := []string{"LICENSE", "NOTICE.txt", "licenses/mit.txt", "part/LICENSE-MIT"}; !slices.Equal(m.files, want) {
		t.Errorf("found %q, want %q", m.files, want)
	}
	if !slices.Equal(m.ids, []string{"MIT"}) {
		t.Errorf("recognised %q", m.ids)
	}
	text := page([]*module{m})
	for _, want := range []string{"example.org/m@v1.0.0 (MIT)\n", "example.org/m@v1.0.0: NOTICE.txt\n", "made by somebody"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
}

func TestAModuleWithoutAKnownLicenceIsAnError(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"no file":                   {"README.md": mit},
		"a text that nobody knows":  {"LICENSE": "Ask me.\n"},
		"a licence of another part": {"other/LICENSE": mit},
	} {
		t.Run(name, func(t *testing.T) {
			err := moduleOf(t, files).readTexts()
			if err == nil || !strings.Contains(err.Error(), "example.org/m@v1.0.0 has no licence that licensecheck recognises") {
				t.Errorf("%v", err)
			}
		})
	}
}
