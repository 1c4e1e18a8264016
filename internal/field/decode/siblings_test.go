package decode

import (
	"bufio"
	"os"
	"slices"
	"strings"
	"testing"
)

// siblings are wordings of many libraries for the same events, in testdata/siblings.txt: what happened,
// whether the request was executed (both with alternatives), and the text, where \n is a new line.
func siblings(t *testing.T) []corpusLine { return siblingsOf(t, "testdata/siblings.txt") }

func siblingsOf(t *testing.T, file string) (out []corpusLine) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		parts := strings.SplitN(s.Text(), "\t", 3)
		if len(parts) < 3 {
			continue // a headline
		}
		l := corpusLine{Happened: strings.Split(parts[0], "|"), Executed: strings.Split(parts[1], "|"),
			Text: strings.ReplaceAll(parts[2], `\n`, "\n"), Retry: oneOf{"safe", "if-idempotent", "useless", "n/a", ""},
			Forbidden: oneOf{"request-limit"}}
		if slices.ContainsFunc(l.Happened, func(h string) bool {
			return slices.Contains([]string{"goaway-no-error", "connection-lost", "not-sent", "stream-refused"}, h)
		}) {
			l.Forbidden = nil
		}
		out = append(out, l)
	}
	return out
}

// One event has many wordings: noun and verb, code by name and by number, plain, in JSON and in a trace.
func TestSiblings(t *testing.T) {
	lines := siblings(t)
	if len(lines) < 900 {
		t.Fatalf("only %d texts", len(lines))
	}
	count := map[string]int{}
	for _, l := range lines {
		a := answerTo(t, l.Text)
		a.changes = slices.DeleteFunc(a.changes, func(c string) bool { return !slices.Contains(l.Forbidden, c) })
		verdict, why := score(l, a)
		count[verdict]++
		if verdict == wrong {
			t.Logf("%s: %q\n  got  %s; executed %s\n  want %v; executed %v", why, l.Text, a.label, a.executed, l.Happened,
				l.Executed)
		}
	}
	if count[right] < len(lines)*95/100 || count[wrong] > len(lines)/200 {
		t.Errorf("%d of %d are right, fewer than 95 %%, or more than 0.5 %% are wrong: %v", count[right], len(lines), count)
	}
}
