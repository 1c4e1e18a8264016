package foreign

import (
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/field/lint"
)

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
			err := Wrapped(lint.File{Name: "a b", Data: []byte(c.data)})
			if err == nil || !strings.Contains(err.Error(), "is "+c.what) || !strings.Contains(err.Error(), c.next) {
				t.Errorf("%q: %v", c.data, err)
			}
		})
	}
	for _, text := range []string{"", "events {}\n", strings.Repeat("#", 300) + "\nustar", "\xef\xbb\xbfevents {}"} {
		if err := Wrapped(lint.File{Name: "nginx.conf", Data: []byte(text)}); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestValuesOfAnUnknownChartAreNamed(t *testing.T) {
	faults := labtest.NewFaults(t, labtest.Places)
	faults.Try("lint gets values of a chart that doesn't say whose it is", func(t *testing.T) {
		err := Values(lint.File{Name: "values.yaml", Data: []byte("controller:\n  replicaCount: 2\n")})
		if err == nil || !strings.Contains(err.Error(), "--kind ingress-nginx") {
			t.Error(err)
		}
	})
	for _, text := range []string{"controller: a\n", "a: b\n", "kind: Pod\ncontroller: {}\n", "a: ["} {
		if err := Values(lint.File{Name: "v.yaml", Data: []byte(text)}); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}
