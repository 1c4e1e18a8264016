package translations

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
)

// recording are the packages that write sentences into results.json; recordedRuns contain sentences
// of earlier versions.
var recording = []string{"../clientreport", "../../judge/statistics", "../../lab/load", "../../lab/conduct", "../../lab/native",
	"../../lab/compose", "../../lab/plan", "../../lab/runs", "../../field/probe", "../../judge/core", "../../judge/runverdicts"}

const recordedRuns = "../../../testdata/recorded/*/results.json"

// assembled are the forms that the lab assembles from words, and names of one word.
var assembled = map[Phrase]bool{
	"Proxies": true, "Others": true, "found %s": true,
	"service %s, load generator %s, proxy %s, backend %s": true,
	"service %s, load generator %s, backend %s":           true,
}

// libraries are the forms of golang.org/x/perf/benchmath.
var libraries = map[Phrase]bool{
	"need %s %d samples for confidence interval at level %v":      true,
	"need %s %d samples to detect a difference at alpha level %v": true,
	"all samples are equal": true,
}

func TestRecordedFormsAreThoseTheLabWrites(t *testing.T) {
	var all strings.Builder
	for _, room := range recording {
		files, _ := filepath.Glob(filepath.Join(room, "*.go"))
		for _, f := range files {
			if strings.HasSuffix(f, "_test.go") {
				continue
			}
			read(t, &all, f)
		}
	}
	runs, _ := filepath.Glob(recordedRuns)
	manifests, _ := filepath.Glob("../../../services/*/client.json")
	if len(manifests) == 0 {
		t.Error("no manifest of services/")
	}
	for _, f := range append(runs, manifests...) {
		read(t, &all, f)
	}
	for p := range tables()["recorded"] {
		if !libraries[Phrase(p)] && !assembled[Phrase(p)] && !written(p, all.String()) {
			t.Errorf("nobody writes %q into a results.json", p)
		}
	}
}

// written reports whether consecutive words of a form occur in a source. A sentence may be
// assembled from pieces, so three words suffice.
func written(form, sources string) bool {
	const enough = 3
	for _, part := range formVerb.Split(form, -1) {
		words := strings.Fields(part)
		n := min(enough, len(words))
		for i := 0; n > 1 && i+n <= len(words); i++ {
			if strings.Contains(sources, strings.Join(words[i:i+n], " ")) {
				return true
			}
		}
	}
	return false
}

func read(t *testing.T, into *strings.Builder, file string) {
	t.Helper()
	b, err := os.ReadFile(file)
	labtest.Check(t, err)
	into.Write(b)
}

func TestRecordedSentences(t *testing.T) {
	for s, want := range map[string]string{
		"":                              "",
		"the moon was full; no samples": "（原文）the moon was full; no samples",
	} {
		if got := Chinese.RecordedOne(s); got != want {
			t.Errorf("%q is\n%q, want\n%q", s, got, want)
		}
		if got := English.RecordedOne(s); got != s {
			t.Errorf("in English %q became %q", s, got)
		}
	}
}

var digits = regexp.MustCompile(`\d+(?:,\d{3})*(?:\.\d+)?`)

// months are written as numbers in Chinese.
var months = strings.NewReplacer("January 2", "1 2", "March 2", "3 2", "September 2", "9 2", "November 2", "11 2")

func figures(s string) []string {
	s = months.Replace(s)
	found := digits.FindAllString(verbForm.ReplaceAllString(s, ""), -1)
	slices.Sort(found)
	return found
}

// A translation that swaps two arguments without indexes, loses one or changes a figure would put a
// wrong number into the Chinese report.
func TestTranslationsKeepVerbsAndFigures(t *testing.T) {
	for p, zh := range tables()["recorded"] {
		if want, got := verbsOf(p), verbsOf(zh); !slices.Equal(want, got) {
			t.Errorf("%q has verbs %q, its translation %q has %q", p, want, zh, got)
		}
		if want, got := figures(p), figures(zh); !slices.Equal(want, got) {
			t.Errorf("%q has figures %q, its translation %q has %q", p, want, zh, got)
		}
	}
}

// unit matches a head that is the same in Chinese.
var unit = regexp.MustCompile(`^(?:p\d+ ms|req/s|h2/h1|p99/h1|)$`)

func TestTheHeadsOfTerminalTablesAreTranslated(t *testing.T) {
	files, _ := filepath.Glob("../*/*.go")
	found := 0
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		for _, list := range regexp.MustCompile(`Heads: +\[\]string\{([^}]*)\}`).FindAllStringSubmatch(labtest.Read(t, file), -1) {
			found++
			for _, m := range regexp.MustCompile(`"([^"]*)"`).FindAllStringSubmatch(list[1], -1) {
				if head := m[1]; !unit.MatchString(head) && Chinese.Head(head) == head {
					t.Errorf("%s: the head %q isn't translated", strings.TrimPrefix(file, "../"), head)
				}
			}
		}
	}
	if found < 2 {
		t.Fatalf("only %d tables found: the search is broken", found)
	}
}

func TestEveryTextOfTheLivePageIsTranslated(t *testing.T) {
	said := map[string]bool{}
	for file, pattern := range map[string]*regexp.Regexp{
		"../../lab/live/live.html": regexp.MustCompile(`\{\{say "([^"]+)"\}\}`),
		"../../lab/live/live.js":   regexp.MustCompile(`say\('([^']+)'`),
	} {
		page := labtest.Read(t, file)
		found := pattern.FindAllStringSubmatch(page, -1)
		if len(found) < 10 {
			t.Fatalf("only %d texts found in %s: the search is broken", len(found), file)
		}
		for _, m := range found {
			said[m[1]] = true
		}
	}
	words := LivePage()
	for english := range said {
		if words[english] == "" {
			t.Errorf("the live page says %q, which isn't translated", english)
		}
		if want, got := verbsOf(english), verbsOf(words[english]); !slices.Equal(want, got) {
			t.Errorf("%q has other values than %q", words[english], english)
		}
	}
	for english, chinese := range words {
		if !said[english] {
			t.Errorf("a translation of %q, which the live page doesn't say", english)
		}
		if places := labtest.Misset(strings.TrimPrefix(verbForm.ReplaceAllString(chinese, "值"), "，")); places != nil {
			t.Errorf("spaces or punctuation at %q", places)
		}
	}
}

// plainText matches text of the page between tags, and in its script between quotes.
var plainText = regexp.MustCompile(`>[^<{]*[a-z]{3,}[^<{]*<|aria-label="[^"{]*[a-z]{3}`)

func TestTheLivePageHasNoTextOutsideItsWords(t *testing.T) {
	b := labtest.Read(t, "../../lab/live/live.html")
	body := regexp.MustCompile(`(?s)<code>.*?</code>|\{\{[^}]*\}\}`).ReplaceAllString(b, "")
	if found := plainText.FindAllString(body, -1); found != nil {
		t.Errorf("not in say: %q", found)
	}
}

// verbForm matches a verb of a format string: its flags, its argument's index and its letter.
var verbForm = regexp.MustCompile(`%([-+# 0]*\d*(?:\.\d*)?)(?:\[(\d+)\])?([a-zA-Z%])`)

// verbsOf returns a format's verbs in the order of the arguments that they use. A translation has the same.
func verbsOf(format string) []string {
	next, at := 1, map[int]string{}
	for _, m := range verbForm.FindAllStringSubmatch(format, -1) {
		if m[3] == "%" || strings.HasPrefix(m[1], " ") {
			continue // a sign, not a verb: "%%", or the "% of" of a phrase without arguments
		}
		if m[2] != "" {
			next, _ = strconv.Atoi(m[2])
		}
		at[next] += m[1] + m[3]
		next++
	}
	out := make([]string, len(at))
	for i := range out {
		out[i] = at[i+1]
	}
	return out
}
