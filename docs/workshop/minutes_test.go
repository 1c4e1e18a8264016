package workshop

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
)

// The speeds of a learner, in a minute. A block is pasted in five seconds where a chapter is shown, and each prediction,
// also one of the parts of chapter 0, takes half a minute.
const (
	wordsAMinute      = 200
	charactersAMinute = 300
	blocksAMinute     = 12
	predictions       = 2
)

var (
	asksPrediction = regexp.MustCompile(`(?m)^\d\. .*\n   - a\)|^\| \d \| .*\?.*\|$`)
	notRead        = regexp.MustCompile("(?s)```.*?```|<!--.*?-->|<details>.*?</details>|<[^>]*>")
	englishWord    = regexp.MustCompile(`[A-Za-z0-9][\w'./-]*`)
	chineseLetter  = regexp.MustCompile(`\p{Han}|[A-Za-z0-9][\w'./-]*`)
)

// effort is what a leg of a route takes a learner, in minutes, without what was measured.
type effort struct{ typed, read, chinese, predicted, exercise float64 }

// effortOf reads it from a leg's page.
func effortOf(t *testing.T, name, how string) (e effort) {
	t.Helper()
	var english, chinese string
	var commands []command
	if name == "" { // the set-up
		commands, _ = readmeCommands(t)
		english, chinese = part(t, "README.md", "Set up").text, part(t, "zh/README.md", "准备").text
	} else {
		english, chinese = labtest.Read(t, name), labtest.Read(t, "zh/"+name)
		for _, s := range page(t, name) {
			commands = append(commands, s.commands...)
		}
	}
	for _, c := range commands {
		e.typed += float64(len(c.text)+1) / aMinute
	}
	if how == "shown" {
		e.typed = float64(len(commands)) / blocksAMinute
	}
	// Not the blocks, and none of the folded answers. A word in Latin letters counts as one Chinese character.
	e.read = float64(len(englishWord.FindAllString(notRead.ReplaceAllString(english, ""), -1))) / wordsAMinute
	e.chinese = float64(len(chineseLetter.FindAllString(notRead.ReplaceAllString(chinese, ""), -1))) / charactersAMinute
	e.predicted = float64(len(asksPrediction.FindAllString(english, -1))) / predictions
	if name != "" && how == "whole" {
		e.exercise = float64(chapterMinutes(t, name).exercise)
	}
	return e
}

// The table of the typed run in instructor.md is that of the pages, and no leg takes longer than its route gives it. What
// a machine took is what TestEveryCommandShowsWhatItsPageShows took for each page.
func TestATypedRunTakesTheTimeOfTheRoute(t *testing.T) {
	timed := rows(below(t, "instructor.md", "## A typed run", "\n## "))
	legs := leg.FindAllStringSubmatch(below(t, "README.md", "### 90 minutes", "\n### "), -1)
	if len(timed) != len(legs)-1 {
		t.Fatalf("%d rows of the typed run, and the route has %d legs with the closing", len(timed), len(legs))
	}
	for i, row := range timed {
		e, given := effortOf(t, legs[i][1], legs[i][3]), legs[i][4]
		n := make([]float64, len(row))
		for j := 1; j < len(row); j++ {
			n[j], _ = strconv.ParseFloat(row[j], 64)
		}
		if len(row) != 9 {
			t.Fatalf("%q has %d columns", row, len(row))
		}
		sum := e.typed + n[2] + math.Max(e.read, e.chinese) + e.predicted + e.exercise
		want := fmt.Sprintf("%.1f %s %.1f %.1f %.1f %.0f %.1f %s", e.typed, row[2], e.read, e.chinese, e.predicted, e.exercise, sum, given)
		if got := strings.Join(row[1:], " "); got != want {
			t.Errorf("%s: the typed run has %s, its page gives %s", row[0], got, want)
		}
		if minutes, _ := strconv.ParseFloat(given, 64); sum > minutes {
			t.Errorf("%s: a typed run takes %.1f minutes, the route gives it %s", row[0], sum, given)
		}
	}
}
