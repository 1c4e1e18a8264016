package clientreport

import (
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
	"h2lab/internal/report/translations"
)

func TestAPageOfARunAtARateSaysSo(t *testing.T) {
	r := result(fieldOf()...)
	r.Run.Rate = &facts.Rate{Asked: "70%", PerS: 1500}
	_, english := build(t, r)
	files, err := Build(Input{Result: r, Language: translations.Chinese})
	labtest.Check(t, err)
	for page, says := range map[string][]string{
		english:                        {"1,500 requests arrive in a second", "kept 1,500 requests a second (POST"},
		string(files["clients.zh.md"]): {"每秒到来 1,500 个请求", "每秒 1,500 个请求（POST"},
	} {
		for _, words := range says {
			if !strings.Contains(page, words) {
				t.Errorf("a page doesn't say %q", words)
			}
		}
		if strings.Contains(page, "closed loop") || strings.Contains(page, "闭环") {
			t.Error("a page of an open loop names a closed one")
		}
	}
}
