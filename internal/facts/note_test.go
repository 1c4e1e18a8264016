package facts

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestANoteGivesBackWhatWentIn(t *testing.T) {
	for _, value := range []string{"1999", "", "a b", `say "GOAWAY"; and go`, "1,2,3", "x=y", "\x1b[2J\n", "尾",
		`back\slash`} {
		n := NewNote("some-code", "text", value, "n", 7)
		code, args, ok := n.Read()
		if diff := cmp.Diff(map[string]string{"text": value, "n": "7"},
			args); !ok || code != "some-code" || diff != "" {
			t.Errorf("%q: %q, %v\n%s", n, code, ok, diff)
		}
		all, ok := JoinNotes(n, n, NewNote("other")).Split()
		if diff := cmp.Diff([]Note{n, n, "other"}, all); !ok || diff != "" {
			t.Errorf("%q is taken apart wrongly, %v\n%s", n, ok, diff)
		}
	}
}

func TestASentenceOfAnEarlierVersionIsNoCode(t *testing.T) {
	for _, s := range []string{"", "no samples", "another TCP and TLS handshake", "refused: it was not processed",
		"1999 = 2 × 1000 − 1: request 1000 was the last one taken", "The server closed.", "code name=",
		`code text="open`, "code x"} {
		if code, _, ok := Note(s).Read(); ok {
			t.Errorf("%q is read as the code %q", s, code)
		}
	}
	if _, ok := Notes("Request 1000 brought GOAWAY; the server closed right after its last answer.").Split(); ok {
		t.Error("a sentence is read as codes")
	}
}
