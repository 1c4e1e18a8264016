package workshop

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A prediction is worth something only if the page hasn't answered it. Each question of Predict has
// choices; Result names the right one and has a fold for each wrong one.

var (
	questionLine = regexp.MustCompile(`^(\d)\. `)
	choiceLine   = regexp.MustCompile(`^   - ([a-e])\) (.+)`)
	// rightLabels matches the beginning of an answer, such as **1 c.** or **1 a, 2 a.**
	rightLabels = regexp.MustCompile(`(?m)^\*\*((?:\d [a-e](?:, )?)+)\.?\*\*`)
	fold        = regexp.MustCompile(`(?s)<details><summary>((?:\d [a-e](?:, )?)+): (.*?)</summary>\n\n(.*?)\n\n</details>`)
	label       = regexp.MustCompile(`\d [a-e]`)
)

// prediction is the questions of a chapter and their answers.
type prediction struct {
	setUp   string            // Predict without the choices
	choices map[string]string // by label: "1 a"
	right   []string
	folds   map[string]string
}

func predictionOf(predict, result string) prediction {
	p := prediction{choices: map[string]string{}, folds: map[string]string{}}
	question, last := "", ""
	for line := range strings.Lines(predict) {
		line = strings.TrimRight(line, "\n")
		if m := questionLine.FindStringSubmatch(line); m != nil {
			question = m[1]
		}
		switch m := choiceLine.FindStringSubmatch(line); {
		case m != nil:
			last = question + " " + m[1]
			p.choices[last] = m[2]
		case last != "" && strings.HasPrefix(line, "     "):
			p.choices[last] += " " + strings.TrimSpace(line)
		default:
			last = ""
			p.setUp += questionLine.ReplaceAllString(line, "") + "\n"
		}
	}
	for _, m := range rightLabels.FindAllStringSubmatch(result, -1) {
		p.right = append(p.right, label.FindAllString(m[1], -1)...)
	}
	for _, m := range fold.FindAllStringSubmatch(result, -1) {
		for _, l := range label.FindAllString(m[1], -1) {
			p.folds[l] = m[3]
		}
	}
	return p
}

func chapterPrediction(t *testing.T, name string) prediction {
	t.Helper()
	return predictionOf(part(t, name, "Predict").text, part(t, name, "Result").text)
}

func TestEachQuestionHasChoicesAndEachWrongChoiceAFold(t *testing.T) {
	for _, name := range chapterFiles(t) {
		p := chapterPrediction(t, name)
		options, answered := map[byte]int{}, map[byte]bool{}
		for l := range p.choices {
			options[l[0]]++
		}
		for _, l := range p.right {
			answered[l[0]] = true
			if p.choices[l] == "" {
				t.Errorf("%s: the answer %s is no choice", name, l)
			}
		}
		if len(options) == 0 {
			t.Errorf("%s has no question with choices", name)
		}
		for q, n := range options {
			if n < 2 || !answered[q] {
				t.Errorf("%s: question %c has %d choices, and an answer: %v", name, q, n, answered[q])
			}
		}
		for l := range p.choices {
			right, folded := slices.Contains(p.right, l), p.folds[l] != ""
			if right == folded {
				t.Errorf("%s: choice %s is right: %v, and has a fold: %v", name, l, right, folded)
			}
		}
		for l, text := range p.folds {
			if p.choices[l] == "" || len(strings.Fields(text)) < 8 {
				t.Errorf("%s: the fold of %s is of no choice, or says too little: %q", name, l, text)
			}
		}
	}
}

// The instructor knows a likely prediction of each chapter, which begins with one of its wrong choices.
func TestTheInstructorsDistractorsAreWrongChoices(t *testing.T) {
	likely := map[string]string{}
	for _, row := range rows(below(t, "instructor.md", "## Predictions", "\n## ")) {
		likely[row[0]] = row[1]
	}
	for _, name := range chapterFiles(t) {
		says, p := likely[name[:2]], chapterPrediction(t, name)
		if l := label.FindString(says); l == "" || !strings.HasPrefix(says, l+":") || p.folds[l] == "" {
			t.Errorf("%s: %q begins with no wrong choice of the chapter", name, says)
		}
	}
}

var (
	notSaid = regexp.MustCompile("(?s)<!--.*?-->|```.*?```|`[^`\n]*`|RFC \\d+(?: §[\\d.]+)?|§[\\d.]+|\\]\\([^)]*\\)|" +
		`[Cc]hapters? \d+(?: (?:and|to) \d+)?|HTTP/[\d.]+|TLS [\d.]+|<[^>]+>|(?m)^#+ \d+ ·`)
	wordOf   = regexp.MustCompile(`\d+(?:,\d{3})*(?:\.\d+)?|[A-Za-z][A-Za-z'-]*`)
	asDigits = map[string]string{"two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "ten": "10", "fifty": "50",
		"hundred": "100", "hundreds": "100", "thousand": "1000"}
)

// wordsOf returns the words and numbers of a text, number words as digits.
func wordsOf(s string) (out []string) {
	for _, w := range wordOf.FindAllString(notSaid.ReplaceAllString(s, " "), -1) {
		w = strings.ToLower(w)
		if d, ok := asDigits[w]; ok {
			w = d
		}
		out = append(out, w)
	}
	return out
}

// stem cuts a word, so that dial, dials and dialled are the same.
func stem(w string) string { return strings.TrimRight(w[:min(len(w), 6)], "s") }

func isNumber(w string) bool { return w[0] >= '0' && w[0] <= '9' }

// reveals returns what the text above Predict says of the answer: numbers of Result, phrases of three
// words, and the words in which the right choices differ from the wrong ones. What the prediction's own set-up says is known
// and reveals nothing.
func reveals(above string, p prediction, result string) (out []string) {
	known := wordsOf(p.setUp)
	said := wordsOf(above)
	phrases := map[string]bool{}
	for i := range max(0, len(known)-2) {
		phrases[strings.Join(known[i:i+3], " ")] = true
	}
	answer := wordsOf(rightLabels.ReplaceAllString(fold.ReplaceAllString(result, "¶ "), "¶ "))
	told := map[string]bool{}
	for i, w := range answer {
		if isNumber(w) && w != "1" && !slices.Contains(known, w) {
			told[w] = true
		}
		if i+2 < len(answer) && content(answer[i:i+3]) {
			told[strings.Join(answer[i:i+3], " ")] = true
		}
	}
	for i, w := range said {
		if isNumber(w) && told[w] {
			out = append(out, w)
		}
		if i+2 < len(said) {
			if phrase := strings.Join(said[i:i+3], " "); told[phrase] && !phrases[phrase] {
				out = append(out, phrase)
			}
		}
	}
	return append(out, distinctive(said, known, p)...)
}

// content reports whether a phrase has two words that aren't everyday ones.
func content(phrase []string) bool {
	n := 0
	for _, w := range phrase {
		if len(w) > 4 || isNumber(w) {
			n++
		}
	}
	return n >= 2
}

// distinctive returns the words above that only the right choices have.
func distinctive(said, known []string, p prediction) (out []string) {
	elsewhere := map[string]bool{}
	for _, w := range known {
		elsewhere[stem(w)] = true
	}
	only := map[string]bool{}
	for l, text := range p.choices {
		for _, w := range wordsOf(text) {
			if !slices.Contains(p.right, l) {
				elsewhere[stem(w)] = true
			} else if len(w) > 4 || isNumber(w) {
				only[stem(w)] = true
			}
		}
	}
	for _, w := range said {
		if only[stem(w)] && !elsewhere[stem(w)] {
			out = append(out, w)
		}
	}
	return out
}

func TestNothingAbovePredictRevealsTheResult(t *testing.T) {
	for _, name := range chapterFiles(t) {
		above := page(t, name)[0].text + part(t, name, "Questions").text + part(t, name, "Objectives").text
		if found := reveals(above, chapterPrediction(t, name), part(t, name, "Result").text); len(found) > 0 {
			t.Errorf("%s: what stands above Predict gives away %q", name, found)
		}
	}
}

func TestARevealingPageIsNoticed(t *testing.T) {
	predict := "nginx allows L requests. You send 250 with one curl.\n\n1. How many connections?\n   - a) 1\n   - b) 3\n   - c) 250\n" +
		"2. What do those above the limit get?\n   - a) an error\n   - b) nothing at all\n"
	result := "**1 b.** Two of them reached the limit.\n\n<details><summary>1 a, 1 c: other</summary>\n\nThe picture: a b c d e f g h.\n\n" +
		"</details>\n\n**2 b.** The server never answers them, and many times as many are accepted.\n"
	p := predictionOf(predict, result)
	if fmt.Sprint(p.right) != "[1 b 2 b]" || len(p.folds) != 2 || p.choices["2 b"] != "nothing at all" {
		t.Fatalf("the page is read as %+v", p)
	}
	for above, want := range map[string]bool{
		"curl opens three connections instead of one.": true,
		"curl opens 3 connections.":                    true,
		"Three are answered. Three get nothing.":       true,
		"How many requests does a connection get?":     false,
		"You send 250 requests.":                       false,
		"Which requests get an error?":                 false,
	} {
		if found := reveals(above, p, result); (len(found) > 0) != want {
			t.Errorf("%q gives away %q, want any: %v", above, found, want)
		}
	}
}
