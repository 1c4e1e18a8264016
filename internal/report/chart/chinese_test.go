package chart

import (
	"bytes"
	"maps"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"

	"h2lab/internal/base/labtest"
	"h2lab/internal/base/text"
	"h2lab/internal/report/translations"
)

type drawing interface{ Draw() (Picture, error) }

// inChinese is a chart in Chinese that has Chinese texts about as wide in place of its words.
func inChinese(d drawing) drawing {
	out := reflect.New(reflect.TypeOf(d)).Elem()
	out.Set(reflect.ValueOf(text.Map(d, func(s string) string {
		return latin.ReplaceAllStringFunc(s, func(word string) string {
			return string([]rune(strings.Repeat("请求，连接（上限）与“流”、", 1+len(word)/20))[:1+len(word)/2])
		})
	})))
	out.FieldByName("Language").SetString(string(translations.Chinese))
	return out.Interface().(drawing)
}

var latin = regexp.MustCompile(`[A-Za-z<>&][A-Za-z<>&-]*`)

// chineseCharts are the difficult charts of every kind in Chinese.
func chineseCharts() map[string]drawing {
	out := map[string]drawing{}
	for name, d := range hard() {
		out["Chinese "+name] = inChinese(d)
	}
	for name, d := range hardFields() {
		out["Chinese field "+name] = inChinese(d)
	}
	return out
}

// The texts that a chart writes of its own accord, as those of its legend, are in the language of the others.
func TestAChineseChartHasNoEnglishText(t *testing.T) {
	english := map[translations.Phrase]bool{notMeasured: true, untold: true, "chart.extrapolated": true, "clients.sound": true,
		"chart.fault": true, "chart.percentile-requests": true}
	for name, d := range chineseCharts() {
		pic, err := d.Draw()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, svg := range [][]byte{pic.Light, pic.Dark} {
			for _, words := range labtest.ChartTexts(svg) {
				if latin.MatchString(words) {
					t.Errorf("%s: English in %q", name, words)
				}
				maps.DeleteFunc(english, func(p translations.Phrase, _ bool) bool {
					return words == translations.Chinese.Say(p)
				})
			}
			if !bytes.Contains(svg, []byte(`xml:lang="zh-CN"`)) || bytes.Contains(svg, []byte(fallbacks)) ||
				!bytes.Contains(svg, []byte(chineseFallbacks)) {
				t.Errorf("%s doesn't name its language and Chinese fonts", name)
			}
		}
	}
	if len(english) != 0 {
		t.Errorf("no chart writes %v", english)
	}
}

func TestNoChineseTextIsCutOffAtAnEdge(t *testing.T) {
	for name, d := range chineseCharts() {
		insidePicture(t, name, d)
	}
}

func TestChineseLinesBreakBetweenCharacters(t *testing.T) {
	for _, c := range []struct {
		words string
		room  float64
		want  string
	}{
		{"连接用完，就发通知", 48, "连接用/完，就发/通知"},
		{"连接（用完）就发", 36, "连接/（用/完）就/发"},
		{"发 GOAWAY。", 60, "发/GOAWAY。"},
		{"カタカナ 한국어", 24, "カタ/カナ/한국/어"},
	} {
		got := strings.Join(wrap(c.words, 12, sans, vg.Length(c.room)), "/")
		if got != c.want {
			t.Errorf("%q in %v pixels is %q, want %q", c.words, c.room, got, c.want)
		}
	}
}
