package translations

import (
	"maps"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"h2lab/internal/base/notes"
	"h2lab/internal/facts"
)

var (
	noteArgument = regexp.MustCompile(`\{([a-z]+)\}`)
	noteChoice   = regexp.MustCompile(`\{[a-z]+\|[^}]*\}`)
	noteSource   = regexp.MustCompile(`(?:RFC \d+ §[\d.]+|--[a-z-]+)`)
)

func TestEveryNoteHasBothLanguagesWithTheSameArguments(t *testing.T) {
	english, chinese := slices.Sorted(maps.Keys(notes.English())), slices.Sorted(maps.Keys(notes.Chinese()))
	if diff := cmp.Diff(english, chinese); diff != "" || len(english) < 50 {
		t.Fatalf("%d codes (-English +Chinese):\n%s", len(english), diff)
	}
	for code, en := range notes.English() {
		zh := notes.Chinese()[code]
		for what, find := range map[string]*regexp.Regexp{"arguments": noteArgument, "sources and flags": noteSource} {
			of := func(text string) []string {
				all := find.FindAllString(noteChoice.ReplaceAllString(text, ""), -1)
				slices.Sort(all)
				return slices.Compact(all)
			}
			if diff := cmp.Diff(of(en), of(zh)); diff != "" {
				t.Errorf("%s: %s (-English +Chinese):\n%s", code, what, diff)
			}
		}
	}
}

func TestNotesAreSaidInBothLanguages(t *testing.T) {
	streams := facts.NewNote(notes.DroppedMany, "requests", 3, "streams", "2001,2003,2005")
	for _, c := range []struct{ note, en, zh string }{
		{string(facts.NewNote(notes.GoawayLimit, "requests", 1, "stream", 1)),
			"the limit: 1 request; the peer names stream 1 (= 2 × 1 − 1) as its last. Streams above it were not and " +
				"will not be processed; they may be sent again, whatever their method (RFC 9113 §6.8)",
			"上限：1 个请求；对端报告流 1（= 2 × 1 − 1）是最后一个。编号在它之上的流没有、也不会被处理；" +
				"不论什么方法，都可以重发（RFC 9113 §6.8）"},
		{string(streams), "the 3 requests behind it (streams 2001, 2003, 2005) " +
			"were never answered", "它后面的 3 个请求（流 2001、2003、2005）始终没有响应"},
		{"another TCP and TLS handshake", "another TCP and TLS handshake", "再做一次 TCP 和 TLS 握手"},
		{"a sentence of nobody", "a sentence of nobody", "（原文）a sentence of nobody"},
		{"", "", ""},
	} {
		if en, zh := English.Note(facts.Note(c.note)), Chinese.Note(facts.Note(c.note)); en != c.en || zh != c.zh {
			t.Errorf("%q is\n%q\n%q", c.note, en, zh)
		}
	}
	all := facts.JoinNotes(streams, facts.NewNote(notes.StillOpen))
	if en, zh := English.Notes(all), Chinese.Notes(all); en != "the 3 requests behind it (streams 2001, 2003, "+
		"2005) were never answered; "+
		"the connection was still open when the trace ended." ||
		zh != "它后面的 3 个请求（流 2001、2003、2005）始终没有响应；记录结束时连接仍未关闭。" {
		t.Errorf("a summary is %q, %q", en, zh)
	}
	old := facts.Notes("Request 1000 brought GOAWAY(last_stream_id=1999, NO_ERROR) and was answered; the server " +
		"closed right after its last answer.")
	if en, zh := English.Notes(old), Chinese.Notes(old); en != string(old) || zh != "请求 1000 触发 "+
		"GOAWAY(last_stream_id=1999, NO_ERROR)，该请求得到响应；服务器在最后一个响应之后立即关闭。" {
		t.Errorf("an earlier version's summary is %q, %q", en, zh)
	}
}
