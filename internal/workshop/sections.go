package workshop

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// chineseSections are the headings as the Chinese page names them.
var chineseSections = []string{"问题", "预测", "命令", "结果", "结论"}

var (
	// underlined matches a heading of the other kind that Markdown has.
	underlined = regexp.MustCompile(`(?m)^([^\n#-][^\n]*)\r?\n(?:-{3,}|={3,})[ \t]*\r?$`)
	numbered   = regexp.MustCompile(`^\d+\s*[.)、]\s*`)
	address    = regexp.MustCompile(`\w+://\S+`)
	// notYet matches the beginning of a section that is left for later.
	notYet = regexp.MustCompile(`(?i)^\W*(?:todo\b|tbd\b|fixme\b|to be written|later\b|待补|待写|待定|以后再)|^\W*(?:i )?(?:don'?t|do not|have no) ` +
		`(?:know|idea)(?:[.,!]|$)|^\W*no idea|^\s*(?:我)?不知道[，。]?`)
)

// headingOf returns the section that a line begins, or "".
func headingOf(line string) string {
	line = strings.TrimSpace(line)
	if !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "**") {
		return ""
	}
	title := numbered.ReplaceAllString(strings.Trim(line, "#*:： \t"), "")
	for i, name := range sections {
		if strings.EqualFold(name, title) || chineseSections[i] == title {
			return name
		}
	}
	return ""
}

// ownWords empties the sections that are not a learner's own: one that repeats another, or one that is left for later; and
// it removes the lines of the file that learners begin with, whose brackets were taken away.
func ownWords(said map[string]string) map[string]string {
	seen := map[string]bool{}
	out := map[string]string{}
	for _, name := range sections {
		var own []string
		for line := range strings.Lines(said[name]) {
			given := func(p string) bool { return strings.Contains(letters(p), letters(line)) }
			if wordsIn(line) <= 2 || !slices.ContainsFunc(placeholders(), given) {
				own = append(own, strings.TrimRight(line, "\r\n"))
			}
		}
		text := strings.TrimSpace(strings.Join(own, "\n"))
		if key := letters(text); name != "Command" && name != "Result" && (seen[key] || notYet.MatchString(text)) {
			text = ""
		} else {
			seen[key] = true
		}
		out[name] = text
	}
	return out
}

// letters is a text without anything but its letters and digits, in lower case.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

// wordsIn counts the different words of a text; a Chinese text has no spaces, so each of its characters counts. What has
// no letter and no digit is no word.
func wordsIn(s string) int {
	words := map[string]bool{}
	han := 0
	for _, r := range s {
		if unicode.Is(unicode.Han, r) {
			han++
		}
	}
	for _, w := range strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.Is(unicode.Han, r) }) {
		if w = letters(w); w != "" {
			words[w] = true
		}
	}
	return len(words) + han
}
