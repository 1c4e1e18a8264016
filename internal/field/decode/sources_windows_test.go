package decode

import "testing"

func TestAPathOfWindowsIsNoText(t *testing.T) {
	for in, want := range map[string]bool{
		`C:\logs\app.log`: true, `C:\logs\app`: true, `D:app`: true, `.\app`: true, `..\logs\app`: true, `\\srv\share\app`: true,
		`C:\logs\app.log: GOAWAY`: false, "GOAWAY": false, "http2: GOAWAY": false,
	} {
		if got := looksLikeFile(in); got != want {
			t.Errorf("%q is a file: %v", in, got)
		}
	}
	if _, err := Sources([]string{`C:\none\app.log`}); err == nil {
		t.Error("a missing file is taken for a text")
	}
}
