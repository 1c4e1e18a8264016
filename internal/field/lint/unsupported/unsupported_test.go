package unsupported

import (
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"h2lab/internal/base/labtest"
	"h2lab/internal/field/lint"
)

// testdata/files.txtar has files of other programs, and files that only look like them.
func TestAFileIsNamedWithItsNextStep(t *testing.T) {
	faults := labtest.NewFaults(t, labtest.Places)
	all, err := txtar.ParseFile("testdata/files.txtar")
	labtest.Check(t, err)
	functions := map[string]func(lint.File) error{"Named": Named, "Program": Program, "Template": Template, "Settings": Settings,
		"Sections": Sections}
	for _, f := range all.Files {
		title := strings.Split(f.Name, "¦")
		for i := range title {
			title[i] = strings.TrimSpace(title[i])
		}
		function, name, what, next := title[0], title[1], title[2], title[3]
		fault := "lint gets " + what + ": " + name
		if function == "Settings" {
			fault, next = "lint gets "+next, ""
		}
		try := func(t *testing.T) {
			err := functions[function](lint.File{Name: name, Data: f.Data})
			switch {
			case what == "" && err != nil, what != "" && err == nil:
				t.Errorf("%s of %q: %v", function, f.Data, err)
			case what != "" && (!strings.Contains(err.Error(), what) || !strings.Contains(err.Error(), next)):
				t.Errorf("%s of %q: %v, not %s … %s", function, f.Data, err, what, next)
			case err != nil && strings.ContainsAny(err.Error(), "\n\x1b"):
				t.Errorf("%q", err)
			}
		}
		if what != "" && (function == "Named" || function == "Settings") {
			faults.Try(fault, try)
		} else {
			try(t)
		}
	}
}

func TestFilesThatHoldOthersAreNamedWithTheCommandThatOpensThem(t *testing.T) {
	faults := labtest.NewFaults(t, labtest.Places)
	for _, c := range []struct{ data, what, next string }{
		{"\x1f\x8b\x08\x00", "a gzip file", "gzip -dc 'a b' | h2lab lint -"},
		{"PK\x03\x04", "a zip archive", "unzip 'a b'"},
		{"\xfd7zXZ\x00\x00", "an xz file", "xz -dc"},
		{strings.Repeat("\x00", 257) + "ustar\x00", "a tar archive", "tar xf 'a b'"},
		{"\xff\xfeh\x00t\x00", "text in UTF-16", "iconv -f UTF-16"},
		{"\x7fELF\x02", "a program", "the configuration that it reads"},
	} {
		faults.Try("lint gets "+c.what, func(t *testing.T) {
			err := Packed(lint.File{Name: "a b", Data: []byte(c.data)})
			if err == nil || !strings.Contains(err.Error(), "is "+c.what) || !strings.Contains(err.Error(), c.next) {
				t.Errorf("%q: %v", c.data, err)
			}
		})
	}
	for _, text := range []string{"", "events {}\n", strings.Repeat("#", 300) + "\nustar", "\xef\xbb\xbfevents {}"} {
		if err := Packed(lint.File{Name: "nginx.conf", Data: []byte(text)}); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}
