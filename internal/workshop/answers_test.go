package workshop

import (
	"errors"
	"strings"
	"testing"
)

func TestAnswersAreReadAsLearnersWriteThem(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want string // of key limit
		says string // of the error
	}{
		"plain":              {"limit = 100\n", "100", ""},
		"no spaces":          {"limit=100", "100", ""},
		"windows":            {"\ufefflimit = 100\r\nfamily =\r\n", "100", ""},
		"a remark behind":    {"limit = 100 # I think", "100", ""},
		"capitals":           {"Limit = One Hundred", "one hundred", ""},
		"empty":              {"limit =\n", "", ""},
		"left out":           {"# nothing\n\n", "", ""},
		"an equals sign in":  {"limit = a = b", "a = b", ""},
		"no equals sign":     {"# x\nlimit 100", "", "line 2 of f is not key = value"},
		"another key":        {"limits = 100", "", "the keys are limit, family"},
		"twice":              {"limit = 1\nlimit = 2", "", "line 2 of f answers limit a second time"},
		"binary":             {"\x00\x01\x02", "", "line 1"},
		"a line of a MB":     {strings.Repeat("x", 1<<20), "", "…"},
		"no end of the line": {strings.Repeat("\n", 1000) + "limit = 5", "5", ""},
	} {
		a, err := parseAnswers("f", c.text, "limit", "family")
		var bad *formatError
		switch {
		case c.says != "":
			if !errors.As(err, &bad) || !strings.Contains(err.Error(), c.says) || len(err.Error()) > 200 {
				t.Errorf("%s: %v, want %q", name, err, c.says)
			}
		case err != nil || a["limit"] != c.want:
			t.Errorf("%s: %q, %v, want %q", name, a["limit"], err, c.want)
		}
	}
}

func TestNumbersAreReadInTheirUsualSpellings(t *testing.T) {
	for text, want := range map[string]int64{"100": 100, "2^31-1": 1<<31 - 1, "2^31−1": 1<<31 - 1, "100 000": 100000,
		"100_000": 100000, "2147483647": 1<<31 - 1, "0": 0} {
		if n, ok := number(text); !ok || n != want {
			t.Errorf("%q is %d, %v", text, n, ok)
		}
	}
	for _, text := range []string{"", "-1", "a hundred", "1.5", "99999999999999999999", "100x"} {
		if n, ok := number(text); ok {
			t.Errorf("%q is taken for %d", text, n)
		}
	}
}

func FuzzAnswers(f *testing.F) {
	for _, s := range []string{"limit = 100\nfamily=nginx # x", "\ufeff=\n==\n", "limit\x00=1", "more than 20000",
		"> 199", "201 203 205", "# \r\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		a, err := parseAnswers("f", s, "limit", "family")
		if err == nil && len(a) != 2 {
			t.Errorf("%q gives %v", s, a)
		}
		if err != nil && len([]rune(err.Error())) > 300 {
			t.Errorf("%q gives an error of %d runes", s, len([]rune(err.Error())))
		}
		if c, ok := parseClaim(s); ok && c.n <= 0 {
			t.Errorf("%q claims %d", s, c.n)
		}
		againFits(s, 199, []uint32{201, 203, 205})
		parseSections(s)
		if c, ok := parseCommand(s); ok && c.verb == "" {
			t.Errorf("%q is a command without a verb", s)
		}
		namedPrice(s)
	})
}
