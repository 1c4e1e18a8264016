package page

import (
	"html"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
)

// All texts of the page itself come from Words, in the script too.
func TestThePageSaysItsOwnWordsInAnyLanguage(t *testing.T) {
	words := Words{Dark: "深色", Light: "浅色", Raw: "原始", Trial: "试验", Value: "值", Evidence: "依据",
		Close: "关闭", File: "文件"}
	chinese, err := build(t, func(in *Input) { in.Lang, in.Words = "zh-CN", &words })
	labtest.Check(t, err)
	plain, err := build(t, nil)
	labtest.Check(t, err)
	if !strings.Contains(chinese, `lang="zh-CN"`) {
		t.Error("the page doesn't say its language")
	}
	said := regexp.MustCompile(`>[^<]*<|="[^"]*"`)
	for i := range reflect.TypeFor[Words]().NumField() {
		name := reflect.TypeFor[Words]().Field(i).Name
		zh, en := reflect.ValueOf(words).Field(i).String(), reflect.ValueOf(english).Field(i).String()
		if en == "" || !strings.Contains(plain, en) || !strings.Contains(chinese, zh) {
			t.Errorf("%s is not in the page: %q, %q", name, en, zh)
		}
		for _, m := range said.FindAllString(chinese, -1) {
			if m = html.UnescapeString(strings.Trim(m, `>=<"`)); m == en {
				t.Errorf("%s is English in a Chinese page: %q", name, m)
			}
		}
	}
	if m := regexp.MustCompile(`textContent(?: =|:) '[A-Z][a-z]+`).FindString(chinese); m != "" {
		t.Errorf("the script says a word of its own: %s", m)
	}
}
