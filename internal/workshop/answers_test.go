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

func FuzzAnswers(f *testing.F) {
	for _, s := range []string{"limit = 100\nfamily=nginx # x", "\ufeff=\n==\n", "limit\x00=1", "more than 20000",
		"> 199", "201 203 205", "# \r\n", "至少 97 个"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		a, err := parseAnswers("f", s, "limit", "family")
		if err == nil && len(a) > 2 {
			t.Errorf("%q gives %v", s, a)
		}
		if err != nil && len([]rune(err.Error())) > 300 {
			t.Errorf("%q gives an error of %d runes", s, len([]rune(err.Error())))
		}
		if a, ok := parseAmount(s); ok && a.least < 0 {
			t.Errorf("%q is %+v", s, a)
		}
		againFits(s, 199, []uint32{201, 203, 205})
		parseSections(s)
		if c := parseCommand(s); c.verb == "" && len(c.knobs) > 0 {
			t.Errorf("%q is a command without a verb", s)
		}
		namedPrice(s)
	})
}
