package labtest

import (
	"bytes"
	"html"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"h2lab/internal/facts"
)

// chartText matches a text of a chart: a title, a description for screen readers, or a written one.
var chartText = regexp.MustCompile(`<(?:title|desc|text)\b[^>]*>([^<]*)</`)

// ChartTexts returns every text of a chart.
func ChartTexts(svg []byte) (out []string) {
	for _, m := range chartText.FindAllSubmatch(svg, -1) {
		if words := html.UnescapeString(string(m[1])); strings.TrimSpace(words) != "" {
			out = append(out, words)
		}
	}
	return out
}

// SameCharts compares the charts of a page in both languages: each is there in both, in both themes, under another name;
// its texts have the same numbers; and a Chinese one has no English text. files are those that a page in either
// language is built with.
func SameCharts(t testing.TB, name string, r *facts.Result, english, chinese map[string][]byte) {
	t.Helper()
	n, names := 0, namesIn(r)
	for file := range chinese {
		if strings.HasPrefix(file, "charts/") {
			n++
		}
	}
	for file, drawn := range english {
		if !strings.HasPrefix(file, "charts/") {
			continue
		}
		n--
		there := strings.NewReplacer("-light.svg", ".zh-light.svg", "-dark.svg", ".zh-dark.svg").Replace(file)
		other := chinese[there]
		if other == nil || chinese[file] != nil || bytes.Equal(drawn, other) {
			t.Errorf("%s: %s isn't drawn in Chinese as %s", name, file, there)
			continue
		}
		en, zh := strings.Join(ChartTexts(drawn), "\n"), strings.Join(ChartTexts(other), "\n")
		if diff := cmp.Diff(chartFigures(en), chartFigures(zh)); diff != "" {
			t.Errorf("%s: the numbers of %s differ (-English +Chinese):\n%s", name, file, diff)
		}
		for _, text := range ChartTexts(other) {
			if left := leftEnglish(text, names); left != nil {
				t.Errorf("%s: %s has %q in %q", name, there, left, text)
			}
		}
	}
	if n != 0 {
		t.Errorf("%s: %+d charts in Chinese", name, n)
	}
}

// chartFigures are a chart's numbers in order of size; a text that was shortened has lost some.
func chartFigures(texts string) []string {
	var whole []string
	for line := range strings.Lines(texts) {
		if !strings.HasSuffix(strings.TrimSpace(line), "…") {
			whole = append(whole, line)
		}
	}
	out := figure.FindAllString(strings.Join(whole, ""), -1)
	slices.Sort(out)
	return out
}

var (
	latinWord = regexp.MustCompile(`[A-Za-z][A-Za-z0-9_.+#'-]*`)
	// identifier matches the id of a rule, a topology or a cell that the run may lack.
	identifier = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)+$|^[a-z0-9-]+\.h[12]\.[a-z0-9-]+$`)
	// chartTerms are words that Chinese engineers write in Latin letters.
	chartTerms = strings.Fields("HTTP GOAWAY TLS RSA ECDSA API CPU Go net http MaxConnsPerHost Envoy envoy OkHttp keepalive_requests " +
		"ms MB Mbit s p50 p90 p95 p99 p99.9 p99.99 h1 h2 nginx direct k6 id POST")
)

// leftEnglish returns the English words of a Chinese text: those that are no names of the run and no terms. Messages of
// programs, which stay as they were recorded, are none of them.
func leftEnglish(text string, names map[string]bool) (out []string) {
	text = untranslated.ReplaceAllString(text, "¦")
	for _, word := range latinWord.FindAllString(text, -1) {
		cut := strings.Contains(text, word+"…")
		plain := strings.TrimRight(word, ".")
		known := names[word] || slices.Contains(chartTerms, plain) || identifier.MatchString(plain)
		for name := range names {
			known = known || cut && strings.HasPrefix(name, word)
		}
		if !known {
			out = append(out, word)
		}
	}
	return out
}

// chineseTitles are those of the groups of clients that have a name in Chinese; the others are names of languages.
var chineseTitles = []string{"Command-line tools", "Proxies"}

// namesIn are the words of a run's names, which are the same in both languages.
func namesIn(r *facts.Result) map[string]bool {
	out := map[string]bool{}
	for _, c := range r.Cells {
		names := []string{c.ID(), c.Topology, string(c.Client)}
		if p := c.Program; p != nil && !slices.Contains(chineseTitles, p.Title) {
			names = append(names, p.Title)
		}
		for _, word := range latinWord.FindAllString(strings.Join(names, " "), -1) {
			out[word] = true
		}
	}
	return out
}
