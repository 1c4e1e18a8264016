package main

import (
	"testing"

	"h2lab/internal/report/translations"
)

func TestTheLocaleDecidesTheLanguage(t *testing.T) {
	for _, c := range []struct {
		all, messages, lang string
		want                bool
	}{
		{"", "", "", false}, {"", "", "C.UTF-8", false}, {"", "", "en_US.UTF-8", false}, {"", "", "zhx", false},
		{"", "", "zh_CN.UTF-8", true}, {"", "", "zh", true}, {"", "zh_TW", "en_US.UTF-8", true},
		{"C", "zh_CN", "zh_CN", false}, {"zh_CN.UTF-8", "C", "C", true},
	} {
		t.Setenv("LC_ALL", c.all)
		t.Setenv("LC_MESSAGES", c.messages)
		t.Setenv("LANG", c.lang)
		if got := chineseLocale(); got != c.want {
			t.Errorf("%+v is %v", c, got)
		}
	}
}

func TestTheOptionWinsOverTheLocale(t *testing.T) {
	t.Setenv("LC_ALL", "zh_CN.UTF-8")
	for given, want := range map[string]translations.Language{
		"": translations.Chinese, "en": translations.English, "EN_us": translations.English, "zh-TW": translations.Chinese,
		"zh": translations.Chinese, "fr": "", "z": "", "zhx": "", "en.zh": translations.English,
	} {
		got, named, err := languageFlag{Lang: given}.language()
		if got != want || named != (given != "") || (err != nil) != (want == "") {
			t.Errorf("--lang %q is %q, %v, %v", given, got, named, err)
		}
	}
}
