package text

import "testing"

func TestAWordIsReadBackAsItWas(t *testing.T) {
	for in, want := range map[string]string{
		"https://h:1/a-b":  "https://h:1/a-b",
		"a b":              "'a b'",
		"https://h/?a=1&b": "'https://h/?a=1&b'",
		"it's":             `'it'\''s'`,
		`C:\a`:             `'C:\a'`,
		"":                 "''",
	} {
		if got := posix(in); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}

// The expected words were read from about_Quoting_Rules and from cmd.exe's own rules.
func TestAWordOfWindowsIsReadBackAsItWas(t *testing.T) {
	for in, want := range map[string]string{
		"https://h:1/a-b":    "https://h:1/a-b",
		`C:\logs\access.log`: `C:\logs\access.log`,
		`C:\Program Files\x`: `"C:\Program Files\x"`,
		"https://h/?a=1&b":   `"https://h/?a=1&b"`,
		"it's":               `"it's"`,
		`X-Say: "$(whoami)"`: `'X-Say: "$(whoami)"'`,
		"a'$b":               `'a''$b'`,
		"%PATH%":             "'%PATH%'",
		`ends in \`:          `'ends in \'`,
		"a,b":                `"a,b"`,
		"@response-file":     `"@response-file"`,
		"":                   `""`,
	} {
		if got := powerShell(in); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}

func TestTheNearestWordIsFound(t *testing.T) {
	known := []string{"LIMIT", "TRIALS", "CLIENT", "CLIENTS", "KEY"}
	for word, want := range map[string]string{"LIMT": "LIMIT", "LIMITS": "LIMIT", "LMIIT": "LIMIT",
		"TRAILS": "TRIALS", "CLIENTS": "CLIENTS",
		"CLIETNS": "CLIENTS", "KYE": "KEY", "PATH": "", "HOSTNAME": "", "": ""} {
		if got := Nearest(word, known, 2); got != want {
			t.Errorf("%s: %q, want %q", word, got, want)
		}
	}
}
