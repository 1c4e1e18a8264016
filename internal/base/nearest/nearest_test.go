package nearest

import "testing"

func TestTheNearestWordIsFound(t *testing.T) {
	known := []string{"LIMIT", "TRIALS", "CLIENT", "CLIENTS", "KEY"}
	for word, want := range map[string]string{"LIMT": "LIMIT", "LIMITS": "LIMIT", "LMIIT": "LIMIT",
		"TRAILS": "TRIALS", "CLIENTS": "CLIENTS",
		"CLIETNS": "CLIENTS", "KYE": "KEY", "PATH": "", "HOSTNAME": "", "": ""} {
		if got := Word(word, known, 2); got != want {
			t.Errorf("%s: %q, want %q", word, got, want)
		}
	}
}
