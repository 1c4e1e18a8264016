package translations

import (
	"slices"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
)

func testBook() *phrasebook {
	return newPhrasebook(map[Phrase]string{
		", ":              "，",
		"The server ends": "不是句子",
		"The server ended it. One request was lost.": "服务器结束了它，丢失一个请求。",
		"The server ended it.":                       "服务器结束了它。",
		"nginx does that.":                           "nginx 就是如此。",
		"it carried %s":                              "它承载了 %s",
		"%d requests":                                "%d 个请求",
		"not by itself":                              "不会自动重试",
		"a b; c":                                     "甲乙；丙",
		"%s of %s %% at %q":                          "%[3]s 处 %[2]s %% 中的 %[1]s",
	})
}

func TestFinishedTextIsTranslatedBySentencesAndClauses(t *testing.T) {
	for english, want := range map[string]string{
		", ":                   "，",
		"The server ended it.": "服务器结束了它。",
		"The server ended it. One request was lost. nginx does that.": "服务器结束了它，丢失一个请求。nginx 就是如此。",
		"The server ended it. Nobody knows. nginx does that.":         "服务器结束了它。Nobody knows. nginx 就是如此。",
		"it carried 7 requests":                                       "它承载了 7 个请求",
		"it carried 7 requests; not by itself":                        "它承载了 7 个请求；不会自动重试",
		"a b; c; unknown":                                             "甲乙；丙；unknown",
		"not by itself; it carried 1.":                                "不会自动重试；它承载了 1。",
		`x of 5 % at "nginx.conf"`:                                    `"nginx.conf" 处 5 % 中的 x`,
		"keepalive_requests 1000;":                                    "keepalive_requests 1000;",
		"a; b. c; d":                                                  "a; b. c; d",
		"  not by itself\n":                                           "  不会自动重试\n",
		"":                                                            "",
		" ":                                                           " ",
	} {
		if got := testBook().text(english); got != want {
			t.Errorf("%q is %q, want %q", english, got, want)
		}
	}
}

// Text of nobody's tables, such as a file's name or a program's, stays as it is.
func TestUnknownTextStaysAsItIs(t *testing.T) {
	for _, text := range []string{"a.  b. c", "x; ; y", "? ! . ;", "100 % s %d %!v(MISSING)", "\x00\xff. \xfe; ", "。；. ",
		"nginx.conf:5", "keepalive_requests 1000;   # as before", strings.Repeat("word. ", 500)} {
		if got := Chinese.Field(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

func TestFieldTextIsEnglishWithoutALanguage(t *testing.T) {
	for _, l := range []Language{English, ""} {
		if got := l.Field("next: "); got != "next: " {
			t.Errorf("%q: %q", l, got)
		}
	}
	if got := Chinese.Field("next: "); got != "下一步：" {
		t.Error(got)
	}
}

// Two tables with the same phrase would hide one translation.
func TestNoFieldTextIsTranslatedTwice(t *testing.T) {
	n := 0
	for _, table := range fieldTables {
		n += len(table)
	}
	if all := merged(fieldTables); n != len(all) {
		t.Errorf("%d translations in the tables and %d texts: one stands in two tables", n, len(all))
	}
}

func TestFieldTranslationsAreWritten(t *testing.T) {
	for english, zh := range merged(fieldTables) {
		if n := len(sentences(string(english))) + strings.Count(string(english), "; "); n > mostParts {
			t.Errorf("%q has %d parts, more than are looked up", english, n)
		}
		if found := labtest.English(zh); found != "" {
			t.Errorf("%q is translated by %q, with %q", english, zh, found)
		}
		for _, place := range labtest.Misset(formVerb.ReplaceAllString(zh, "N")) {
			t.Errorf("%q: %s", english, place)
		}
	}
}

func TestArgumentsHaveTheSpacesOfChinese(t *testing.T) {
	for _, c := range []struct {
		format Phrase
		args   []string
		want   string
	}{
		{"得到 %s（%s）", []string{"7 个请求", "约 4 s"}, "得到 7 个请求（约 4 s）"},
		{"在 %s 处结束", []string{"恰好 5 个"}, "在恰好 5 个处结束"},
		{"在%s处结束", []string{"request 5"}, "在 request 5 处结束"},
		{"%[2]s 中有 %[1]s 条", []string{"3", "8 %"}, "8 % 中有 3 条"},
		{"%s：%s", []string{"", "x"}, "：x"},
		{"占 %s %%", []string{"5"}, "占 5 %"},
		{"历时 %s，%s", []string{"5 %%", "多"}, "历时 5 %%，多"},
	} {
		if got := filled(c.format, c.args); got != c.want {
			t.Errorf("%q with %q is %q, want %q", c.format, c.args, got, c.want)
		}
	}
}

func TestListsOfNumbersAreChinese(t *testing.T) {
	for english, want := range map[string]string{
		"7": "7", "1,000": "1,000", "1 and 2": "1 和 2", "4 to 6, 9 and 1,200": "4 到 6、9 和 1,200", "4 s to 1m30s": "4 s 到 1m30s",
		"10 % and 0.5 %": "10 % 和 0.5 %", "nginx to 5": "nginx to 5", "5 and more": "5 and more", "": "",
	} {
		if got := listed(english); got != want {
			t.Errorf("%q is %q, want %q", english, got, want)
		}
	}
}

func TestSentencesEndOutsideOfQuotes(t *testing.T) {
	for text, want := range map[string]int{
		"One. Two? Three": 3, `It says "Stop. Now" here. End.`: 2, `It says "a \". b" here.`: 1, `An inch" is. Nothing`: 2, "": 1,
	} {
		if got := sentences(text); len(got) != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}

func TestPartsEndOutsideOfQuotes(t *testing.T) {
	for text, want := range map[string][]string{
		`a; "b; c"; d`: {"a", `"b; c"`, "d"}, `"; "`: {`"; "`}, "": {""}, "a; ": {"a", ""}, `x"; y`: {`x"`, "y"},
	} {
		if got := split(text, "; "); !slices.Equal(got, want) {
			t.Errorf("%q: %q", text, got)
		}
	}
}

func TestAListIsTranslatedIfAllOfItIsKnown(t *testing.T) {
	for english, want := range map[string]string{
		"7 requests, not by itself": "7 个请求，不会自动重试", "7 requests, unknown": "7 requests, unknown",
		"unknown, not by itself": "unknown, not by itself",
	} {
		if got := testBook().text(english); got != want {
			t.Errorf("%q is %q, want %q", english, got, want)
		}
	}
}
