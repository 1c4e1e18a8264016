package labtest

import "regexp"

var (
	// verbatim is what a Chinese page doesn't set itself: code, markup, targets of links, output of programs, sources.
	verbatim = regexp.MustCompile("(?s)```.*?```|<!--.*?-->|<[^>]+>|`[^`\n]+`|\\]\\([^)]*\\)|" +
		`"(?:[^"\\\n]|\\.)*"|出处：[^\n]*|（原文）[^\n|]*`)
	// misset are the places that Chinese typography has otherwise (W3C, Requirements for Chinese Text Layout, 3.1 and
	// 3.2.2): a letter or digit that touches a Chinese character, a half-width mark between Chinese characters, and a
	// space beside a full-width mark. Bold text that ends in a full stop may be followed by a space.
	misset = regexp.MustCompile(`\p{Han}[A-Za-z0-9]|[A-Za-z0-9%]\p{Han}|\p{Han} ?[,;:()]|\p{Han}[!?]|[,;)] ?\p{Han}|` +
		`[^|\n] [，。；：、？！）“”（]|[，。；：、？！）“”（] [^ |\n]`)
)

// Misset returns each place of a Chinese page where spaces or punctuation are not Chinese, with the characters
// around it.
func Misset(page string) []string {
	text := verbatim.ReplaceAllString(page, "¦")
	var out []string
	for _, at := range misset.FindAllStringIndex(text, -1) {
		out = append(out, surroundings(text, at[0], at[1]))
	}
	return out
}

func surroundings(text string, from, to int) string {
	const bytes = 24
	return regexp.MustCompile(`^[\x80-\xbf]+|\n`).ReplaceAllString(text[max(0, from-bytes):min(len(text), to+bytes)], "")
}
