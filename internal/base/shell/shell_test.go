package shell

import "testing"

func TestAWordIsReadBackAsItWas(t *testing.T) {
	for in, want := range map[string]string{
		"https://h:1/a-b":  "https://h:1/a-b",
		"a b":              "'a b'",
		"https://h/?a=1&b": "'https://h/?a=1&b'",
		"it's":             `'it'\''s'`,
		"":                 "''",
	} {
		if got := Word(in); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}
