package translations

import (
	"slices"
	"testing"
)

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
