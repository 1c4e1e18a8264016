package live

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
)

func TestTheBrowserChoosesTheLanguageUnlessTheUserDoes(t *testing.T) {
	words := Words{Lang: "zh-CN", Of: map[string]string{"Waiting for a run": "等待</script>"}}
	always := words
	always.Always = true
	for _, c := range []struct {
		words   Words
		asked   string
		chinese bool
	}{
		{words, "zh-CN,zh;q=0.9,en;q=0.8", true}, {words, "zh", true}, {words, "en-US,en;q=0.9,zh;q=0.5", false},
		{words, "", false}, {words, "fr", false}, {words, "zh;q=x", false}, {words, "en;q=0.1, zh;q=0.9", true},
		{always, "en", true}, {always, "", true}, {Words{}, "zh-CN", false},
	} {
		url := serveIn(t, nothing, nil, c.words)
		r, err := http.NewRequestWithContext(t.Context(), "GET", url+"/", nil)
		labtest.Check(t, err)
		r.Header.Set("Accept-Language", c.asked)
		a, err := http.DefaultClient.Do(r)
		labtest.Check(t, err)
		b, _ := io.ReadAll(a.Body)
		_ = a.Body.Close()
		page := string(b)
		heading := `<h1 id="run">Waiting for a run</h1>`
		if c.chinese {
			heading = `<h1 id="run">等待&lt;/script&gt;</h1>`
		}
		if !strings.Contains(page, heading) || strings.Contains(page, `<html lang="zh-CN">`) != c.chinese {
			t.Errorf("%q of %+v gets %.300s", c.asked, c.words, page)
		}
		if strings.Count(page, "</script>") != 2 || a.Header.Get("Vary") != "Accept-Language" {
			t.Errorf("a translation ends the script, or a cache mixes the languages: %v", a.Header)
		}
	}
}
