package accesslog

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"h2lab/internal/base/labtest"
)

// Windows writes other line ends, and PowerShell other encodings. Neither changes a result.
func TestALogWrittenOnWindowsIsTheSameLog(t *testing.T) {
	for _, json := range []bool{false, true} {
		text := string(all(t, &traffic{lines: 5_000, limit: 100, alive: 3, perSec: 100, json: json}))
		want := read(t, strings.NewReader(text), Options{})
		for name, other := range map[string]string{"CR LF": labtest.CRLF(text), "PowerShell": labtest.PowerShell(text),
			"a mark": "\xef\xbb\xbf" + text} {
			got := read(t, strings.NewReader(other), Options{})
			if diff := cmp.Diff(want.Limit, got.Limit); diff != "" || got.Lines != want.Lines || got.Malformed != 0 {
				t.Errorf("%s, JSON %v: %d lines, %d malformed\n%s", name, json, got.Lines, got.Malformed, diff)
			}
		}
	}
}
